package nbbnn

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/schedule"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Every field of this configuration differs from its default, so that a field that gets lost shows.
var unusual = Config{
	Network: Network{Name: "allcnnc", Width: 24, Form: network.Published},
	Data: Data{Name: dataset.CIFAR10, Train: 500, Test: 100, Seed: 3, Validation: 20,
		LabelNoise: 0.4, NoiseForm: anyLabels},
	Posterior: Posterior{Components: 4, Mode: Both, InitStd: 0.16, PriorStd: 0.3},
	Objective: Objective{Gamma: 8, Bound: network.ExactBound, Scope: "joint",
		Divergence: "full", ExtraEntropy: "conditional_sum"},
	Training: Training{
		Epochs: 3, Batch: 16, Samples: 2, LearningRate: 0.02, PosteriorLearningRate: 0.1,
		Momentum: 0.8, WeightDecay: 1e-3, BetaEpochs: 1, NoAugmentation: true,
	},
	Seed: 1<<64 - 1,
}

func TestConfigRoundTrip(t *testing.T) {
	for _, want := range []Config{{}, Config{}.WithDefaults(), unusual,
		Paper("allcnnc", dataset.CIFAR10)} {
		data := testkit.Must(json.Marshal(want))(t)
		got, err := parseConfig("test", data)
		if err != nil || got != want {
			t.Errorf("got %+v, error %v, want %+v", got, err, want)
		}
	}
}

func TestDefaultsAreFixedPoint(t *testing.T) {
	for _, c := range []Config{{}, unusual,
		{Training: Training{NoMomentum: true, NoWeightDecay: true, NoAnnealing: true}}} {
		once := c.WithDefaults()
		equal(t, "filled twice", once.WithDefaults(), once)
		testkit.NoError(t, once.Validate())
		if c.Hash() != once.Hash() {
			t.Errorf("hash of %+v changes when defaults are filled in", c)
		}
	}
	if filled := unusual.WithDefaults(); filled != unusual {
		t.Errorf("a full configuration becomes %+v", filled)
	}
}

func TestDefaultsThatDependOnOthers(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		got    func(Config) any
		want   any
	}{
		{"form at the published width", Config{}, func(c Config) any {
			return c.Network.Form
		}, network.Published},
		{"form at another width", Config{Network: Network{Width: 24}}, func(c Config) any {
			return c.Network.Form
		}, network.Narrow},
		{"prior", Config{Posterior: Posterior{InitStd: 0.16}}, func(c Config) any {
			return c.Posterior.PriorStd
		}, 0.16},
		{"annealing", Config{Training: Training{Epochs: 12}}, func(c Config) any {
			return c.Training.BetaEpochs
		}, 8},
		{"annealing of one epoch", Config{Training: Training{Epochs: 1}}, func(c Config) any {
			return c.Training.BetaEpochs
		}, 1},
		{"no annealing", Config{Training: Training{NoAnnealing: true}}, func(c Config) any {
			return c.Training.BetaEpochs
		}, 0},
		{"no momentum", Config{Training: Training{NoMomentum: true}}, func(c Config) any {
			return c.Training.Momentum
		}, 0.0},
		{"no weight decay", Config{Training: Training{NoWeightDecay: true}}, func(c Config) any {
			return c.Training.WeightDecay
		}, 0.0},
	} {
		if got := c.got(c.config.WithDefaults()); got != c.want {
			t.Errorf("%s is %v, want %v", c.name, got, c.want)
		}
	}
}

// The hash must not change from one version to the next, or runs are lost.
func TestHashIsStable(t *testing.T) {
	const want = "ec28e2447652614444c2767dab96ae3cf5fad222e13203398b92af6e5d996dc7"
	equal(t, "hash of the default configuration", (Config{}).Hash(), want)
	negative := math.Copysign(0, -1)
	zeros := Config{Objective: Objective{Gamma: negative}, Posterior: Posterior{InitStd: negative},
		Data: Data{LabelNoise: negative}}
	equal(t, "hash with -0", zeros.Hash(), want)
	equal(t, "scale of -0", ScaleLatents(negative), ScaleLatents(0))
	equal(t, "name with -0", Evaluation{LatentScale: ScaleLatents(negative)}.WithDefaults().label(),
		"first8/scale0")
}

func TestHashSeesEveryField(t *testing.T) {
	seen := map[string]string{(Config{}).Hash(): "nothing"}
	for _, f := range allFields {
		var c Config
		field := f.In(&c)
		field.Set(f.In(unusual))
		if field.Kind() == reflect.Bool {
			field.SetBool(true)
		}
		if c.WithDefaults() == (Config{}).WithDefaults() {
			continue // the default written out
		}
		if other, double := seen[c.Hash()]; double {
			t.Errorf("changing %s gives the same hash as changing %s", f.Path(), other)
		}
		seen[c.Hash()] = f.Path()
	}
	if len(seen) < 20 {
		t.Errorf("only %d fields change the hash", len(seen)-1)
	}
}

func TestConfigIsStrict(t *testing.T) {
	for _, c := range []struct{ json, want string }{
		{`{"seeed": 1}`, `unknown key "seeed" (did you mean "seed"?): correct or remove the key`},
		{`{"objective": {"gama": 8}}`,
			`test has an unknown key "objective.gama" (did you mean "gamma"?)`},
		{`{"Seed": 1}`, `unknown key "Seed" (did you mean "seed"?)`},
		{`{"posterior": {"mode": "ot"}}`,
			`unknown mode "ot" (did you mean "out"?): choose out, in, both`},
		{`{"network": {"name": "allcnn"}}`, `unknown network "allcnn" (did you mean "allcnnc"?)`},
		{`{"network": {"form": "wide"}}`, `unknown form "wide": choose published, narrow`},
		{`{"data": {"train": 100}}`, `100 training images make no batch of 128: give a batch of ` +
			`at most 100 (Config.Training.Batch or --batch) or more images`},
		{`{"data": {"validation": 4000}}`,
			`no batch of 128: give more images, or hold out fewer (now 4000)`},
		{`{"data": {"train_first": 4000}}`,
			`give more images, or begin before place 4000 of the 4000 that shapes10 has`},
		{`{"network": {"name": "vgg16"}, "data": {"name": "tinyimagenet"}}`,
			`vgg16 takes no images of 64 x 64 pixels`},
		{`{"objective": {"bound": "exakt"}}`, `did you mean "exact"?`},
		{`{"objective": {"gamma": -1.5}}`, `gamma is -1.5: give a number from -1, or leave it out`},
		{`{"training": {"epochs": -1}}`,
			`epochs is -1: give a number from 1 up to 4294967296, or leave it out`},
		{`{"training": {"momentum": 1}}`,
			`momentum is 1: give a number above 0 and below 1, or leave it out`},
		{`{"training": {"weight_decay": 0.1, "no_weight_decay": true}}`,
			`weight decay is 0.1 and switched off`},
		{`{"seed": -1}`, `test is no configuration: seed is -1 (line 1), want a whole number ` +
			`from 0 on: correct it, or put a copy in its place`},
		{`{} {}`, `test is no configuration`},
		{`{"seed": 1`, `test is no configuration`},
		{`{"seed": 1, "seed": 2}`,
			`test is no configuration: line 1: the key "seed" is there twice`},
		{`{"training": {"epochs": 1, "epochs": 2}}`,
			`the key "training.epochs" is there twice`},
		{``, `test is no configuration`},
	} {
		refused(t, c.json, c.want)(parseConfig("test", []byte(c.json)))
	}
}

// A file that is no configuration is refused without reading all of it, and a missing one is no
// unreadable one.
func TestReadConfigRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	refused(t, "missing", path+": no such file or directory: name an existing file")(
		ReadConfig(path))
	testkit.NoError(t, os.WriteFile(path, nil, 0o644))
	testkit.NoError(t, os.Truncate(path, 100_000_000))
	refused(t, "huge", path+" has 100000000 bytes, a configuration has at most 1048576")(
		ReadConfig(path))
}

// A tenth of the epochs: a tenth of the ramp, ten times the posterior's learning rate, and the rest
// as it was.
func TestCompress(t *testing.T) {
	full := Paper("resnet18", dataset.CIFAR10).WithDefaults()
	got := testkit.Must(full.Compress(30))(t)
	want := full
	want.Training.Epochs, want.Training.BetaEpochs, want.Training.PosteriorLearningRate = 30, 20, 1
	near(t, "posterior learning rate", got.Training.PosteriorLearningRate, 1.0, 1e-12)
	got.Training.PosteriorLearningRate = 1
	equal(t, "compressed", got, want)
	// the same epoch of either schedule, as a share
	for _, e := range []int{0, 15, 18, 21, 27, 29} {
		near(t, "learning rate factor", schedule.Factor(e, 30, 0.01),
			schedule.Factor(10*e, 300, 0.01), 1e-12)
	}
	refused(t, "no epochs are accepted", "")(full.Compress(0))
}
