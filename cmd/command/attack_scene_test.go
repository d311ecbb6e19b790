//go:build attack

package command

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

// What the commands of the attacks have in common: a network that trains in a second.
var (
	briefNetwork = []string{"--preset", "allcnnc-shapes10", "--width", "4", "--train", "64",
		"--test", "40"}
	briefTraining = slices.Concat(briefNetwork, []string{"--keep-every", "2", "--no-test"})
	fogTest       = []string{"--suite", "fog", "--samples", "2", "--images", "20", "--json"}
	outsideTest   = []string{"--samples", "2", "--images", "20", "--outside", "blank", "--json"}
	cleanTest     = []string{"--clean", "--samples", "2", "--images", "10", "--json"}
	ownTraining   = []string{"train", "--data", "own", "--network", "allcnnc", "--width", "4",
		"--epochs", "1", "--batch", "8", "--no-test", "--json", "--runs", "own-runs"}
)

// smallFigure draws a figure of two networks that train in a second.
func smallFigure(number string, more ...string) []string {
	return slices.Concat([]string{"figure", number, "--scale", "smoke", "--epochs", "1", "--width",
		"4", "--train", "64", "--seeds", "1",
		"--samples", "1", "--runs", "figure-runs", "--out", "figures", "--json"}, more)
}

// Figure 3 shows what runs scored, Figure 4 what an image becomes by their implicit corruptions.
var (
	scoreFigure    = smallFigure("3", "--suite", "fog", "--images", "10")
	implicitFigure = smallFigure("4", "--images", "1")
)

// trainSeed trains the run of a seed.
func trainSeed(seed, epochs int) []string {
	return slices.Concat([]string{"train"}, briefTraining,
		[]string{"--epochs", strconv.Itoa(epochs), "--seed", strconv.Itoa(seed), "--json"})
}

// Epochs of the runs. The unfinished one has more left than a command needs to be interrupted.
const (
	finishedEpochs = 4
	stoppedEpochs  = 8
	stoppedSeed    = 3
)

// scene is a folder with everything that the program writes: two finished runs, an unfinished one,
// an ensemble, corrupted images, saved predictions, exported weights, own images, figures.
type scene struct {
	folder        string
	first, second string // names of the finished runs
	stopped       string // name of the unfinished run
	ensemble, own string // names of an ensemble and of a run on own images
}

// succeed runs a command that must end well.
func succeed(t *testing.T, arguments ...string) string {
	t.Helper()
	return wantStatus(t, exitDone, "", arguments...)
}

// newScene makes a scene. Commands find the data set of own images in the folder they run in.
func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{folder: t.TempDir()}
	addBlank(t)
	testkit.NoError(t, os.CopyFS(filepath.Join(s.folder, "own-data"),
		os.DirFS(os.Getenv("NBBNN_DATA"))))
	t.Setenv("NBBNN_DATA", "own-data")
	t.Chdir(s.folder)
	s.first, s.second = cardOf(t, trainSeed(1, finishedEpochs)...).Run,
		cardOf(t, trainSeed(2, finishedEpochs)...).Run
	for _, command := range [][]string{
		slices.Concat([]string{"evaluate", s.first, s.second}, fogTest),
		slices.Concat([]string{"evaluate", "--ensemble", s.first, s.second}, fogTest),
		slices.Concat([]string{"evaluate", s.first, s.second}, outsideTest),
		{"runs", "name", s.first, "the-first"},
		{"runs", "name", s.second, "the-second"},
		{"corrupt", "make", "--data", "shapes10", "--suite", "fog", "--images", "40", "--seed", "3",
			"--out", "fog-c"},
		slices.Concat([]string{"evaluate", s.first, "--save", "predictions"}, fogTest),
		{"weights", "export", s.first, "weights.safetensors"},
		scoreFigure,
		implicitFigure,
	} {
		succeed(t, command...)
	}
	s.ensemble = filepath.Base(s.one(t, "runs/ensemble-*"))
	s.trainHalf(t)
	s.addOwn(t)
	return s
}

// one returns the first path in the scene that matches a pattern, and fails if there is none.
func (s *scene) one(t *testing.T, pattern string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(s.folder, pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("the scene has no %s: %v", pattern, err)
	}
	inside := testkit.Must(filepath.Rel(s.folder, paths[0]))(t)
	return inside
}

// trainHalf makes the unfinished run: a training that is interrupted after two epochs.
func (s *scene) trainHalf(t *testing.T) {
	t.Helper()
	config := readArguments(t, append(slices.Clone(briefNetwork), "--epochs",
		strconv.Itoa(stoppedEpochs), "--seed", strconv.Itoa(stoppedSeed))...)
	run := testkit.Must(nbbnn.Open("runs", config))(t)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	err := run.TrainWith(ctx, nbbnn.TrainOptions{KeepEvery: 2, Progress: func(u nbbnn.Update) {
		if u.Epoch == 3 {
			interrupt()
		}
	}})
	if !errors.Is(err, nbbnn.ErrStopped) {
		t.Fatalf("error %v, want %v", err, nbbnn.ErrStopped)
	}
	s.stopped = config.RunName()
}

// addOwn makes pictures, a data set of them with a run, and corrupted images without a manifest
// that a run was tested on.
func (s *scene) addOwn(t *testing.T) {
	t.Helper()
	drawFolder(t, "pictures", 10)
	succeed(t, "data", "add", "own", "pictures", "--size", "24")
	s.own = cardOf(t, ownTraining...).Run
	copyTree(t, "fog-c", "own-c")
	testkit.NoError(t, os.Remove("own-c/manifest.json"))
	copyTree(t, s.run(s.first), filepath.Join("own-c-runs", s.first))
	succeed(t, s.ownSetTest()...)
}

// ownSetTest tests a run on the corrupted images without a manifest.
func (s *scene) ownSetTest() []string {
	return slices.Concat([]string{"evaluate", s.first, "--runs", "own-c-runs", "--corrupted",
		"own-c"}, fogTest)
}

// run returns the folder of a run.
func (s *scene) run(name string) string { return filepath.Join("runs", name) }

// inRun returns the paths of files of a run.
func (s *scene) inRun(name string, files ...string) (paths []string) {
	for _, file := range files {
		paths = append(paths, filepath.Join("runs", name, file))
	}
	return paths
}

// copyTree copies a file or a folder with everything in it.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	testkit.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
	if info, err := os.Stat(from); err == nil && !info.IsDir() {
		data, err := os.ReadFile(from)
		testkit.NoError(t, errors.Join(err, os.WriteFile(to, data, 0o644)))
		return
	}
	testkit.NoError(t, os.CopyFS(to, os.DirFS(from)))
}

// copyParts makes a new folder with parts of the scene, and enters it.
func (s *scene) copyParts(t *testing.T, parts []string) {
	t.Helper()
	place := t.TempDir()
	t.Chdir(place)
	for _, part := range parts {
		copyTree(t, filepath.Join(s.folder, part), part)
	}
}

// leftovers returns the temporary files below the current folder.
func leftovers() (paths []string) {
	_ = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".tmp") {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}
