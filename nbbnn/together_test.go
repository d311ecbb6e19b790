package nbbnn

import (
	"context"
	"errors"
	"sync"
	"testing"
)

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
				if err := trainUntil(t, run, 3); !errors.Is(err, ErrStopped) {
					t.Errorf("error %v, want %v", err, ErrStopped)
				}
			}
			if err := run.Train(context.Background(), func(Update) {}); err != nil {
				t.Error(err)
			}
		})
		work.Go(func() { follow(t, run, done) })
	}
	work.Wait()
	for _, directory := range directories {
		if got := trainedCard(t, openRun(t, directory, config)).StateSHA256; got != want {
			t.Errorf("weights %s next to another training, %s alone", got, want)
		}
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
