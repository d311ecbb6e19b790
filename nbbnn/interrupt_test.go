package nbbnn

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// heldStep takes the trainer's next step and doesn't return from it until the test ends.
func heldStep(t *testing.T, trainer *trainer) func(context.Context) (network.Losses, error) {
	t.Helper()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	return func(ctx context.Context) (network.Losses, error) {
		losses, err := trainer.stepper.Step(ctx)
		<-release
		return losses, err
	}
}

// startedTrainer is a trainer of the run that stands where the run's checkpoint does and waits for
// nothing.
func startedTrainer(t *testing.T, run *Run) *trainer {
	t.Helper()
	data := testkit.Must(run.config.OpenData(t.Context()))(t)
	trainer := testkit.Must(newTrainer(run, data))(t)
	testkit.NoError(t, trainer.resume())
	trainer.patience = 0
	return trainer
}

// A training that is cancelled during a slow step saves the state before the step and loses nothing
// else: it ends with the same weights bit for bit.
func TestSlowStepIsAbandoned(t *testing.T) {
	want := undisturbed(t, tinyConfig()).StateSHA256
	for _, c := range []struct {
		name     string
		stopAt   int           // step until which the run is trained before
		lastStep time.Duration // 0 for the first step of a process
	}{
		{"a new run", 0, 0},
		{"the first step of a process", 4, 0},
		{"a later step", 4, slowStep},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := openRun(t, t.TempDir(), tinyConfig())
			if c.stopAt > 0 {
				stopAt(t, run, c.stopAt)
			}
			trainer := startedTrainer(t, run)
			trainer.lastStep = c.lastStep
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := trainer.interruptible(ctx, heldStep(t, trainer)); !errors.Is(err,
				errAbandoned) {
				t.Fatalf("error %v, want %v", err, errAbandoned)
			}
			if err := trainer.stop(); !errors.Is(err, ErrStopped) {
				t.Fatalf("error %v, want %v", err, ErrStopped)
			}
			equal(t, "weights after the interrupt", trainedCard(t, run).StateSHA256, want)
		})
	}
}

// A fast step is waited for, since the state before it is gone.
func TestFastStepIsFinished(t *testing.T) {
	trainer := startedTrainer(t, openRun(t, t.TempDir(), tinyConfig()))
	trainer.lastStep = slowStep - 1
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	testkit.Must(trainer.interruptible(ctx, func(context.Context) (network.Losses, error) {
		return network.Losses{Steps: 1}, nil
	}))(t)
}

// A step that can't end within patience isn't waited for at all, so that all the time there is goes
// into saving.
func TestWorthWaiting(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		name     string
		lastStep time.Duration
		started  time.Time
		want     time.Duration
	}{
		{"the first step of a process", 0, now, patience},
		{"a step of an hour that has begun", time.Hour, now, 0},
		{"a step of an hour that is nearly over", time.Hour, now.Add(-time.Hour), patience},
	} {
		trainer := &trainer{lastStep: c.lastStep, patience: patience}
		equal(t, c.name, trainer.worthWaiting(c.started), c.want)
	}
}

// Trainings, one of which is interrupted and gone on with, and readers of their histories in one
// process change nothing in each other: the weights are those of trainings alone. Under the race
// detector it's the test of what they share.
func TestTrainingsTogetherEqualTrainingsAlone(t *testing.T) {
	config := tinyConfig()
	config.Training.Epochs = 2
	want := undisturbed(t, config).StateSHA256
	directories := []string{t.TempDir(), t.TempDir()}
	var work sync.WaitGroup
	for i, directory := range directories {
		run := openRun(t, directory, config)
		done := make(chan struct{})
		work.Go(func() {
			defer close(done)
			if i > 0 {
				stopAt(t, run, 3)
			}
			if err := run.Train(context.Background(), func(Update) {}); err != nil {
				t.Error(err)
			}
		})
		work.Go(func() { follow(t, run, done) })
	}
	work.Wait()
	for _, directory := range directories {
		equal(t, "weights next to another training",
			trainedCard(t, openRun(t, directory, config)).StateSHA256, want)
	}
}

// follow reads the history of a training until it's done, as a live view does.
func follow(t *testing.T, run *Run, done <-chan struct{}) {
	for epochs := 0; ; {
		history, err := run.History()
		if err != nil || len(history) < epochs {
			t.Errorf("%d epochs after %d, error %v", len(history), epochs, err)
		}
		epochs = len(history)
		select {
		case <-done:
			return
		default:
		}
	}
}
