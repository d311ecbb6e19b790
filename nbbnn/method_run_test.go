package nbbnn

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// methodConfig is a tiny network with batch normalisation, trained by a method for 4 epochs of 3
// steps.
func methodConfig(method Method) Config {
	config := tinyConfig()
	config.Network = Network{Name: "resnet18", Width: 2}
	config.Data.Train, config.Training.Batch, config.Training.Epochs = 12, 4, 4
	return config.With(method)
}

// methodsTested are all methods, with options if a training of 4 epochs can't have the published
// ones or there are several ways.
var methodsTested = withOthers([]Method{
	{Name: baseline.ASAM, BothPasses: true},
	{Name: baseline.SWAG, Start: 1, Rank: 2},
	{Name: baseline.SWAG, Diagonal: true},
	{Name: baseline.CSGHMC, Cycles: 2},
	{Name: baseline.DAMP, SubBatches: 4},
})

// withOthers adds each method that isn't listed, so that a new one is tested.
func withOthers(listed []Method) []Method {
	for _, name := range methods.Names() {
		if !slices.ContainsFunc(listed, func(m Method) bool { return string(m.Name) == name }) {
			listed = append(listed, Method{Name: baseline.Name(name)})
		}
	}
	return listed
}

// A run of any method that is stopped and continued ends with the same weights, bit for bit, as one
// that wasn't; its card names the method, and both predict the same.
func TestMethodsContinueBitForBit(t *testing.T) {
	for _, method := range methodsTested {
		t.Run(string(method.Name), func(t *testing.T) {
			config := methodConfig(method)
			whole, run := openRun(t, t.TempDir(), config), openRun(t, t.TempDir(), config)
			want := trainedCard(t, whole)
			for _, step := range []int{2, 6, 10} {
				stopAt(t, run, step)
			}
			got := trainedCard(t, run)
			equal(t, "weights after three stops", got.StateSHA256, want.StateSHA256)
			if got.Method != string(method.Name) {
				t.Errorf("the card names the method %q, want %q", got.Method, method.Name)
			}
			clean := Evaluation{Images: 4, Samples: 2}
			if !slices.Equal(predicted(t, run, clean).LogProbabilities,
				predicted(t, whole, clean).LogProbabilities) {
				t.Error("after three stops the predictions are others")
			}
		})
	}
}

// Every method trains a network without batch normalisation, too, and predicts with it.
func TestMethodsTrainOtherNetworks(t *testing.T) {
	for _, method := range methodsTested {
		config := tinyConfig()
		config.Network = Network{Name: "allcnnc", Width: 2}
		config.Data.Train, config.Training.Batch = 16, 8
		config.Training.Epochs = 1
		switch method.Name {
		case baseline.SWAG: // needs two epochs after the first
			config.Training.Epochs, method.Start = 3, 1
		case baseline.CSGHMC:
			method.Cycles = 1
		case "cosine": // begins with all of gamma
			config.Training.Epochs = 2
		}
		run := trainedRun(t, t.TempDir(), config.With(method))
		history, err := run.History()
		if err != nil || len(history) != config.Training.Epochs+1 || !(history[1].NLL > 0) {
			t.Fatalf("%s: the history is %+v (%v), want %d epochs with a loss", method.Name,
				history, err, config.Training.Epochs)
		}
		for _, p := range predicted(t, run, Evaluation{Images: 4, Samples: 2}).LogProbabilities {
			if !(p <= 1e-6) || math.IsInf(float64(p), 0) {
				t.Errorf("%s: log-probability %v", method.Name, p)
			}
		}
	}
}

// predicted returns a run's predictions of its clean test images.
func predicted(t *testing.T, run *Run, evaluation Evaluation) score.Prediction {
	t.Helper()
	prediction, _, err := run.Predict(t.Context(), evaluation, score.Clean, 0)
	testkit.NoError(t, err)
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
		{Method{Name: baseline.CSGHMC, Cycles: 2, Snapshots: 2}, Evaluation{Images: 4, Samples: 3},
			3, true},
		{Method{Name: baseline.CSGHMC, Cycles: 2, Snapshots: 2}, Evaluation{Images: 4}, 4, true},
		{Method{Name: baseline.MCDropout}, Evaluation{Images: 4, Samples: 3}, 3, true},
		{Method{Name: baseline.MCDropout}, Evaluation{Images: 4, Latents: OneLatents}, 1, false},
		{Method{Name: baseline.DAMP}, Evaluation{Images: 4, Samples: 3}, 1, false},
	} {
		config := methodConfig(c.method)
		run := trainedRun(t, t.TempDir(), config)
		prediction := predicted(t, run, c.evaluation)
		if prediction.Samples != c.samples {
			t.Errorf("%s has %d samples for %+v, want %d", c.method.Name, prediction.Samples,
				c.evaluation, c.samples)
		}
		first, last := prediction.Image(0)[:prediction.Classes],
			prediction.Image(0)[(c.samples-1)*prediction.Classes:]
		equal(t, string(c.method.Name)+": samples differ", !slices.Equal(first, last), c.differ)
		again := predicted(t, run, c.evaluation)
		if !slices.Equal(prediction.LogProbabilities, again.LogProbabilities) {
			t.Errorf("%s: the same call predicts something else", c.method.Name)
		}
	}
}

// An evaluation keeps the running statistics of its draws. Another one reads them, unless they
// belong to other weights, and a prediction is the same with them.
func TestStatisticsOfDrawsAreKept(t *testing.T) {
	run := trainedRun(t, t.TempDir(), methodConfig(Method{Name: baseline.SWAG}))
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
		testkit.NoError(t, err)
		return samples
	}
	if got := passes(first); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("the first evaluation passes over the training images for the draws %v, want 1 "+
			"and 2", got)
	}
	second := Evaluation{Suite: "snow", Images: 4, Samples: 3}
	if got := passes(second); !slices.Equal(got, []int{3}) {
		t.Errorf("the second evaluation does for the draws %v, want 3 alone", got)
	}
	if got := passes(Evaluation{Suite: "fog", Images: 4, Samples: 2, Seed: 1}); len(got) != 2 {
		t.Errorf("with another seed it does for the draws %v, want both", got)
	}
	t.Setenv("NBBNN_DATA", t.TempDir())
	const side = 32
	blank := dataset.Images{Height: side, Width: side, Pixels: make([]uint8, 4*side*side*3),
		Labels: []uint8{0, 1, 0, 1}}
	testkit.Must(dataset.Add(t.Context(), dataset.Dataset{
		Name: "blank", Classes: []string{"dark", "bright"}, Train: blank, Test: blank,
	}, dataset.AddOptions{}))(t)
	_, err := run.EvaluateOutside(t.Context(), "blank", Evaluation{Images: 4, Samples: 2, Seed: 9},
		nil)
	if kept := run.path("statistics/seed9-sample0.safetensors"); err != nil || !exists(kept) {
		t.Errorf("a test of images from outside kept no statistics in %s (%v)", kept, err)
	}
	if after := predicted(t, run, first); !slices.Equal(before.LogProbabilities,
		after.LogProbabilities) {
		t.Error("with the kept statistics the prediction is another")
	}
	path := run.path("statistics/seed0-sample0.safetensors")
	tensors, _, err := safetensors.Read(path)
	testkit.NoError(t, err)
	tensors[0].Data = make([]byte, len(tensors[0].Data))
	testkit.NoError(t, safetensors.Write(path, tensors,
		map[string]string{"weights_sha256": "other"}))
	if after := predicted(t, run, first); !slices.Equal(before.LogProbabilities,
		after.LogProbabilities) {
		t.Error("a prediction takes the statistics of other weights")
	}
}

// A kept checkpoint from before SWAG has two snapshots can't be evaluated, and latents that a
// method doesn't have can't be fixed.
func TestEvaluationsThatAMethodRefuses(t *testing.T) {
	run := openRun(t, t.TempDir(), methodConfig(Method{Name: baseline.SWAG, Start: 1}))
	testkit.NoError(t, run.TrainWith(t.Context(), TrainOptions{KeepEvery: 1}))
	for _, c := range []struct {
		evaluation Evaluation
		want       string
	}{
		{Evaluation{Epoch: 2}, "swag has the weights of 1 of the two epochs that a covariance " +
			"needs: take an epoch after 2"},
		{Evaluation{Latents: OneLatents},
			`latents "ones" can't be fixed in a network of the method swag`},
	} {
		_, err := run.Evaluate(t.Context(), c.evaluation, nil)
		testkit.Error(t, fmt.Sprint(c.evaluation), err, c.want)
	}
}

// Before the end of its first cycle csghmc has no sample, and after it fewer than at the end.
func TestKeptCheckpointsOfCSGHMC(t *testing.T) {
	run := openRun(t, t.TempDir(), methodConfig(Method{Name: baseline.CSGHMC, Cycles: 2}))
	testkit.NoError(t, run.TrainWith(t.Context(), TrainOptions{KeepEvery: 1}))
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

// An ensemble of runs of a method, like multi-SWAG, averages all their samples.
func TestEnsembleOfAMethod(t *testing.T) {
	directory, evaluation := t.TempDir(), Evaluation{Suite: "fog", Images: 4, Samples: 2}
	for _, method := range []Method{{Name: baseline.MAP}, {Name: baseline.SWAG}} {
		var members []*Run
		var all []score.Prediction
		for seed := range uint64(2) {
			config := methodConfig(method)
			config.Seed = seed
			run := trainedRun(t, directory, config)
			members, all = append(members, run), append(all, predicted(t, run, evaluation))
		}
		ensemble := testkit.Must(OpenEnsemble(directory, members...))(t)
		cells := testkit.Must(ensemble.Evaluate(t.Context(), evaluation, nil))(t)
		joined := testkit.Must(score.JoinPredictions(all...))(t)
		_, labels, err := members[0].Predict(t.Context(), evaluation, score.Clean, 0)
		testkit.NoError(t, err)
		want := testkit.Must(joined.Cell(score.Condition{Corruption: score.Clean}, labels))(t)
		if got := cells[0]; got.NLL-want.NLL > 1e-6 || want.NLL-got.NLL > 1e-6 {
			t.Errorf("%s: the ensemble has NLL %g, its members' samples together %g", method.Name,
				got.NLL, want.NLL)
		}
	}
}
