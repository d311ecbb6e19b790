package nbbnn

import (
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

func twoRuns(t *testing.T, directory string) (first, second *Run) {
	t.Helper()
	config := briefConfig()
	first = openRun(t, directory, config)
	config.Seed++
	second = openRun(t, directory, config)
	train(t, first)
	train(t, second)
	return first, second
}

// The ensemble of oracles.json: two members, each with two of three samples of four images.
func TestEnsembleAgreesWithOracle(t *testing.T) {
	// [samples, images, classes]
	logits := testkit.Oracle[[][][]float64](t, "metrics", "mixture", "logits_SNC")
	want := testkit.Oracle[[][]float64](t, "metrics", "ensemble", "mean_probs")
	var predictions []score.Prediction
	for _, samples := range testkit.Oracle[[][]int](t, "metrics", "ensemble", "members") {
		p := score.Prediction{Images: len(want), Samples: len(samples), Classes: len(want[0])}
		for image := range want {
			for _, sample := range samples {
				for _, l := range testkit.LogSoftmax(logits[sample][image]) {
					p.LogProbabilities = append(p.LogProbabilities, float32(l))
				}
			}
		}
		predictions = append(predictions, p)
	}
	joined := testkit.Must(score.JoinPredictions(predictions...))(t)
	for image := range want {
		var got []float64
		for _, l := range score.MeanPredictive(testkit.Flatten(joined.Image(image)),
			joined.Classes) {
			got = append(got, math.Exp(l))
		}
		near(t, "mean probabilities", got, want[image], 1e-6)
	}
}

// The cells of an ensemble are those of its members' joined predictions, and they're kept.
func TestEnsembleEvaluate(t *testing.T) {
	directory := t.TempDir()
	first, second := twoRuns(t, directory)
	ensemble := testkit.Must(OpenEnsemble(directory, second, first))(t)
	evaluation := Evaluation{Samples: 4, Images: 6}
	cells := testkit.Must(ensemble.Evaluate(t.Context(), evaluation, nil))(t)
	if len(cells) != 41 || cells[0].Samples != 8 {
		t.Fatalf("%d cells with %d samples, want 41 with 8", len(cells), cells[0].Samples)
	}
	gibbs := 0.0
	for _, member := range []*Run{first, second} {
		own := testkit.Must(member.Evaluate(t.Context(), evaluation, nil))(t)
		gibbs += own[0].GibbsNLL / 2
	}
	near(t, "Gibbs NLL, the mean of the members'", cells[0].GibbsNLL, gibbs, 1e-12)
	if cells[0].NLL > gibbs {
		t.Errorf("NLL %g of the average is above the members' mean %g", cells[0].NLL, gibbs)
	}
	swapped := testkit.Must(OpenEnsemble(directory, first, second))(t)
	again, err := swapped.Evaluate(t.Context(), evaluation, func(Update) {
		t.Error("it computes again")
	})
	if err != nil || !reflect.DeepEqual(again, cells) {
		t.Errorf("read again with the members swapped: error %v, the same cells: %v", err,
			reflect.DeepEqual(again, cells))
	}
}

// The last epoch by its number and the end of the training are one evaluation, computed once; so is
// what fixed latents would be of members that have none. An earlier epoch of one member is another.
func TestEnsembleFillsEvaluation(t *testing.T) {
	long, short := tinyConfig(), tinyConfig()
	short.Training.Epochs = long.Training.Epochs - 1
	ordinary := tinyConfig()
	ordinary.Posterior, ordinary.Objective = Posterior{Mode: Deterministic}, Objective{}
	for _, c := range []struct {
		name        string
		config      [2]Config
		given, want Evaluation
	}{
		{"last epoch of both", [2]Config{long, long}, Evaluation{Epoch: long.Training.Epochs},
			Evaluation{Samples: defaultEvaluationSamples}},
		{"last epoch of one", [2]Config{long, short}, Evaluation{Epoch: short.Training.Epochs},
			Evaluation{Samples: defaultEvaluationSamples, Epoch: short.Training.Epochs}},
		{"earlier epoch", [2]Config{long, long}, Evaluation{Epoch: 1},
			Evaluation{Samples: defaultEvaluationSamples, Epoch: 1}},
		{"fixed latents of ordinary networks", [2]Config{ordinary, ordinary},
			Evaluation{Latents: OneLatents}, Evaluation{Samples: 1}},
		{"fixed latents of one", [2]Config{ordinary, long}, Evaluation{Latents: OneLatents},
			Evaluation{Samples: 1, Latents: OneLatents}},
	} {
		t.Run(c.name, func(t *testing.T) {
			directory := t.TempDir()
			var members []*Run
			for i, config := range c.config {
				config.Seed += uint64(i)
				members = append(members, untrainedComplete(t, directory, config))
			}
			ensemble := testkit.Must(OpenEnsemble(directory, members...))(t)
			c.want.Suite = defaultSuite
			c.want.Samples *= 2 // of both members
			if got, err := ensemble.fill(c.given); err != nil || got != c.want {
				t.Errorf("%+v becomes %+v, error %v, want %+v", c.given, got, err, c.want)
			}
		})
	}
}

// untrainedComplete is a run that counts as complete, with files in which nothing is.
func untrainedComplete(t *testing.T, directory string, config Config) *Run {
	t.Helper()
	run := openRun(t, directory, config)
	testkit.NoError(t, writeCard(run, Card{ConfigHash: run.hash()}))
	testkit.NoError(t, writeFile(run.checkpointPath(), func(io.Writer) error { return nil }))
	return run
}

// A part of the training images has to be the same for all members.
func TestEnsembleRefusesOtherParts(t *testing.T) {
	for name, change := range map[string]func(d *Data){
		"training images":   func(d *Data) { d.Train = 40 },
		"held-out images":   func(d *Data) { d.Validation = 8 },
		"share of noise":    func(d *Data) { d.LabelNoise = 0.5 },
		"form of the noise": func(d *Data) { d.NoiseForm = anyLabels },
	} {
		config, directory := tinyConfig(), t.TempDir()
		config.Data.Validation, config.Data.LabelNoise = 4, 0.25
		first := openRun(t, directory, config)
		change(&config.Data)
		ensemble := testkit.Must(OpenEnsemble(directory, first, openRun(t, directory, config)))(t)
		for _, part := range []Part{ValidationPart, CleanLabels, NoisyLabels} {
			refused(t, name, "other images or labels")(ensemble.Evaluate(t.Context(),
				Evaluation{Samples: 4, Part: part}, nil))
		}
		refused(t, name, "isn't trained")(ensemble.Evaluate(t.Context(), Evaluation{Samples: 4},
			nil))
	}
}

// Other weights of the same configurations are another ensemble.
func TestEnsembleDirectoryDependsOnWeights(t *testing.T) {
	directory := t.TempDir()
	first, second := twoRuns(t, directory)
	open := func() string {
		t.Helper()
		ensemble := testkit.Must(OpenEnsemble(directory, first, second))(t)
		return ensemble.Directory()
	}
	before := open()
	weights := testkit.Must(second.Card())(t).StateSHA256
	rewriteCard(t, second, func(c *Card) { c.StateSHA256 = strings.Repeat("0", 64) })
	if changed := open(); changed == before {
		t.Errorf("other weights have the directory %s, too", changed)
	}
	rewriteCard(t, second, func(c *Card) { c.StateSHA256 = weights })
	equal(t, "the same weights have the directory", open(), before)
}

func TestOpenEnsembleRefuses(t *testing.T) {
	directory := t.TempDir()
	run, config := openRun(t, directory, tinyConfig()), tinyConfig()
	config.Data.Test, config.Data.Name = 10, "shapes10-bright"
	other := openRun(t, directory, config)
	for want, members := range map[string][]*Run{
		"two or more":   {run},
		"twice":         {run, run},
		"data shapes10": {run, other},
	} {
		refused(t, "OpenEnsemble", want)(OpenEnsemble(directory, members...))
	}
}
