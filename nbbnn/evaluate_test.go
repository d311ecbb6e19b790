package nbbnn

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
)

func TestEvaluateFillsEveryCell(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	evaluation := Evaluation{Samples: 4, Images: 6, Seed: 3}
	refused(t, "Evaluate", "isn't trained")(run.Evaluate(t.Context(), evaluation, nil))
	train(t, run)
	stopAfter(t, run, evaluation, EvaluateOptions{}, 7)
	var updates []Update
	cells := testkit.Must(run.Evaluate(t.Context(), evaluation, func(u Update) {
		updates = append(updates, u)
	}))(t)
	if len(cells) != 41 || len(updates) != 41 {
		t.Fatalf("%d cells and %d updates, want 41", len(cells), len(updates))
	}
	for _, cell := range cells {
		if cell.Images != 6 || cell.Samples != 4 || math.IsNaN(cell.NLL) ||
			cell.NLL > cell.GibbsNLL {
			t.Errorf("%s %d: %d images, %d samples, NLL %g, Gibbs NLL %g", cell.Corruption,
				cell.Severity,
				cell.Images, cell.Samples, cell.NLL, cell.GibbsNLL)
		}
	}
	again, err := run.Evaluate(t.Context(), evaluation, func(Update) {
		t.Error("a complete evaluation computes again")
	})
	if err != nil || !reflect.DeepEqual(again, cells) {
		t.Errorf("read again: error %v, the same cells: %v", err, reflect.DeepEqual(again, cells))
	}
	card, err := run.Card()
	if err != nil || card.Evaluation == nil || card.Suite != "first8" ||
		card.Evaluation.Levels.NLL[0] != cells[0].NLL {
		t.Errorf("the card doesn't hold the evaluation: %+v, %v", card.Evaluation, err)
	}
}

// A prediction depends on the image and its index alone, not on the other images or on their
// number.
func TestPredictionDoesNotDependOnTheBatch(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	data := testkit.Must(run.config.OpenData(t.Context()))(t)
	n := testkit.Must(run.Model(t.Context()))(t)
	var predictions []score.Prediction
	for _, batch := range []int{3, 32} {
		p := testkit.Must(n.NewPredictor(batch, 4, 0))(t)
		prediction := testkit.Must(p.Predict(t.Context(), data.Test.Slice(0, 10)))(t)
		predictions = append(predictions, prediction)
	}
	near(t, "log-probabilities", predictions[1].LogProbabilities, predictions[0].LogProbabilities,
		1e-5)
}

func TestCheckpointOfAnotherNetworkIsRefused(t *testing.T) {
	directory := t.TempDir()
	narrow, wide := tinyConfig(), tinyConfig()
	wide.Network.Width = 5
	narrow.Training.Epochs, wide.Training.Epochs = 1, 1
	trained, other := openRun(t, directory, narrow), openRun(t, directory, wide)
	train(t, trained)
	stored, metadata, err := safetensors.Read(trained.checkpointPath())
	testkit.NoError(t, err)
	testkit.NoError(t, os.MkdirAll(other.path("checkpoint"), 0o755))
	// another run's hash would be refused before
	metadata = other.checkpoints().sealed(metadata[stateKey], stored)
	testkit.NoError(t, safetensors.Write(other.checkpointPath(), stored, metadata))
	checkError(t, "Train", other.Train(t.Context(), nil), "it's of another network")
}

// Two tests of parts of the images, put together, are the test of all of them: a corruption draws
// for an image by its place.
func TestEvaluateFromAnImageOn(t *testing.T) {
	config := tinyConfig()
	config.Posterior, config.Objective, config.Training.Samples = Posterior{Mode: Deterministic},
		Objective{}, 1
	config.Training.Epochs, config.Training.PosteriorLearningRate = 1, 0
	run := openRun(t, t.TempDir(), config)
	testkit.NoError(t, run.Train(t.Context(), nil))
	evaluate := func(first, images int) score.Cells {
		return testkit.Must(run.Evaluate(t.Context(), Evaluation{Suite: "gaussian_noise",
			First: first, Images: images}, nil))(t)
	}
	head, tail, all := evaluate(0, 6), evaluate(6, 12), evaluate(0, 18)
	for i := range all {
		if got := (6*head[i].NLL + 12*tail[i].NLL) / 18; math.Abs(got-all[i].NLL) > 1e-6 {
			t.Errorf("severity %d: the parts have the NLL %v, all images %v, tolerance 1e-6",
				all[i].Severity, got, all[i].NLL)
		}
	}
	if rest := evaluate(18, 0); rest[0].Images != 2 || rest[0].Temperature > 0 {
		t.Errorf("%d images from 18 on, temperature %v, want the last 2, too few to cross-fit",
			rest[0].Images, rest[0].Temperature)
	}
	refused(t, "Evaluate", "6 test images are asked for from image 15 on")(run.Evaluate(t.Context(),
		Evaluation{First: 15, Images: 6}, nil))
}

// All cells of all nineteen corruptions, and the last batch of each, which is a part of one, run
// the same compiled graph: the layers are shown to an observer whenever a graph is built.
func TestEvaluationBuildsOneGraph(t *testing.T) {
	engines := map[string]func(*testing.T) *engine.Engine{
		"go": func(t *testing.T) *engine.Engine {
			return testkit.Must(engine.OpenNamed("go"))(t)
		},
		"XLA": func(t *testing.T) *engine.Engine {
			opened, err := engine.OpenNamed("xla:cpu")
			if err != nil {
				t.Skipf("XLA was not tested: %v", err)
			}
			return opened
		},
	}
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			opened := open(t)
			config := briefConfig()
			run := openRun(t, t.TempDir(), config)
			data := testkit.Must(run.config.OpenData(t.Context()))(t)
			m := testkit.Must(network.NewModel(run.config.Settings(), data,
				network.ModelOptions{Engine: opened}))(t)
			graphs := 0
			m.Observe = func(name string, _ *Node) {
				if name == "conv1" {
					graphs++
				}
			}
			p := testkit.Must(m.NewPredictor(3, 2, 0))(t) // three images and two
			suite := testkit.Must(corrupt.SuiteByName("all19"))(t)
			e := &evaluator{
				subject: subject{directory: t.TempDir(), lock: func() (func(), error) {
					return func() {}, nil
				}},
				evaluation: Evaluation{Suite: "all19", Samples: 2},
				public:     Evaluation{Suite: "all19", Samples: 2}, suite: suite,
				images: data.Test.Slice(0, 5), predictors: []imagePredictor{p},
			}
			cells := testkit.Must(e.complete(t.Context()))(t)
			const want = 1 + 19*5
			if len(cells) != want || graphs != 1 {
				t.Errorf("%d cells with %d graphs, want %d with one", len(cells), graphs, want)
			}
		})
	}
}

// The defaults keep the names that cells and cards have always had; every other setting has a name
// of its own. A table has the suite apart from what sets an evaluation apart from the plain one.
func TestSettingsOfAnEvaluationArePartOfItsName(t *testing.T) {
	for want, e := range map[string]Evaluation{
		"first8":          {},
		"first8/scale0.5": {LatentScale: ScaleLatents(0.5)},
		"first8/scale0":   {LatentScale: ScaleLatents(0)},
		"first8/batch50":  {BatchStatistics: 50},
		"clean/from8/scale2/batch4": {Part: CleanPart, First: 8, LatentScale: ScaleLatents(2),
			BatchStatistics: 4},
	} {
		equal(t, "label", e.WithDefaults().label(), want)
		text := testkit.Must(json.Marshal(e.WithDefaults()))(t)
		var back Evaluation
		testkit.NoError(t, json.Unmarshal(text, &back))
		equal(t, "read back", back, e.WithDefaults())
	}
	plain := `{"suite":"first8","samples":32,"images":0,"seed":0}`
	equal(t, "JSON of the defaults",
		string(testkit.Must(json.Marshal(Evaluation{LatentScale: ScaleLatents(1)}.WithDefaults()))(
			t)), plain)
	for label, want := range map[string]string{
		"first8": "first8 plain 0", "first8/from200": "first8 plain 200",
		"clean/ones":                   "clean ones 0",
		"fog,mine#b2c57861/from4/ones": "fog,mine #b2c57861/ones 4",
		"all19@cifar10-c/epoch3":       "all19 @cifar10-c/epoch3 0",
		"all19+frost/scale2/batch50":   "all19 +frost/scale2/batch50 0",
	} {
		equal(t, label, strings.Join(splitLabel(label), " "), want)
	}
}

// Cells of different settings don't mix: each is computed once and found again.
func TestEvaluationsOfOtherSettingsAreKeptApart(t *testing.T) {
	config := tinyConfig()
	config.Network = Network{Name: "resnet18", Width: 2}
	config.Data.Test = 220
	run := trainedRun(t, t.TempDir(), config)
	test := func(e Evaluation) float64 {
		e.Part, e.Samples, e.Images = CleanPart, 4, 8
		cells := testkit.Must(run.Evaluate(t.Context(), e, nil))(t)
		if again := testkit.Must(run.Cells(e))(t); again[0].NLL != cells[0].NLL {
			t.Errorf("%+v has the NLL %g, and read again %g", e, cells[0].NLL, again[0].NLL)
		}
		return cells[0].NLL
	}
	plain := test(Evaluation{})
	others := []float64{
		test(Evaluation{LatentScale: ScaleLatents(0)}),
		test(Evaluation{LatentScale: ScaleLatents(3)}),
		test(Evaluation{BatchStatistics: 4}), test(Evaluation{BatchStatistics: 8}),
	}
	for _, other := range others {
		if other == plain || math.IsNaN(other) {
			t.Errorf("another setting has the NLL %g, the plain test %g", other, plain)
		}
	}
	if test(Evaluation{LatentScale: ScaleLatents(1)}) != plain {
		t.Error("a scale of 1 isn't the plain evaluation")
	}
	// which the other 105 images can't fill
	few := Evaluation{Part: CleanPart, Samples: 4, Images: 115, BatchStatistics: 110}
	if cells := testkit.Must(run.Evaluate(t.Context(), few, nil))(t); cells[0].OddTemperature == 0 {
		t.Errorf("temperatures %g and %g, want cross-fitted ones", cells[0].Temperature,
			cells[0].OddTemperature)
	}
	if filled := run.FillEvaluation(Evaluation{LatentScale: ScaleLatents(0),
		Samples: 8}); filled.Samples != 2 {
		t.Errorf("%d samples without noise, want one for each of 2 components", filled.Samples)
	}
	ordinary := config
	ordinary.Posterior, ordinary.Objective, ordinary.Training.PosteriorLearningRate = Posterior{
		Mode: Deterministic}, Objective{}, 0
	if filled := openRun(t, t.TempDir(), ordinary).FillEvaluation(Evaluation{
		LatentScale: ScaleLatents(2)}); filled.LatentScale != ScaleLatents(1) {
		t.Errorf("a network without latents is tested at the scale %g", filled.LatentScale.value())
	}
}

func TestSettingsThatNoTestCanHave(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig()) // All-CNN-C, without batch normalisation
	for want, e := range map[string]Evaluation{
		"scale of the latents is -1":  {LatentScale: ScaleLatents(-1)},
		"give a factor from 0 to 100": {LatentScale: ScaleLatents(1e6)},
		"scale of the latents is NaN": {LatentScale: ScaleLatents(math.NaN())},
		"standard deviation to scale": {LatentScale: ScaleLatents(2), Latents: MeanLatents},
		"batch statistics is 1":       {BatchStatistics: 1},
		"batch statistics is -3":      {BatchStatistics: -3},
		"can't fill a batch of 9":     {BatchStatistics: 9, Images: 8},
		"has no batch normalisation":  {BatchStatistics: 4},
	} {
		_, err := run.Evaluate(t.Context(), e, nil)
		testkit.Error(t, want, err, want)
	}
}
