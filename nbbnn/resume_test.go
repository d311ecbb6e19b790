package nbbnn

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// trainUntil trains until the given step is done, counted over all epochs, and cancels there.
func trainUntil(t *testing.T, run *Run, step int) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	return run.TrainWith(ctx, TrainOptions{Progress: func(u Update) {
		if u.Done == step {
			cancel()
		}
	}})
}

// stopAt is trainUntil that has to stop the training.
func stopAt(t *testing.T, run *Run, step int) {
	t.Helper()
	if err := trainUntil(t, run, step); !errors.Is(err, ErrStopped) {
		t.Errorf("stopped at step %d: error %v, want %v", step, err, ErrStopped)
	}
}

// halfTrained trains a run for one epoch and stops it: no card tells its checksum.
func halfTrained(t *testing.T, config Config) *Run {
	t.Helper()
	run := openRun(t, t.TempDir(), config)
	stopAt(t, run, 7)
	return run
}

// position is how far the checkpoint of a run is: whole epochs and steps of the next one.
func position(t *testing.T, run *Run) (epoch, step int) {
	t.Helper()
	state, _, err := run.checkpoints().readState(run.checkpointPath())
	testkit.NoError(t, err)
	return state.Epoch, state.Step
}

// A run that's stopped anywhere, and gone on with, ends with the same weights bit for bit.
func TestStoppedRunEqualsUninterruptedOne(t *testing.T) {
	want := undisturbed(t, tinyConfig()).StateSHA256
	run := openRun(t, t.TempDir(), tinyConfig())
	for _, c := range []struct{ stopAt, epoch, step int }{
		{1, 0, 1},
		{4, 0, 4},
		{6, 1, 0}, // the last step of an epoch: it stops at the beginning of the next one
		{13, 2, 1},
	} {
		stopAt(t, run, c.stopAt)
		if epoch, step := position(t, run); epoch != c.epoch || step != c.step {
			t.Errorf("stopped at step %d: the checkpoint is at epoch %d, step %d, want %d, %d",
				c.stopAt, epoch, step, c.epoch, c.step)
		}
		if run.Complete() {
			t.Errorf("stopped at step %d: the run is complete", c.stopAt)
		}
	}
	if err := trainUntil(t, run, 18); err != nil { // there's nothing left to stop
		t.Fatalf("cancelled at the last step: %v", err)
	}
	equal(t, "weights after four stops", trainedCard(t, run).StateSHA256, want)
}

// A complete run whose checkpoint and card were removed trains again. Until that's done it isn't
// complete, and its results are removed.
func TestHalfTrainedRunIsNotComplete(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	want := trainedCard(t, run).StateSHA256
	for _, name := range []string{"cells.csv", "bins.csv", "metrics.csv"} {
		rewrite(t, run.path(name), "", "measured on the old weights")
	}
	testkit.NoError(t, os.Remove(run.checkpointPath()))
	if run.Complete() {
		t.Error("a run without a checkpoint is complete")
	}
	testkit.NoError(t, os.Remove(run.path("card.json")))
	for _, step := range []int{4, 8} {
		stopAt(t, run, step)
		if run.Complete() {
			t.Errorf("stopped at step %d: the run is complete", step)
		}
		refused(t, "evaluating a run that's half trained", "isn't trained to the end")(
			run.Evaluate(t.Context(), Evaluation{Samples: 2}, nil))
		refused(t, "the card of a run that's half trained", "isn't trained to the end")(run.Card())
		for _, name := range []string{"cells.csv", "bins.csv", "metrics.csv"} {
			if exists(run.path(name)) {
				t.Errorf("stopped at step %d: %s of the old weights is still there", step, name)
			}
		}
	}
	equal(t, "weights when trained again", trainedCard(t, run).StateSHA256, want)
	if !run.Complete() {
		t.Error("the run isn't complete after training to the end")
	}
}

// A run doesn't continue with another data set than the one that it began with, and isn't tested on
// one.
func TestAnotherDataSetIsRefused(t *testing.T) {
	config := briefConfig()
	run := openRun(t, t.TempDir(), config)
	data := testkit.Must(run.config.OpenData(t.Context()))(t)
	other := strings.Repeat("0", len(data.Hash))

	stopAt(t, run, 4)
	rewriteState(t, run, data.Hash, other)
	checkError(t, "training on another data set", run.Train(t.Context(), nil), "another data set")
	if run.Complete() {
		t.Error("a run of another data set is complete")
	}
	rewriteState(t, run, other, data.Hash)
	card := trainedCard(t, run)
	equal(t, "the card has data", card.Data.Hash, data.Hash)
	rewriteCard(t, run, func(c *Card) { c.Data.Hash = other })
	refused(t, "evaluating on another data set", "another data set")(run.Evaluate(t.Context(),
		Evaluation{Samples: 2, Images: 2}, nil))
	if exists(run.path("cells.csv")) {
		t.Error("a cell was measured on another data set")
	}
}
