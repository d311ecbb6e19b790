package nbbnn

import (
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// predicted returns a run's predictions of its clean test images.
func predicted(t *testing.T, run *Run, evaluation Evaluation) score.Prediction {
	t.Helper()
	prediction, _, err := run.Predict(t.Context(), evaluation, score.Clean, 0)
	if err != nil {
		t.Fatal(err)
	}
	return prediction
}

// The samples of a prediction are what the method has: one network, or draws of the weights.
func TestSamplesOfMethods(t *testing.T) {
	mean := Evaluation{Images: 4, Latents: MeanLatents}
	for _, c := range []struct {
		method     Method
		evaluation Evaluation
		samples    int
		differ     bool // between the samples
	}{
		{Method{Name: baseline.MAP}, Evaluation{Images: 4, Samples: 3}, 1, false},
		{Method{Name: baseline.SAM}, Evaluation{Images: 4, Samples: 3}, 1, false},
		{Method{Name: baseline.SWAG}, Evaluation{Images: 4, Samples: 3}, 3, true},
		{Method{Name: baseline.SWAG}, mean, 1, false},
		{Method{Name: baseline.CSGHMC, Cycles: 2, Snapshots: 2}, Evaluation{Images: 4, Samples: 3}, 3, true},
		{Method{Name: baseline.CSGHMC, Cycles: 2, Snapshots: 2}, Evaluation{Images: 4}, 4, true},
		{Method{Name: baseline.MCDropout}, Evaluation{Images: 4, Samples: 3}, 3, true},
		{Method{Name: baseline.MCDropout}, Evaluation{Images: 4, Latents: OneLatents}, 1, false},
		{Method{Name: baseline.DAMP}, Evaluation{Images: 4, Samples: 3}, 1, false},
	} {
		config := methodConfig(c.method)
		run := openRun(t, t.TempDir(), config)
		train(t, run)
		prediction := predicted(t, run, c.evaluation)
		if prediction.Samples != c.samples {
			t.Errorf("%s has %d samples for %+v, want %d", c.method.Name, prediction.Samples, c.evaluation, c.samples)
		}
		first, last := prediction.Image(0)[:prediction.Classes], prediction.Image(0)[(c.samples-1)*prediction.Classes:]
		if differ := !slices.Equal(first, last); differ != c.differ {
			t.Errorf("%s: samples differ is %t, want %t", c.method.Name, differ, c.differ)
		}
		again := predicted(t, run, c.evaluation)
		if !slices.Equal(prediction.LogProbabilities, again.LogProbabilities) {
			t.Errorf("%s: the same call predicts something else", c.method.Name)
		}
	}
}

// An evaluation keeps the running statistics of its draws. Another one reads them, unless they
// belong to other weights, and a prediction is the same with them.
func TestStatisticsOfDrawsAreKept(t *testing.T) {
	run := openRun(t, t.TempDir(), methodConfig(Method{Name: baseline.SWAG}))
	train(t, run)
	first := Evaluation{Suite: "fog", Images: 4, Samples: 2}
	before := predicted(t, run, first)
	if exists(run.path("statistics")) {
		t.Error("a prediction keeps statistics")
	}
	passes := func(evaluation Evaluation) (samples []int) {
		_, err := run.Evaluate(t.Context(), evaluation, func(u Update) {
			if u.Phase == "draw" && !slices.Contains(samples, u.Sample) {
				samples = append(samples, u.Sample)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return samples
	}
	if got := passes(first); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("the first evaluation passes over the training images for the draws %v, want 1 and 2", got)
	}
	second := Evaluation{Suite: "snow", Images: 4, Samples: 3}
	if got := passes(second); !slices.Equal(got, []int{3}) {
		t.Errorf("the second evaluation does for the draws %v, want 3 alone", got)
	}
	if got := passes(Evaluation{Suite: "fog", Images: 4, Samples: 2, Seed: 1}); len(got) != 2 {
		t.Errorf("with another seed it does for the draws %v, want both", got)
	}
	_, err := run.EvaluateOutside(t.Context(), "shapes10-bright", Evaluation{Images: 4, Samples: 2, Seed: 9}, nil)
	if kept := (statistics{directory: run.path("statistics")}).path("seed9-sample0"); err != nil || !exists(kept) {
		t.Errorf("a test of images from outside kept no statistics in %s (%v)", kept, err)
	}
	if after := predicted(t, run, first); !slices.Equal(before.LogProbabilities, after.LogProbabilities) {
		t.Error("with the kept statistics the prediction is another")
	}
	path := statistics{directory: run.path("statistics")}.path("seed0-sample0")
	tensors, _, err := safetensors.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	tensors[0].Data = make([]byte, len(tensors[0].Data))
	if err := safetensors.Write(path, tensors, map[string]string{statisticsWeights: "other"}); err != nil {
		t.Fatal(err)
	}
	if after := predicted(t, run, first); !slices.Equal(before.LogProbabilities, after.LogProbabilities) {
		t.Error("a prediction takes the statistics of other weights")
	}
}

// A kept checkpoint from before SWAG has two snapshots can't be evaluated, and latents that a
// method doesn't have can't be fixed.
func TestEvaluationsThatAMethodRefuses(t *testing.T) {
	run := openRun(t, t.TempDir(), methodConfig(Method{Name: baseline.SWAG, Start: 1}))
	if err := run.TrainWith(t.Context(), TrainOptions{KeepEvery: 1}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		evaluation Evaluation
		want       string
	}{
		{Evaluation{Epoch: 2}, "swag has the weights of 1 of the two epochs that a covariance needs: take an epoch after 2"},
		{Evaluation{Latents: OneLatents}, `latents "ones" can't be fixed in a network of the method swag`},
	} {
		_, err := run.Evaluate(t.Context(), c.evaluation, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.evaluation, err, c.want)
		}
	}
}

// Before the end of its first cycle csghmc has no sample, and after it fewer than at the end.
func TestKeptCheckpointsOfCSGHMC(t *testing.T) {
	run := openRun(t, t.TempDir(), methodConfig(Method{Name: baseline.CSGHMC, Cycles: 2}))
	if err := run.TrainWith(t.Context(), TrainOptions{KeepEvery: 1}); err != nil {
		t.Fatal(err)
	}
	_, err := run.Evaluate(t.Context(), Evaluation{Epoch: 1}, nil)
	if want := "take an epoch from 2"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
	if got := predicted(t, run, Evaluation{Epoch: 3, Images: 4}).Samples; got != 1 {
		t.Errorf("%d samples after epoch 3, want 1", got)
	}
	kept := Evaluation{Suite: "fog", Epoch: 3, Images: 4} // asks for 32 samples
	for _, evaluated := range []bool{false, true} {
		cells, err := run.EvaluateWith(t.Context(), kept, EvaluateOptions{Progress: func(Update) {
			if evaluated {
				t.Error("the cells are computed again")
			}
		}})
		if err != nil || len(cells) != 6 || cells[5].Images != 4 || cells[5].Samples != 1 {
			t.Fatalf("cells %+v, error %v, want 6 of 4 images with 1 sample", cells, err)
		}
	}
	if again, err := run.Cells(kept); err != nil || len(again) != 6 || !run.Evaluated(kept) {
		t.Errorf("%d cells are found, error %v, want 6", len(again), err)
	}
}

// An ensemble of runs of a method, such as multi-SWAG, averages all their samples.
func TestEnsembleOfAMethod(t *testing.T) {
	directory, evaluation := t.TempDir(), Evaluation{Suite: "fog", Images: 4, Samples: 2}
	for _, method := range []Method{{Name: baseline.MAP}, {Name: baseline.SWAG}} {
		var members []*Run
		var all []score.Prediction
		for seed := range uint64(2) {
			config := methodConfig(method)
			config.Seed = seed
			run := openRun(t, directory, config)
			train(t, run)
			members, all = append(members, run), append(all, predicted(t, run, evaluation))
		}
		ensemble, err := OpenEnsemble(directory, members...)
		if err != nil {
			t.Fatal(err)
		}
		cells, err := ensemble.Evaluate(t.Context(), evaluation, nil)
		if err != nil {
			t.Fatal(err)
		}
		joined, err := score.JoinPredictions(all...)
		if err != nil {
			t.Fatal(err)
		}
		_, labels, err := members[0].Predict(t.Context(), evaluation, score.Clean, 0)
		if err != nil {
			t.Fatal(err)
		}
		want, err := joined.Cell(score.Condition{Corruption: score.Clean}, labels)
		if err != nil {
			t.Fatal(err)
		}
		if got := cells[0]; got.NLL-want.NLL > 1e-6 || want.NLL-got.NLL > 1e-6 {
			t.Errorf("%s: the ensemble has NLL %g, its members' samples together %g", method.Name, got.NLL, want.NLL)
		}
		other := methodConfig(method)
		other.Data.Test++
		if _, err := OpenEnsemble(directory, members[0], openRun(t, directory, other)); err == nil {
			t.Errorf("%s: an ensemble of runs with other images opens", method.Name)
		}
	}
}
