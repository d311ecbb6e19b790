package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/nbbnn/workbench/internal/commandline"
)

// What the runs of the attacks have in common: a network that trains in a second.
var (
	training   = []string{"--preset", "allcnnc-shapes10", "--width", "4", "--train", "64", "--test", "40", "--keep-every", "2", "--no-test"}
	evaluation = []string{"--suite", "fog", "--samples", "2", "--images", "20"}
	outside    = []string{"--samples", "2", "--images", "20", "--outside", "shapes10-bright"}
	clean      = []string{"--clean", "--samples", "2", "--images", "10", "--json"}
)

// Folders of a scene.
const (
	runsFolder        = "runs"
	setFolder         = "fog-c"
	predictionsFolder = "predictions"
	weightsFile       = "weights.safetensors"
)

// scene is a folder with everything that the program writes: two finished runs, an unfinished one,
// an ensemble, corrupted images, saved predictions and exported weights.
type scene struct {
	program  program
	folder   string
	finished [2]string   // names of the runs, of seeds 1 and 2
	stopped  string      // name of the unfinished run, of seed 3
	ensemble string      // name of its directory
	own      string      // name of the run on a user's own data set, see addOwn
	drawn    [2]string   // folders of the runs of figures, see drawFigures
	implicit [2][]string // files of their implicit corruptions
}

// trainFlags returns the command that trains the run of a seed.
func trainFlags(seed, epochs int) []string {
	return slices.Concat([]string{"train"}, training, []string{"--epochs", strconv.Itoa(epochs), "--seed", strconv.Itoa(seed), "--json"})
}

// Epochs of the runs. The unfinished one has more left than a command needs to be interrupted.
const (
	finishedEpochs = 4
	stoppedEpochs  = 8
	stoppedSeed    = 3
)

// newScene makes a scene in an empty folder.
func newScene(ctx context.Context, p program, folder string) (*scene, error) {
	s := &scene{program: p, folder: folder}
	for i := range s.finished {
		name, err := s.train(ctx, i+1)
		if err != nil {
			return nil, err
		}
		s.finished[i] = name
	}
	first, both := s.finished[0], s.finished[:]
	for _, command := range [][]string{
		slices.Concat([]string{"evaluate"}, both, evaluation),
		slices.Concat([]string{"evaluate", "--ensemble"}, both, evaluation),
		slices.Concat([]string{"evaluate"}, both, outside),
		{"runs", "name", first, "the-first", "--tag", "tagged"},
		{"runs", "name", both[1], "the-second", "--tag", "other"},
		{"corrupt", "make", "--data", "shapes10", "--suite", "fog", "--images", "40", "--seed", "3", "--out", setFolder},
		slices.Concat([]string{"evaluate", first, "--save", predictionsFolder}, evaluation),
		{"export", first, weightsFile},
	} {
		if _, err := p.succeed(ctx, folder, command...); err != nil {
			return nil, err
		}
	}
	ensembles, err := filepath.Glob(filepath.Join(folder, runsFolder, "ensemble-*"))
	if err != nil || len(ensembles) != 1 {
		return nil, fmt.Errorf("attack: %d ensembles in %s, want 1", len(ensembles), folder)
	}
	s.ensemble = filepath.Base(ensembles[0])
	return s, s.trainHalf(ctx)
}

// train trains the run of a seed to its end and returns its name.
func (s *scene) train(ctx context.Context, seed int) (string, error) {
	got, err := s.program.succeed(ctx, s.folder, trainFlags(seed, finishedEpochs)...)
	if err != nil {
		return "", err
	}
	return runOf(got)
}

// trainHalf makes the unfinished run: a training that is interrupted after two epochs.
func (s *scene) trainHalf(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	command := s.program.command(ctx, s.folder, trainFlags(stoppedSeed, stoppedEpochs)...)
	if err := command.Start(); err != nil {
		return err
	}
	for s.stopped == "" && ctx.Err() == nil {
		time.Sleep(2 * time.Millisecond)
		s.stopped = s.begun()
	}
	if err := command.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	_ = command.Wait() // its status is looked at
	if status := command.ProcessState.ExitCode(); status != commandline.Stopped {
		return fmt.Errorf("attack: the interrupted training ended with %d, want %d", status, commandline.Stopped)
	}
	return nil
}

// begun returns the name of a run without a card that has recorded two epochs, "" if there is none.
func (s *scene) begun() string {
	histories, _ := filepath.Glob(filepath.Join(s.folder, runsFolder, "*", "train.jsonl")) // the pattern is correct
	for _, path := range histories {
		name := filepath.Base(filepath.Dir(path))
		data, err := os.ReadFile(path)
		const lines = 3 // the state before training comes first
		if err == nil && !slices.Contains(s.finished[:], name) && bytes.Count(data, []byte("\n")) >= lines {
			return name
		}
	}
	return ""
}

// inRun returns the path of a file of a run, inside the scene.
func inRun(name, file string) string { return filepath.Join(runsFolder, name, file) }

// copyTree copies a folder with everything in it, except locks.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, inside)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o644)
	})
}

// leftovers returns the temporary files below a folder.
func leftovers(folder string) (paths []string) {
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && filepath.Ext(path) == ".tmp" {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}
