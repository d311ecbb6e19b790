package sweep

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

func opened(t *testing.T, m *Manifest, runs string, index int) *Point {
	t.Helper()
	return testkit.Must(m.Open(runs, index))(t)
}

func done(t *testing.T, m *Manifest, runs string, index int) *Point {
	t.Helper()
	point := opened(t, m, runs, index)
	testkit.NoError(t, point.Do(t.Context(), nbbnn.TrainOptions{}))
	return point
}

func statusOf(t *testing.T, m *Manifest, runs string) Status {
	t.Helper()
	return testkit.Must(m.Status(runs))(t)
}

// stop does a point until the first step of an epoch, counted from 1.
func stop(t *testing.T, point *Point, epoch int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := point.Do(ctx, nbbnn.TrainOptions{Progress: func(u nbbnn.Update) {
		if u.Epoch == epoch {
			cancel()
		}
	}})
	if !errors.Is(err, nbbnn.ErrStopped) {
		t.Fatalf("error %v, want %v", err, nbbnn.ErrStopped)
	}
}

// Every state is told apart, and a failure is shown until the point is done.
func TestStatus(t *testing.T) {
	m, runs := planned(t, product()), t.TempDir()
	done(t, m, runs, 0)
	stop(t, opened(t, m, runs, 1), 2)
	stop(t, opened(t, m, runs, 4), 1)
	held := opened(t, m, runs, 2)
	testkit.NoError(t, os.MkdirAll(held.Run.Directory(), 0o755))
	unlock := testkit.Must(files.Lock(filepath.Join(held.Run.Directory(), "lock")))(t)
	defer unlock()
	locked := held.Do(t.Context(), nbbnn.TrainOptions{})
	if !errors.Is(locked, nbbnn.ErrLocked) {
		t.Errorf("while another process holds it: error %v, want %v", locked, nbbnn.ErrLocked)
	}
	if held.Record(locked); readFailure(runs, filepath.Base(held.Run.Directory())) != nil {
		t.Error("a point that another process works on has failed")
	}
	opened(t, m, runs, 3).Record(errors.New("first\nthe disk is full"))
	status := statusOf(t, m, runs)
	for i, want := range []State{Done, Stopped, Running, Failed, Stopped, Waiting} {
		if got := status.Points[i].State; got != want {
			t.Errorf("point %d is %s, want %s", i, got, want)
		}
	}
	if got, want := status.String(),
		"6 points: 1 done, 1 running, 2 stopped, 1 failed, 1 waiting"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := status.Points[1].Epoch; got != 1 {
		t.Errorf("the stopped point is at epoch %d, want 1", got)
	}
	if got := status.Points[2].Holder; got != "process "+strconv.Itoa(os.Getpid()) {
		t.Errorf("the holder is %q", got)
	}
	if got := status.Points[3].Failure; got == nil || got.Error != "the disk is full" || got.Never {
		t.Errorf("the failure is %+v", got)
	}
	if status.Left() <= 0 {
		t.Error("the time that is left is unknown, though a point is done and another runs")
	}
	done(t, m, runs, 3)
	if got := statusOf(t, m, runs).Points[3]; got.State != Done || got.Failure != nil {
		t.Errorf("after success the point is %+v", got)
	}
}

// A point without weights is done by its card alone; one with weights needs its cells, which a
// change of a corruption's Version makes useless.
func TestDone(t *testing.T) {
	m, runs := planned(t, product()), t.TempDir()
	point := done(t, m, runs, 0)
	testkit.NoError(t, os.Remove(filepath.Join(point.Run.Directory(), "cells.csv")))
	if opened(t, m, runs, 0).Done() {
		t.Error("the point is done without its cells")
	}
	for _, name := range []string{"checkpoint", "cells.csv", "bins.csv", "train.jsonl"} {
		testkit.NoError(t, os.RemoveAll(filepath.Join(point.Run.Directory(), name)))
	}
	if !opened(t, m, runs, 0).Done() {
		t.Error("the point isn't done")
	}
	another := tinyEvaluation
	another.Images = 5
	wider := testkit.Must(New(product(), &another))(t)
	if opened(t, wider, runs, 0).Done() {
		t.Error("the point is done by an evaluation on other images")
	}
}

// A run's directory that a newer version wrote stays as it is.
func TestNewerRunIsRefused(t *testing.T) {
	m, runs := planned(t, product()), t.TempDir()
	directory := filepath.Join(runs, m.RunName(0))
	testkit.NoError(t, os.Mkdir(directory, 0o755))
	path, text := filepath.Join(directory, "config.json"), []byte(`{"format": 9, "seed": 1}`)
	testkit.NoError(t, os.WriteFile(path, text, 0o644))
	_, err := m.Open(runs, 0)
	if !errors.Is(err, ErrNever) || !strings.Contains(err.Error(), "format") {
		t.Errorf("error %v, want one with the key that wraps ErrNever", err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, text) {
		t.Errorf("config.json is %q (%v), want %q", got, err, text)
	}
}

// A loss that isn't finite is the same the next time.
func TestInfiniteLossIsFinal(t *testing.T) {
	config := tinyConfig()
	config.Training.LearningRate, config.Training.Epochs = 1e30, 3
	m, runs := planned(t, []nbbnn.Config{config}), t.TempDir()
	point := opened(t, m, runs, 0)
	if err := point.Do(t.Context(), nbbnn.TrainOptions{}); !errors.Is(err, ErrNever) {
		t.Errorf("error %v, want one that wraps ErrNever", err)
	}
	if got := statusOf(t, m, runs).Points[0]; got.State != Failed || !got.Failure.Never {
		t.Errorf("the point is %+v, want failed forever", got)
	}
}
