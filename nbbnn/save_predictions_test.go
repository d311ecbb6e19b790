package nbbnn

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Saved predictions with their samples give the cells of the evaluation, for a list of corruptions.
func TestSavedPredictionsGiveTheCells(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	folder := filepath.Join(t.TempDir(), "new", "predictions")
	evaluation := Evaluation{Suite: "fog,contrast", Samples: 2, Images: 4}
	cells := testkit.Must(run.EvaluateWith(t.Context(), evaluation, EvaluateOptions{Save: folder,
		SaveSamples: true}))(t)
	if len(cells) != 11 {
		t.Errorf("%d cells, want the clean one and two corruptions with five severities",
			len(cells))
	}
	weights := testkit.Must(run.WeightsSHA256(0))(t)
	for _, want := range cells {
		saved := testkit.Must(score.ReadSaved((&saver{folder: folder}).path(want.Condition())))(t)
		if got, err := saved.Cell(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("the saved predictions give %+v (%v), want %+v", got, err, want)
		}
		if saved.Run != filepath.Base(run.directory) || saved.Weights[0] != weights ||
			saved.Indices[3] != 3 || saved.Part != "test" {
			t.Errorf("the file says %+v", saved.SavedInfo)
		}
	}
}

// modified returns when each file of a folder was written.
func modified(t *testing.T, folder string) map[string]int64 {
	t.Helper()
	entries := testkit.Must(os.ReadDir(folder))(t)
	times := map[string]int64{}
	for _, entry := range entries {
		info := testkit.Must(entry.Info())(t)
		times[entry.Name()] = info.ModTime().UnixNano()
	}
	return times
}

// A stopped evaluation continues with the files that are missing; cells that are there aren't added
// again.
func TestSavingContinues(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	folder := t.TempDir()
	evaluation := Evaluation{Suite: "fog,contrast", Samples: 2, Images: 4}
	cells := testkit.Must(run.Evaluate(t.Context(), evaluation, nil))(t)
	options := EvaluateOptions{Save: folder}
	stopAfter(t, run, evaluation, options, 4)
	before := modified(t, folder)
	if len(before) != 4 {
		t.Fatalf("%d files after 4 cells", len(before))
	}
	again, err := run.EvaluateWith(t.Context(), evaluation, options)
	if err != nil || !reflect.DeepEqual(again, cells) {
		t.Errorf("the cells are others, or error %v", err)
	}
	after := modified(t, folder)
	for name, at := range before {
		if after[name] != at {
			t.Errorf("%s was written again", name)
		}
	}
	if _, err := run.EvaluateWith(t.Context(), evaluation, options); err != nil ||
		!reflect.DeepEqual(modified(t, folder), after) {
		t.Errorf("the third time writes files (%v)", err)
	}
	options.SaveSamples = true // which the files lack
	testkit.Must(run.EvaluateWith(t.Context(), evaluation, options))(t)
	if fog, err := score.ReadSaved(filepath.Join(folder, "fog-5.npz")); err != nil ||
		fog.LogSamples == nil {
		t.Errorf("no samples (%v), want them", err)
	}
	evaluation.Seed = 1
	refused(t, "another evaluation", "choose another folder")(run.EvaluateWith(t.Context(),
		evaluation, options))
	refused(t, "no folder", "--save")(run.EvaluateWith(t.Context(), evaluation,
		EvaluateOptions{SaveSamples: true}))
}

// A damaged file among those that are there already is an error of the same call.
func TestDamagedPredictionsAreNoticed(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	evaluation, options := Evaluation{Suite: "fog", Samples: 2, Images: 4},
		EvaluateOptions{Save: t.TempDir()}
	testkit.Must(run.EvaluateWith(t.Context(), evaluation, options))(t)
	path := filepath.Join(options.Save, "fog-2.npz")
	sound := testkit.Must(os.ReadFile(path))(t)
	for _, array := range []string{"info.json", "probabilities.npy", "labels.npy", "indices.npy",
		"log_probabilities.npy"} {
		damaged := bytes.Clone(sound)
		// behind the header of an array
		damaged[bytes.Index(sound, []byte(array))+len(array)+130] ^= 1
		testkit.NoError(t, os.WriteFile(path, damaged, 0o644))
		refused(t, "EvaluateWith", path+" holds no saved predictions")(run.EvaluateWith(t.Context(),
			evaluation, options))
	}
	testkit.NoError(t, os.Remove(path))
	testkit.Must(run.EvaluateWith(t.Context(), evaluation, options))(t)
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, sound) {
		t.Errorf("the file isn't written again as it was (%v)", err)
	}
}

// The predictions of an ensemble name the weights of all members; those of a part have its places.
func TestSavedPredictionsOfEnsemblesAndParts(t *testing.T) {
	first, second := twoRuns(t, t.TempDir())
	ensemble := testkit.Must(OpenEnsemble(t.TempDir(), first, second))(t)
	folder := t.TempDir()
	evaluation := Evaluation{Suite: "fog", Samples: 2, Images: 2}
	testkit.Must(ensemble.EvaluateWith(t.Context(), evaluation, EvaluateOptions{Save: folder,
		SaveSamples: true}))(t)
	saved := testkit.Must(score.ReadSaved(filepath.Join(folder, "clean-0.npz")))(t)
	if len(saved.Weights) != 2 || saved.Samples != 4 || !strings.HasPrefix(saved.Run, "ensemble-") {
		t.Errorf("the file says %+v, want two networks with two samples each", saved.SavedInfo)
	}
	config := tinyConfig()
	config.Data.Validation = 10
	run := trainedRun(t, t.TempDir(), config)
	folder = t.TempDir()
	testkit.Must(run.EvaluateWith(t.Context(), Evaluation{Samples: 2, Part: ValidationPart},
		EvaluateOptions{Save: folder}))(t)
	saved = testkit.Must(score.ReadSaved(filepath.Join(folder, "clean-0.npz")))(t)
	data := testkit.Must(openParts(t.Context(), Data{Name: config.Data.Name,
		Train: config.Data.Train, Test: config.Data.Test, Seed: config.Data.Seed}))(t)
	for i, place := range saved.Indices {
		if data.Train.Labels[place] != saved.Labels[i] {
			t.Errorf("image %d, at place %d of the training images, has the label %d, want %d", i,
				place, saved.Labels[i], data.Train.Labels[place])
		}
	}
}
