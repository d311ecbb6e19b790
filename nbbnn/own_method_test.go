package nbbnn

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Methods of a program's own: "cosine" lets gamma fall, "careful" has everything that a method can
// have, and "myloop" is a loop.
func init() {
	for _, d := range []baseline.Definition{
		{Name: "cosine", Version: "1", Training: func(s network.Settings,
			_ int) network.StepperOptions {
			return network.StepperOptions{Gamma: func(epoch int) float64 {
				return s.Objective.Gamma * (1 +
					math.Cos(math.Pi*float64(epoch)/float64(s.Training.Epochs))) / 2
			}}
		}},
		{Name: "careful", Version: "1", Training: careful},
		{Name: "myloop", Version: "1"},
	} {
		if err := baseline.Define(d); err != nil {
			panic(err)
		}
	}
	methodsTested = append(methodsTested, Method{Name: "cosine"}, Method{Name: "careful"})
}

// careful steps along the mean of the gradients at the weights and at smaller ones, with a loss
// whose weight of the regulariser is halved, and counts its epochs.
func careful(s network.Settings, _ int) network.StepperOptions {
	count := float32(0)
	rule := network.Nesterov()
	rule.Name, rule.Normals = "careful", 1
	rule.Update = func(s *network.StepGraph) {
		var smaller []network.StepParameter
		for _, p := range s.Theta {
			factor := AddScalar(MulScalar(s.Normals(p), 0.01), 0.99)
			smaller = append(smaller, network.StepParameter{Path: p.Path,
				Value: Mul(p.Value, factor)})
		}
		theta, phi := s.Gradients(MulScalar(Add(s.Loss(nil), s.Loss(smaller)), 0.5))
		s.NesterovStep(theta)
		s.PlainStep(phi)
	}
	return network.StepperOptions{
		Rule: rule,
		Schedule: func(epoch int) (theta, phi, beta float64) {
			return s.Training.LearningRate / float64(1+epoch), s.Training.PosteriorLearningRate, 1
		},
		Loss: func(l network.LossGraph) *Node { return MulScalar(Add(l.ELBO(l.NLL), l.NLL), 0.5) },
		Hooks: []network.Hook{{
			Name:       "count",
			AfterEpoch: func(*network.Stepper) error { count++; return nil },
			State: func() ([]network.Tensor, error) {
				bits := math.Float32bits(count)
				data := []byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24)}
				return []network.Tensor{{Name: "epochs", DType: "F32", Data: data}}, nil
			},
			SetState: func(state []network.Tensor) error {
				for _, tensor := range state {
					count = tensor.Floats()[0]
				}
				return nil
			},
		}},
	}
}

// A run of a method of one's own names it with a fingerprint, records its schedule and its cost,
// and keeps the state of its hooks. TestMethodsContinueBitForBit stops it.
func TestRunOfAnOwnMethod(t *testing.T) {
	config := tinyConfig()
	config.Objective.Gamma = 4
	plain := config.WithDefaults()
	config.Method.Name = "cosine"
	run := trainedRun(t, t.TempDir(), config)
	card, history := trainedCard(t, run), testkit.Must(run.History())(t)
	for i, want := range []float64{4, 4, 3, 1} { // before the training, then in the three epochs
		testkit.Near(t, "gamma", []float64{history[i].Gamma}, []float64{want}, 1e-12)
	}
	filled := run.Config()
	if len(filled.Method.Fingerprint) != 12 || card.Method != "cosine" ||
		filled.Title() != "cosine" {
		t.Errorf("method %+v, card %q, title %q", filled.Method, card.Method, filled.Title())
	}
	equal(t, "cost", *card.Cost, CardCost{Epochs: 3, Passes: 2})
	if filled.Method = (Method{}); filled != plain {
		t.Errorf("the method changes the rest of the configuration: %s", differences(filled, plain))
	}
	config = methodConfig(Method{Name: "careful"})
	run = trainedRun(t, t.TempDir(), config)
	equal(t, "cost of two losses", *trainedCard(t, run).Cost,
		CardCost{Epochs: 4, Passes: 2 * run.Config().Training.Samples})
	cost := testkit.Must(CostOf(run, nil))(t)
	equal(t, "passes in a comparison", cost.TrainingPasses, 2*run.Config().Training.Samples)
	stored, _, err := run.checkpoints().read(run.checkpointPath())
	testkit.NoError(t, err)
	if i := slices.IndexFunc(stored, func(v network.Tensor) bool {
		return v.Name == "hook.count.epochs"
	}); i < 0 || stored[i].Floats()[0] != 4 {
		t.Error("the checkpoint doesn't hold the four epochs that the hook counted")
	}
	if cost := testkit.Must(EstimateTraining(t.Context(), config))(t); !(cost.StepSeconds > 0) {
		t.Errorf("the estimate is %+v", cost)
	}
	without := methodConfig(Method{Name: "cosine"})
	without.Objective.Gamma = 0
	checkError(t, "half of nothing", without.Validate(), "method cosine trains as the method "+
		"without it here, with gamma 0 in every epoch")
}

// A program without the method, or with a changed one, reads and tests the run and doesn't train
// it.
func TestOwnMethodOfAnotherProgram(t *testing.T) {
	directory, config := t.TempDir(), briefConfig()
	config.Method = Method{Name: "gone", Fingerprint: "0123456789ab"}
	const want = `this program doesn't define "gone": run the program that trained it`
	checkError(t, "validation", config.Validate(), want)
	refused(t, "a new run", want)(Open(directory, config))
	whole := trainedRun(t, t.TempDir(), briefConfig())
	run := &Run{directory: filepath.Join(directory, config.RunName()),
		config: config.WithDefaults()}
	run.place, run.of = records.Place(run.directory), run.subject
	data := testkit.Must(openParts(t.Context(), run.config.Data))(t)
	trainer := testkit.Must(newTrainer(run, data.Dataset))(t)
	stored, _, err := whole.checkpoints().read(whole.checkpointPath())
	testkit.NoError(t, err)
	testkit.NoError(t, trainer.stepper.SetState(network.State{Variables: stored}))
	trainer.state = trainingState{Epoch: 1, DataHash: data.Hash, Engines: []string{"go"},
		IsLoop: true}
	testkit.Must(trainer.writeOnce())(t)

	again := testkit.Must(Open(directory,
		testkit.Must(ReadConfig(filepath.Join(run.directory, "config.json")))(t)))(t)
	evaluation := Evaluation{Suite: "fog", Images: 4, Samples: 2}
	got := testkit.Must(again.Evaluate(t.Context(), evaluation, nil))(t)
	same := testkit.Must(whole.Evaluate(t.Context(), evaluation, nil))(t)
	equal(t, "NLL of the same weights", got[1].NLL, same[1].NLL)
	more := again.Config()
	more.Seed++
	refused(t, "another seed", want)(Open(directory, more))
	refused(t, "an estimate", want)(EstimateTraining(t.Context(), more))
}

// A loop becomes a run with its cost once; other weights, settings and names are refused.
func TestKeepALoop(t *testing.T) {
	directory, config := t.TempDir(), briefConfig()
	config.Method.Name = "myloop"
	train := func(seed uint64, steps int) *network.Stepper {
		config := config
		config.Seed = seed
		data := testkit.Must(config.OpenData(t.Context()))(t)
		model := testkit.Must(network.NewModel(config.Settings(), data, network.ModelOptions{}))(t)
		stepper := testkit.Must(network.NewStepper(model, data.Train, network.StepperOptions{}))(t)
		for range steps {
			testkit.Must(stepper.Step(t.Context()))(t)
		}
		return stepper
	}
	stepper := train(config.Seed, 7) // six are an epoch
	run := testkit.Must(Keep(t.Context(), directory, config, stepper))(t)
	card := trainedCard(t, run)
	equal(t, "cost", *card.Cost, CardCost{Epochs: 2, Passes: 2})
	state := testkit.Must(stepper.State())(t)
	equal(t, "weights", testkit.Must(exportedSHA256(run.config, state.Variables))(t),
		card.WeightsSHA256)
	again := testkit.Must(Keep(t.Context(), directory, config, stepper))(t)
	equal(t, "the same run", again.Directory(), run.Directory())
	if history := testkit.Must(run.History())(t); len(history) != 0 {
		t.Errorf("the loop has a history: %+v", history)
	}

	refused(t, "other weights", "has weights already")(Keep(t.Context(), directory, config,
		train(config.Seed, 1)))
	refused(t, "other settings", "the stepper of the loop myloop has other settings than the "+
		"configuration")(Keep(t.Context(), directory, config, train(6, 1)))
	plain := config
	plain.Method.Name = "careful"
	refused(t, "another method", `method "careful" isn't the name of a loop`)(Keep(t.Context(),
		directory, plain, stepper))
	more := config
	more.Seed++
	checkError(t, "training", openRun(t, directory, more).Train(t.Context(), nil),
		"method myloop is a loop of its program")
	refused(t, "an estimate", "method myloop is a loop of its program")(
		EstimateTraining(t.Context(), more))

	evaluation := Evaluation{Suite: "fog", Images: 4, Samples: 2}
	trained := trainedRun(t, directory, briefConfig())
	for _, r := range []*Run{run, trained} {
		testkit.Must(r.Evaluate(t.Context(), evaluation, nil))(t)
	}
	compared := testkit.Must(Compare([]*Run{run, trained}, evaluation, ""))(t)
	names := []string{}
	for _, m := range compared.Methods {
		cost, known := m.Cost()
		if names = append(names, m.Name); !known || cost.TrainingPasses != 2 {
			t.Errorf("%s costs %+v, want 2 passes", m.Name, cost)
		}
	}
	equal(t, "methods", strings.Join(names, "; "), "myloop; node-BNN")
}

// A run with latents in some layers says so, exports and imports them, and its ordinary network has
// none. Without latents in the last layers the posterior of the others begins as it does with them.
func TestRunWithLatentsInSomeLayers(t *testing.T) {
	directory, config := t.TempDir(), briefConfig()
	config.Network.Latents = "conv1 conv8"
	run := trainedRun(t, directory, config)
	card := trainedCard(t, run)
	if !slices.Contains(card.Notes, "latents in the layers conv1, conv8 alone") ||
		card.Config.Network.Latents != "conv1,conv8" {
		t.Errorf("the card of latents %q has the notes %q", card.Config.Network.Latents, card.Notes)
	}
	posterior := testkit.Must(run.Posterior(0))(t)
	if len(posterior) != 2 || posterior[1].Name != "conv8" || len(posterior[1].Mean[0]) != 10 {
		t.Errorf("the posterior has %d layers, want that of conv1 and conv8", len(posterior))
	}
	path := filepath.Join(t.TempDir(), "w.safetensors")
	testkit.NoError(t, run.Export(t.Context(), path, ExportOptions{}))
	imported := testkit.Must(Import(t.Context(), t.TempDir(), config, path))(t)
	equal(t, "imported weights", trainedCard(t, imported).WeightsSHA256, card.WeightsSHA256)
	checkError(t, "the published layout", run.Export(t.Context(), path, inReference),
		"latents in all layers")
	testkit.NoError(t, run.Export(t.Context(), path, ExportOptions{
		Layout: network.ReferenceLayout, Latents: MeanLatents}))
	folded, _, err := ReadExportedConfig(path)
	testkit.NoError(t, err)
	equal(t, "layers of the folded network", folded.Network.Latents, "")
	data := testkit.Must(config.OpenData(t.Context()))(t)
	model := testkit.Must(network.NewModel(folded.Settings(), data, network.ModelOptions{}))(t)
	stored, _, err := readExport(path)
	testkit.NoError(t, err)
	testkit.Must(model.ImportTensors(path, stored))(t)
	got := testkit.Must(testkit.Must(model.NewPredictor(4, 1, 0))(t).Predict(t.Context(),
		data.Test.Slice(0, 4)))(t)
	want := predicted(t, run, Evaluation{Images: 4, Latents: MeanLatents})
	testkit.Near(t, "the folded network", got.LogProbabilities, want.LogProbabilities, 1e-5)

	stopped := openRun(t, t.TempDir(), config)
	stopAt(t, stopped, 3)
	equal(t, "weights after a stop", trainedCard(t, stopped).StateSHA256, card.StateSHA256)
	equal(t, "MAP has no layers with latents",
		config.With(Method{Name: baseline.MAP}).Network.Latents, "")
}
