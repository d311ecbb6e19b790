package nbbnn

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// tinyConfig trains in a second or two.
func tinyConfig() Config {
	return Config{
		Network:   Network{Width: 4},
		Data:      Data{Name: "shapes10", Train: 52, Test: 20},
		Posterior: Posterior{Components: 2, InitStd: 0.3},
		Objective: Objective{Gamma: 1},
		Training:  Training{Epochs: 3, Batch: 8, Samples: 2, LearningRate: 0.01, PosteriorLearningRate: 0.1},
		Seed:      5,
	}
}

func openRun(t testing.TB, directory string, config Config) *Run {
	t.Helper()
	run, err := Open(directory, config)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func trainedCard(t testing.TB, run *Run) Card {
	t.Helper()
	if err := run.Train(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	card, err := run.Card()
	if err != nil {
		t.Fatal(err)
	}
	return card
}

func TestTrainRecordsEveryEpoch(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	card := trainedCard(t, run)
	history, err := run.History()
	if err != nil {
		t.Fatal(err)
	}
	if len(history) != 4 || history[0].Epoch != 0 || history[3].Epoch != 3 {
		t.Fatalf("history of %d lines, want epochs 0 to 3", len(history))
	}
	for _, epoch := range history[1:] {
		near(t, "KL", epoch.KL, epoch.CrossEntropy-epoch.Entropy, 1e-9)
		near(t, "log-likelihood", epoch.LogLikelihood, -48*epoch.NLL, 1e-9) // 6 whole batches of 8
	}
	if history[1].Beta != 0 || history[3].Beta != 1 {
		t.Errorf("beta is %g in the first epoch and %g in the last, want 0 and 1", history[1].Beta, history[3].Beta)
	}
	if len(card.WeightsSHA256) != 64 || !strings.HasPrefix(card.ConfigHash, card.Run) {
		t.Errorf("card has weights %q and run %q of %q", card.WeightsSHA256, card.Run, card.ConfigHash)
	}
}

// A run that's stopped in the middle of any epoch, and gone on with, ends with the same weights bit for bit.
func TestStoppedRunEqualsUninterruptedOne(t *testing.T) {
	want := trainedCard(t, openRun(t, t.TempDir(), tinyConfig())).WeightsSHA256
	run := openRun(t, t.TempDir(), tinyConfig())
	for _, stopAt := range []int{1, 4, 6, 13} {
		ctx, cancel := context.WithCancel(t.Context())
		err := run.Train(ctx, func(u Update) {
			if u.Done == stopAt {
				cancel()
			}
		})
		if stopAt == 6 { // the last step of an epoch: it stops at the beginning of the next one
			cancel()
		}
		if !errors.Is(err, ErrStopped) {
			t.Fatalf("stopped at step %d: error %v, want %v", stopAt, err, ErrStopped)
		}
	}
	if got := trainedCard(t, run).WeightsSHA256; got != want {
		t.Errorf("weights %s after four stops, %s without", got, want)
	}
}

// killedRun names the environment variable that turns a copy of this test into a process to be killed.
const killedRun = "NBBNN_TEST_KILLED_RUN"

// A run whose process is killed in the middle of an epoch, and gone on with, ends with the same weights bit for bit.
func TestKilledRunEqualsUninterruptedOne(t *testing.T) {
	if directory := os.Getenv(killedRun); directory != "" {
		run := openRun(t, directory, tinyConfig())
		err := run.Train(t.Context(), func(u Update) { os.Stdout.WriteString("step\n") })
		t.Fatalf("not killed: %v", err)
	}
	directory := t.TempDir()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledRunEqualsUninterruptedOne$")
	child.Env = append(os.Environ(), killedRun+"="+directory)
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	for step := 0; step < 9 && lines.Scan(); step++ { // three steps into the second epoch
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // the error says that it was killed

	run := openRun(t, directory, tinyConfig())
	if history, err := run.History(); err != nil || len(history) < 2 || run.Complete() {
		t.Fatalf("after the kill: %d lines, complete %v, error %v; want an epoch or two", len(history), run.Complete(), err)
	}
	got := trainedCard(t, run).WeightsSHA256
	if want := trainedCard(t, openRun(t, t.TempDir(), tinyConfig())).WeightsSHA256; got != want {
		t.Errorf("weights %s after the kill, %s without", got, want)
	}
}

func TestLossThatIsNotFiniteKeepsTheCheckpoint(t *testing.T) {
	config := tinyConfig()
	config.Training.LearningRate = 1e6
	run := openRun(t, t.TempDir(), config)
	err := run.Train(t.Context(), nil)
	if err == nil || !strings.HasPrefix(err.Error(), "nbbnn: the loss is ") || !strings.Contains(err.Error(), "lower learning rate (now 1e+06)") {
		t.Fatalf("error %v, want one that names the loss and the learning rate", err)
	}
	if run.Complete() {
		t.Error("the run is complete")
	}
	if again := run.Train(t.Context(), nil); again == nil || again.Error() != err.Error() {
		t.Errorf("the second attempt says %v, want the same as the first", again)
	}
}

// Nothing but the posterior is stochastic: another seed gives other weights, another directory the same.
func TestWeightsDependOnTheConfigurationAlone(t *testing.T) {
	config := tinyConfig()
	config.Training.Epochs = 1
	first := trainedCard(t, openRun(t, t.TempDir(), config)).WeightsSHA256
	if again := trainedCard(t, openRun(t, t.TempDir(), config)).WeightsSHA256; again != first {
		t.Errorf("weights %s and %s of the same configuration", first, again)
	}
	config.Seed++
	if other := trainedCard(t, openRun(t, t.TempDir(), config)).WeightsSHA256; other == first {
		t.Error("another seed gives the same weights")
	}
}

func TestTooFewImagesForABatch(t *testing.T) {
	config := tinyConfig()
	config.Training.Batch = 64
	_, err := Open(t.TempDir(), config)
	if want := "nbbnn: 52 training images make no batch of 64: choose a smaller batch or more images"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
