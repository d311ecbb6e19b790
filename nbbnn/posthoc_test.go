package nbbnn

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/augment"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// ordinaryConfig is a tiny ordinary network with batch normalisation, trained for 4 epochs of 3
// steps.
func ordinaryConfig() Config {
	config := methodConfig(Method{Name: baseline.MAP})
	config.Data.Train, config.Training.Batch = 24, 8 // some can be held out
	return config
}

// posthocRun trains an ordinary network and returns it with a posthoc run that isn't trained yet.
func posthocRun(t *testing.T, change func(c *Config)) (parent, run *Run) {
	t.Helper()
	directory := t.TempDir()
	parent = trainedRun(t, directory, ordinaryConfig())
	config := testkit.Must(PosthocOf(parent))(t)
	config.Training.Epochs, config.Objective.Gamma, config.Posterior.InitStd = 2, 1, 0.3
	config.Training.PosteriorLearningRate = 0.02
	if change != nil {
		change(&config)
	}
	return parent, openRun(t, directory, config)
}

// A posthoc run keeps its parent's weights and running statistics bit for bit, trains every
// posterior, names its parent on the card, and is evaluated as any other run. With its latents
// fixed to one it is its parent.
func TestPosthocKeepsTheWeights(t *testing.T) {
	parent, run := posthocRun(t, nil)
	card := trainedCard(t, run)
	_, before, err := parent.checkpoints().readState(parent.checkpointPath())
	testkit.NoError(t, err)
	_, after, err := run.checkpoints().readState(run.checkpointPath())
	testkit.NoError(t, err)
	if got, want := weightsSHA256(after), weightsSHA256(before); got != want {
		t.Errorf("the weights have the SHA-256 %s, those of the parent %s", got, want)
	}
	for _, tensor := range after {
		if strings.HasPrefix(tensor.Name, "momentum.") {
			t.Errorf("the checkpoint holds %s", tensor.Name)
		}
	}
	parentCard, _ := parent.Card()
	if want := (CardParent{parentCard.Run, parentCard.WeightsSHA256, parentCard.StateSHA256, "map",
		""}); card.Parent == nil || *card.Parent != want {
		t.Errorf("the card names the parent %+v, want %+v", card.Parent, want)
	}
	history, err := run.History()
	if err != nil || len(history) != 3 || history[2].Entropy == history[0].Entropy {
		t.Errorf("history %+v (%v), want the state before and two epochs that change the entropy",
			history, err)
	}
	cells, err := run.Evaluate(t.Context(), Evaluation{Suite: "fog", Samples: 2, Images: 4}, nil)
	if err != nil || len(cells) != 6 {
		t.Errorf("%d cells (%v), want 6", len(cells), err)
	}
	want := predicted(t, parent, Evaluation{Images: 4})
	got := predicted(t, run, Evaluation{Images: 4, Latents: OneLatents})
	near(t, "log-probabilities", got.LogProbabilities, want.LogProbabilities, 1e-6)
}

// A run that is refused leaves no directory, unless there was one.
func TestRefusedPosthocLeavesNothing(t *testing.T) {
	_, run := posthocRun(t, func(c *Config) { c.Posthoc.Weights = strings.Repeat("0", 64) })
	const want = "have the SHA-256"
	checkError(t, "Train", run.Train(t.Context(), nil), want)
	if exists(run.directory) {
		t.Errorf("%s is left", run.directory)
	}
	own := run.path("label.json")
	testkit.NoError(t, errors.Join(os.Mkdir(run.directory, 0o755), os.WriteFile(own, []byte("{}"),
		0o644)))
	checkError(t, "in a directory that was there", run.Train(t.Context(), nil), want)
	if !exists(own) {
		t.Errorf("what %s held is gone", run.directory)
	}
}

// A posthoc run begins with the settings of the results and the augmentation of its parent, and
// fixed noise with their standard deviation and no augmentation. A configuration without epochs
// keeps its meaning, and so its hash.
func TestPosthocDefaults(t *testing.T) {
	ordinary := ordinaryConfig()
	ordinary.Training.Epochs, ordinary.Training.NoAugmentation, ordinary.Training.Augmentation = 1,
		false, augment.Name
	config := testkit.Must(PosthocOf(trainedRun(t, t.TempDir(), ordinary)))(t)
	equal(t, "augmentation", config.Training.Augmentation, augment.Name)
	c := config.WithDefaults()
	if c.Posterior.InitStd != 0.2 || c.Posterior.PriorStd != 0.2 || c.Objective.Gamma != 10 ||
		c.Training.Epochs != 3 {
		t.Errorf("the configuration is %+v, want a standard deviation of 0.2, gamma 10 and 3 "+
			"epochs", c)
	}
	config.Training.Epochs = 0
	if got := config.WithDefaults().Training.Epochs; got != 5 {
		t.Errorf("without epochs it has %d, want 5 as before", got)
	}
	config.Posthoc.FixedNoise = true
	if c := config.WithDefaults(); c.Posterior.InitStd != 0.2 || c.Objective.Gamma != 0 ||
		c.Training.Augmentation != "" {
		t.Errorf("fixed noise is %+v, want 0.2 without gamma and augmentation", c)
	}
}

// A stopped posthoc run ends with the same posterior, bit for bit, also if its parent is gone.
func TestPosthocContinuesBitForBit(t *testing.T) {
	parent, run := posthocRun(t, nil)
	want := trainedCard(t, run)
	testkit.NoError(t, os.RemoveAll(run.directory))
	stopAt(t, run, 2)
	testkit.NoError(t, os.RemoveAll(parent.directory))
	stopAt(t, run, 4)
	got := trainedCard(t, run)
	if got.StateSHA256 != want.StateSHA256 || *got.Parent != *want.Parent {
		t.Errorf("weights %s, parent %+v after two stops; %s, %+v without", got.StateSHA256,
			got.Parent, want.StateSHA256, want.Parent)
	}
}

func mustPosterior(t *testing.T, run *Run) []network.LayerPosterior {
	t.Helper()
	return testkit.Must(run.Posterior(0))(t)
}

// Noise of a fixed standard deviation is N(1, InitStd^2) for every latent, whatever the training
// and the objective are. A run that was killed between its checkpoint and its card gets the card
// later.
func TestPosthocFixedNoise(t *testing.T) {
	parent, run := posthocRun(t, func(c *Config) { c.Posthoc.FixedNoise = true })
	filled := run.config
	filled.Training.LearningRate *= 2 // as filled by a program whose network has another default
	equal(t, "the learning rate of a configuration that is filled again",
		filled.WithDefaults().Training.LearningRate, filled.Training.LearningRate)
	card := trainedCard(t, run)
	latents := 0
	for _, l := range mustPosterior(t, run) {
		latents += len(l.Mean[0])
	}
	want := float64(latents) * (math.Log(0.3) + (math.Log(2*math.Pi)+1)/2)
	if got := card.Training.Entropy; math.Abs(got-want) > 1e-4*math.Abs(want) {
		t.Errorf("%d latents of N(1, 0.3^2) have entropy %g, want %g", latents, got, want)
	}
	if card.Training == nil || card.Training.Epoch != 0 || !run.Complete() {
		t.Errorf("the card says %+v, complete %v: want no epoch and complete", card.Training,
			run.Complete())
	}
	for _, l := range mustPosterior(t, run) {
		for i := range l.Mean[0] {
			if l.Mean[0][i] != 1 || math.Abs(l.Sigma[0][i]-0.3) > 1e-7 {
				t.Fatalf("layer %s: latent %d is N(%g, %g^2), want N(1, 0.3^2)", l.Name, i,
					l.Mean[0][i], l.Sigma[0][i])
			}
		}
	}
	testkit.NoError(t, os.Remove(run.path("card.json")))
	equal(t, "weights with the second card", trainedCard(t, run).StateSHA256, card.StateSHA256)
	if history, err := run.History(); err != nil || len(history) != 1 {
		t.Errorf("history %+v (%v), want the state before training alone", history, err)
	}
	other := testkit.Must(PosthocOf(parent))(t)
	other.Posterior.InitStd, other.Posthoc.FixedNoise = 0.3, true
	other.Objective.Gamma, other.Training.Epochs = 7, 9
	if other.Hash() != run.hash() {
		t.Error("fixed noise has another hash with another gamma and another number of epochs")
	}
	evaluation := Evaluation{Suite: "fog", Samples: 2, Images: 4}
	for _, r := range []*Run{parent, run} {
		testkit.Must(r.Evaluate(t.Context(), evaluation, nil))(t)
	}
	compared := testkit.Must(Compare([]*Run{parent, run}, evaluation, ""))(t)
	if got := compared.Methods[1]; got.Name != "fixed noise" || got.Costs[0].Epochs != 0 {
		t.Errorf("the comparison has %q with %d epochs, want fixed noise with none", got.Name,
			got.Costs[0].Epochs)
	}
	equal(t, "numbers of the noise", compared.Methods[1].Costs[0].Parameters-
		compared.Methods[0].Costs[0].Parameters, 2*latents)
}

// A checkpoint whose weights aren't those of the parent isn't continued or evaluated as if they
// were, and weights that a training changes aren't saved.
func TestPosthocNoticesOtherWeights(t *testing.T) {
	_, run := posthocRun(t, nil)
	data := testkit.Must(run.config.OpenData(t.Context()))(t)
	thawed := testkit.Must(newTrainer(run, data))(t)
	thawed.stepper = testkit.Must(network.NewStepper(thawed.stepper.Model, data.Train,
		network.StepperOptions{Rule: network.Nesterov()}))(t)
	testkit.NoError(t, thawed.adoptWeights(t.Context()))
	testkit.NoError(t, thawed.resume())
	testkit.Must(thawed.stepper.Step(t.Context()))(t)
	checkError(t, "a training that changes the weights", thawed.save(), "that they have to keep")
}

func TestPosthocRefuses(t *testing.T) {
	parent, run := posthocRun(t, nil)
	runs := filepath.Dir(parent.directory)
	untrained := func(what string, config Config, want string) {
		t.Helper()
		other, err := Open(runs, config)
		if err == nil {
			err = other.Train(t.Context(), nil)
		}
		checkError(t, what, err, want)
	}
	changed := func(change func(c *Config)) Config {
		config := run.Config()
		change(&config)
		return config
	}
	untrained("another network", changed(func(c *Config) {
		c.Network.Name = "preactresnet18"
	}), "is resnet18 of width 2, not preactresnet18 of width 2")
	untrained("other classes", changed(func(c *Config) {
		c.Data.Name = "cifar100"
	}), "distinguishes the 10 classes of shapes10, and cifar100 has 100")
	untrained("another normalisation", changed(func(c *Config) {
		c.Data.Name = "shapes10-bright"
	}), "state it with --normalisation 0.")
	untrained("a stated normalisation", changed(func(c *Config) {
		c.Pixels.Std = [3]float64{1, 1, 1}
	}), ", not 0,0,0/1,1,1: state it with --normalisation 0.")
	untrained("no latents", changed(func(c *Config) {
		c.Posterior.Mode = Deterministic
	}), "no latents to train")
	untrained("a method", changed(func(c *Config) {
		c.Posterior = Posterior{}
		c.Objective = Objective{}
		c.Method.Name = baseline.SAM
	}), "method sam trains weights")
	untrained("free weights that aren't trained", changed(func(c *Config) {
		c.Posthoc.FreeWeights, c.Posthoc.FixedNoise = true, true
	}), "trains no weights with fixed noise or with chains")
	untrained("a missing parent", changed(func(c *Config) {
		c.Posthoc.Run = "0123456789ab"
	}), "run 0123456789ab, which isn't in "+runs)
	untrained("a path", changed(func(c *Config) {
		c.Posthoc.Run = "../elsewhere"
	}), "PosthocOf and `nbbnn posthoc` fill both in")
	untrained("other weights", changed(func(c *Config) {
		c.Posthoc.Weights = strings.Repeat("0", 64)
	}), "not 000000000000 of run "+run.config.Posthoc.Run)
	// a temperature is fitted to the images that are held out
	untrained("images that were trained on", changed(func(c *Config) {
		c.Data.Validation = 10
	}), "run "+parent.config.RunName()+" may have been trained on the 10 images that would be "+
		"held out, since its data had validation 0, not 10")

	train(t, run)
	refused(t, "a node-BNN", "is a node-BNN already")(PosthocOf(run))
	unfinished := ordinaryConfig()
	unfinished.Seed = 9
	refused(t, "an untrained parent", "isn't trained to the end")(
		PosthocOf(openRun(t, runs, unfinished)))
	several := trainedRun(t, t.TempDir(),
		methodConfig(Method{Name: baseline.SWAG, Start: 1, Rank: 2}))
	refused(t, "SWAG", "predicts with several sets of weights")(PosthocOf(several))
}

// exportedOrdinary writes the tiny ordinary network in PyTorch's layout, with the names of
// torchvision, changed by a function.
func exportedOrdinary(t *testing.T, parent *Run,
	change func(tensors []safetensors.Tensor) []safetensors.Tensor) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "resnet18.safetensors")
	testkit.NoError(t, parent.Export(t.Context(), path, inReference))
	tensors, _, err := safetensors.Read(path)
	testkit.NoError(t, err)
	if change != nil {
		tensors = change(tensors)
	}
	testkit.NoError(t, safetensors.Write(path, tensors, nil))
	return path
}

// The file of a network becomes a run that predicts as the network, once for each file, and its
// posthoc run keeps the weights; the card names the file. Prefixes of wrappers and other tensors
// make no difference, and are noted.
func TestPosthocOfAFile(t *testing.T) {
	parent := trainedRun(t, t.TempDir(), ordinaryConfig())
	directory := t.TempDir()
	plain := exportedOrdinary(t, parent, nil)
	prefixed := func(prefix string, more ...safetensors.Tensor) string {
		return exportedOrdinary(t, parent, func(tensors []safetensors.Tensor) []safetensors.Tensor {
			for i := range tensors {
				tensors[i].Name = prefix + tensors[i].Name
			}
			return append(tensors, more...)
		})
	}
	ema := exportedOrdinary(t, parent, func(tensors []safetensors.Tensor) []safetensors.Tensor {
		for _, tensor := range tensors {
			tensor.Name = "ema." + tensor.Name
			tensors = append(tensors, tensor)
		}
		return tensors
	})
	config := ordinaryConfig()
	imported := testkit.Must(ImportOrdinary(t.Context(), directory, config, plain))(t)
	again, err := ImportOrdinary(t.Context(), directory, config, plain)
	if err != nil || again.directory != imported.directory {
		t.Errorf("the second import is %v (%v), want the first", again, err)
	}
	if cost := testkit.Must(CostOf(imported, nil))(t); cost.Epochs != 0 ||
		cost.TrainingPasses != 0 {
		t.Errorf("the cost is %+v, want none of a training that nobody knows", cost)
	}
	want := predicted(t, parent, Evaluation{Images: 4})
	near(t, "log-probabilities", predicted(t, imported, Evaluation{Images: 4}).LogProbabilities,
		want.LogProbabilities, 1e-6)
	for seed, c := range []struct{ path, note string }{
		{prefixed("module."), "the prefix module. was taken"},
		{prefixed("_orig_mod.module."), "the prefix _orig_mod.module. was taken"},
		{prefixed("model.", safetensors.Tensor{Name: "criterion.weight", DType: "F32",
			Shape: []int{1}, Data: make([]byte, 4)}),
			"left out of the file: 1 tensor (criterion.weight and so on)"},
		{ema, " tensors (ema.bn1.bias and so on), which"},
	} {
		config.Seed = uint64(seed) + 7
		other, err := ImportOrdinary(t.Context(), directory, config, c.path)
		if err != nil || other.directory == imported.directory {
			t.Errorf("another file is %v (%v), want another run", other, err)
			continue
		}
		if both := testkit.Must(groupsOf([]*Run{imported, other}))(t); both.firstOf(
			imported) == both.firstOf(other) {
			t.Errorf("the same weights in another file (%s) are a further seed", c.note)
		}
		near(t, "log-probabilities of "+c.note,
			predicted(t, other, Evaluation{Images: 4}).LogProbabilities, want.LogProbabilities,
			1e-6)
		card, err := other.Card()
		if err != nil || !strings.Contains(strings.Join(card.Notes, "; "), c.note) {
			t.Errorf("the notes are %q (%v), want one with %q", card.Notes, err, c.note)
		}
	}
	child := testkit.Must(PosthocOf(imported))(t)
	own, err := PosthocOf(parent)
	if err != nil || child.Posthoc.Weights != own.Posthoc.Weights {
		t.Errorf("the weights of the file have the SHA-256 %s, of the run %s (%v)",
			child.Posthoc.Weights, own.Posthoc.Weights, err)
	}
}

// An imported network that recognises nothing was trained with another normalisation, or on other
// classes.
func TestPosthocOfAFileThatRecognisesNothing(t *testing.T) {
	parent := trainedRun(t, t.TempDir(), ordinaryConfig())
	config := ordinaryConfig()
	config.Pixels = dataset.Normalisation{Std: [3]float64{0.01, 0.01, 0.01}}
	imported := testkit.Must(ImportOrdinary(t.Context(), t.TempDir(), config,
		exportedOrdinary(t, parent, nil)))(t)
	child := testkit.Must(PosthocOf(imported))(t)
	equal(t, "the posthoc run normalises by", child.Pixels, config.Pixels)
	run := openRun(t, filepath.Dir(imported.directory), child)
	checkError(t, "a network that guesses", run.Train(t.Context(), nil),
		"another normalisation than 0,0,0/0.01,0.01,0.01, state it with --normalisation")
}

func TestImportOrdinaryRefuses(t *testing.T) {
	parent := trainedRun(t, t.TempDir(), ordinaryConfig())
	rename := func(from, to string) func([]safetensors.Tensor) []safetensors.Tensor {
		return func(tensors []safetensors.Tensor) []safetensors.Tensor {
			for i := range tensors {
				tensors[i].Name = regexp.MustCompile(from).ReplaceAllString(tensors[i].Name, to)
			}
			return tensors
		}
	}
	reshape := func(name string, shape ...int) func([]safetensors.Tensor) []safetensors.Tensor {
		size := 4
		for _, d := range shape {
			size *= d
		}
		return func(tensors []safetensors.Tensor) []safetensors.Tensor {
			for i := range tensors {
				if tensors[i].Name == name {
					tensors[i].Shape, tensors[i].Data = shape, make([]byte, size)
				}
			}
			return tensors
		}
	}
	for _, c := range []struct{ name, path, want string }{
		{"another name", exportedOrdinary(t, parent, rename("layer2.0.conv1", "layer2.0.conv_1")),
			"has no tensor layer2.0.conv1.weight [4 2 3 3], which resnet18 in mode none has (the " +
				"nearest is layer2.0.conv_1.weight [4 2 3 3])"},
		{"a prefix and a missing tensor",
			exportedOrdinary(t, parent, func(tensors []safetensors.Tensor) []safetensors.Tensor {
				return rename("^", "wrapped_model.")(rename("layer2.0.conv1",
					"layer2.0.conv_1")(tensors))
			}), "has no tensor layer2.0.conv1.weight [4 2 3 3], which resnet18 in mode none has " +
				"(the " +
				"nearest is layer2.0.conv_1.weight [4 2 3 3])"},
		{"two networks",
			exportedOrdinary(t, parent, func(tensors []safetensors.Tensor) []safetensors.Tensor {
				return append(rename("^", "student.")(slices.Clone(tensors)),
					rename("^", "teacher.")(tensors)...)
			}), "has 2 networks, with the prefixes student. and teacher.: save the tensors of one"},
		{"a name without likeness", exportedOrdinary(t, parent, rename("downsample", "shortcut")),
			"has no tensor layer2.0.downsample.0.weight [4 2 1 1], which resnet18 in mode none " +
				"has (the nearest is layer2.0.shortcut.0.weight [4 2 1 1]): rename it"},
		{"another name of the last layer", exportedOrdinary(t, parent, rename("^fc", "linear")),
			"(the nearest is linear.weight [10 16]): rename it"},
		{"whole numbers",
			exportedOrdinary(t, parent, func(tensors []safetensors.Tensor) []safetensors.Tensor {
				tensors[slices.IndexFunc(tensors, func(t safetensors.Tensor) bool {
					return t.Name == "conv1.weight"
				})].DType = "I32"
				return tensors
			}), "convert its tensors with x.float()"},
		{"a negative variance",
			exportedOrdinary(t, parent, func(tensors []safetensors.Tensor) []safetensors.Tensor {
				for i := range tensors {
					if tensors[i].Name == "bn1.running_var" {
						tensors[i].Data[3] |= 0x80
					}
				}
				return tensors
			}), "has bn1.running_var with a negative variance"},
		{"a name that another tensor's ends with",
			exportedOrdinary(t, parent, rename("^bn1", "bn_1")),
			"has no tensor bn1.weight [2], which resnet18 in mode none has (the nearest is " +
				"bn_1.weight [2]): rename it if it's the same, or give the network, width"},
		{"other classes", exportedOrdinary(t, parent, reshape("fc.weight", 100, 16)),
			"the file distinguishes 100 classes, the data set has 10"},
		{"a network for large images", exportedOrdinary(t, parent, reshape("conv1.weight", 2, 3, 7,
			7)), "its first convolution has 7 x 7 pixels, our resnet18's 3 x 3: give --network " +
			"resnet18-imagenet"},
		{"a network for small images, as one for large ones", exportedOrdinary(t, parent, nil),
			"its first convolution has 3 x 3 pixels, our resnet18-imagenet's 7 x 7: give " +
				"--network resnet18 if"},
		{"another width", exportedOrdinary(t, parent, reshape("bn1.weight", 4)),
			"bn1.weight of type F32 and shape [4], want F32 and [2]: give the network, width"},
		{"a node-BNN", referenceFile("resnet18"), "holds a node-BNN already"},
		{"no file", "nothing.safetensors", "nothing.safetensors"},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs := filepath.Join(t.TempDir(), "runs")
			config := ordinaryConfig()
			if strings.Contains(c.name, "as one for large") {
				config.Network.Name = "resnet18-imagenet"
			}
			_, err := ImportOrdinary(t.Context(), runs, config, c.path)
			if err == nil || !strings.Contains(err.Error(), c.want) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, c.want)
			}
			if exists(runs) {
				t.Errorf("%s is left behind", runs)
			}
		})
	}
}
