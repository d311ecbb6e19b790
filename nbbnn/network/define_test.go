package network

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// forget removes defined networks at the end of a test.
func forget(t testing.TB) {
	before := definitions
	t.Cleanup(func() { definitions = before })
	definitions = newDefinitions()
}

func define(t testing.TB, name string, build func(*Builder) Value, defaults ...Defaults) {
	t.Helper()
	forget(t)
	testkit.NoError(t, Define(name, build, defaults...))
}

// small is a network with every kind of layer.
func small(b *Builder) Value {
	x := b.Image().Convolve(Convolution{Channels: b.Width(),
		NoBias: true}).Normalise().ReLU().MaxPool()
	y := x.Convolve(Convolution{Channels: b.Width(), NoBias: true}).Normalise()
	return y.Add(x).ReLU().AveragePool().Dense(Dense{Features: b.Classes()})
}

func TestParametersOfADefinedNetwork(t *testing.T) {
	define(t, "small", small, Defaults{Width: 4})
	settings := Settings{Network: Network{Name: "small"}}.WithDefaults()
	a := settings.Network.Architecture(10)
	const want = 27*4 + 2*4 + 36*4 + 2*4 + 4*10 + 10
	if got := a.Parameters; got != want {
		t.Errorf("%d parameters, want %d", got, want)
	}
	if got, training := a.MultiplyAdds(8, 16); got != 2*(64*27*4+16*36*4)+40 ||
		training != 2*(2*64*27*4+3*16*36*4)+3*40 {
		t.Errorf("%d multiply-adds, with gradients %d, want 18,472 and 41,592", got, training)
	}
	if all, largest := a.Outputs(8, 16); all != 2*(64*4+16*4)+10 || largest != 2*64*4 {
		t.Errorf("%d outputs, of one layer %d, want 650 and 512", all, largest)
	}
	if got, want := a.Layers(), []string{"conv1", "conv2", "dense1"}; !slices.Equal(got, want) {
		t.Errorf("layers %v, want %v", got, want)
	}
}

// Each change of a layer changes the fingerprint, and with it the hash of a configuration.
func TestFingerprintChangesWithEveryLayer(t *testing.T) {
	seen := map[string]string{}
	for _, c := range []struct {
		name  string
		build func(*Builder) Value
	}{
		{"plain", func(b *Builder) Value { return changed(b, Convolution{}, Dense{}) }},
		{"kernel", func(b *Builder) Value { return changed(b, Convolution{Kernel: 5}, Dense{}) }},
		{"stride", func(b *Builder) Value { return changed(b, Convolution{Stride: 2}, Dense{}) }},
		{"padding", func(b *Builder) Value {
			return changed(b, Convolution{NoPadding: true}, Dense{})
		}},
		{"bias", func(b *Builder) Value { return changed(b, Convolution{NoBias: true}, Dense{}) }},
		{"start", func(b *Builder) Value {
			return changed(b, Convolution{Start: Uniform}, Dense{})
		}},
		{"layer's name", func(b *Builder) Value {
			return changed(b, Convolution{Name: "first"}, Dense{})
		}},
		{"dropout", func(b *Builder) Value {
			return changed(b, Convolution{}, Dense{Dropout: 0.5})
		}},
		{"a ReLU", func(b *Builder) Value {
			return b.Image().Convolve(Convolution{Channels: 4}).ReLU().AveragePool().Dense(Dense{
				Features: b.Classes()})
		}},
		{"a pool", func(b *Builder) Value {
			return b.Image().Convolve(Convolution{Channels: 4}).MaxPool().AveragePool().Dense(Dense{
				Features: b.Classes()})
		}},
		{"a normalisation", func(b *Builder) Value {
			return b.Image().Convolve(Convolution{Channels: 4}).Normalise().AveragePool().Dense(
				Dense{Features: b.Classes()})
		}},
		{"a sum", func(b *Builder) Value {
			x := b.Image().Convolve(Convolution{Channels: 4})
			return x.Add(x).AveragePool().Dense(Dense{Features: b.Classes()})
		}},
		{"more classes", func(b *Builder) Value {
			if b.Classes() > 50 {
				return changed(b, Convolution{Kernel: 5}, Dense{})
			}
			return changed(b, Convolution{}, Dense{})
		}},
	} {
		define(t, "changing", c.build)
		fingerprint := Settings{
			Network: Network{Name: "changing"}}.WithDefaults().Network.Fingerprint
		if len(fingerprint) != 12 {
			t.Errorf("%s: the fingerprint is %q, want 12 digits", c.name, fingerprint)
		}
		if other, taken := seen[fingerprint]; taken {
			t.Errorf("%s has the fingerprint of %s", c.name, other)
		}
		seen[fingerprint] = c.name
	}
}

// changed is a network of two layers.
func changed(b *Builder, c Convolution, d Dense) Value {
	c.Channels, d.Features = 4, b.Classes()
	return b.Image().Convolve(c).AveragePool().Dense(d)
}

func TestBuiltInNetworksHaveNoFingerprint(t *testing.T) {
	for _, name := range Names() {
		n := Settings{Network: Network{Name: name}}.WithDefaults().Network
		if n.Fingerprint != "" {
			t.Errorf("%s has the fingerprint %s", name, n.Fingerprint)
		}
		n.Fingerprint = "0123456789ab"
		testkit.Error(t, name, n.validate(), name+" is built in, but the configuration has the "+
			"fingerprint 0123456789ab: leave it out")
	}
}

func TestSettingsOfAnotherDefinitionAreRefused(t *testing.T) {
	define(t, "small", small)
	n := Settings{Network: Network{Name: "small"}}.WithDefaults().Network
	testkit.NoError(t, n.validate())
	define(t, "small", func(b *Builder) Value { return changed(b, Convolution{}, Dense{}) })
	testkit.Error(t, "changed",
		n.validate(), "the layers of small have changed: the configuration has the fingerprint "+
			n.Fingerprint)
	forget(t)
	testkit.Error(t, "forgotten",
		n.validate(), `this program doesn't define "small": run the program that trained it`)
	n.Fingerprint, n.Name = "", "shuffle_1_9c6eb53fae52"
	testkit.Error(t, "of a file", n.validate(), "`nbbnn posthoc --from RUN` puts noise on its run")
	n.Name = "allcnn"
	testkit.Error(t, "unknown", n.validate(), `unknown network "allcnn" (did you mean "allcnnc"?)`)
	testkit.Error(t, "perhaps of another program", n.validate(), "resnet18-imagenet; one of your "+
		"own is in your program")
}

// A mistake in a definition is one line with the name, the value and the cure.
func TestMistakesOfDefinitions(t *testing.T) {
	forget(t)
	good := func(b *Builder) Value { return changed(b, Convolution{}, Dense{}) }
	convolve := func(c Convolution) func(*Builder) Value {
		return func(b *Builder) Value {
			return b.Image().Convolve(c).AveragePool().Dense(Dense{Features: b.Classes()})
		}
	}
	var other *Builder
	calls := 0
	for _, c := range []struct {
		name  string
		build func(*Builder) Value
		want  string
	}{
		{"my/net", good,
			`the name "my/net" can't be used: choose lower-case letters, digits and underscores`},
		{"", good, `the name "" can't be used`},
		{"resnet18", good, `the name "resnet18" is taken: choose another`},
		{"nothing", nil, "nothing has no definition"},
		{"panics", func(*Builder) Value {
			panic("no idea")
		}, "the definition of panics fails at width 16: no idea: correct the function"},
		{"divides", func(b *Builder) Value {
			return good(&Builder{network: Network{Width: 1 / (b.Width() - 16)}})
		}, "divide by zero"},
		{"zero", func(*Builder) Value { return Value{} }, "returns no value of its Builder"},
		{"input", func(b *Builder) Value { return Value{}.ReLU() }, "start with Builder.Image"},
		{"bare", func(b *Builder) Value {
			return b.Image().AveragePool()
		}, "no layer with weights"},
		{"open", func(b *Builder) Value { return b.Image().Convolve(Convolution{Channels: 10}) },
			"it ends with images of 10 channels, want 10 features, one for each class"},
		{"narrow", func(b *Builder) Value {
			return b.Image().AveragePool().Dense(Dense{Features: 2})
		}, "it ends with 2 features, want 10"},
		{"negative", convolve(Convolution{Channels: -1}), "negative, width 16: conv1 has -1 " +
			"channels: give 1 or more"},
		{"kernel", convolve(Convolution{Channels: 4, Kernel: -3}), "conv1 has a kernel of -3 " +
			"pixels: give 1 or more"},
		{"stride", convolve(Convolution{Channels: 4, Stride: -1}),
			"conv1 has stride -1: give 1 or more"},
		{"padding", convolve(Convolution{Channels: 4, Padding: 3}), "conv1 has a padding of 3 " +
			"pixels: give 0 to 2"},
		{"start", convolve(Convolution{Channels: 4, Start: "warm"}),
			`conv1 has the unknown start "warm"`},
		{"layer", convolve(Convolution{Channels: 4, Name: "a.b"}),
			`a layer is named "a.b": use lower-case letters`},
		{"twice", func(b *Builder) Value {
			return b.Image().Convolve(Convolution{Name: "a", Channels: 4}).Convolve(Convolution{
				Name: "a", Channels: 4})
		}, `two layers are named "a"`},
		{"dropout", func(b *Builder) Value {
			return changed(b, Convolution{}, Dense{Dropout: 1})
		}, "dense1 has dropout 1"},
		{"flat", func(b *Builder) Value {
			return b.Image().AveragePool().Convolve(Convolution{Channels: 4})
		},
			"a convolution takes images, and its input is 3 features"},
		{"sum", func(b *Builder) Value {
			return b.Image().Add(b.Image().Convolve(Convolution{Channels: 4}))
		},
			"a sum takes images of 3 channels and images of 4 channels"},
		{"unused", func(b *Builder) Value {
			b.Image().Convolve(Convolution{Channels: 4})
			return good(b)
		}, "nothing uses conv1: remove it"},
		{"foreign", func(b *Builder) Value {
			if other == nil {
				other = b
			}
			return b.Image().Add(other.Image())
		}, ""},
		{"fickle", func(b *Builder) Value {
			calls++
			return changed(b, Convolution{Kernel: 1 + calls}, Dense{})
		},
			"the definition of fickle changes from call to call"},
		{"shrinks", func(b *Builder) Value {
			x := b.Image()
			for range 10 {
				x = x.MaxPool()
			}
			return x.AveragePool().Dense(Dense{Features: b.Classes()})
		}, "shrinks takes no images of up to 512 x 512 pixels: a max pool shrinks 1 x 1 pixels " +
			"below one: use fewer pools"},
		{"uneven", func(b *Builder) Value {
			return b.Image().Add(b.Image().MaxPool()).AveragePool().Dense(Dense{
				Features: b.Classes()})
		}, "a sum gets images of 512 x 512 and 256 x 256 pixels"},
	} {
		err := Define(c.name, c.build)
		if c.want == "" {
			if err == nil {
				t.Errorf("%s: no error", c.name)
			}
			continue
		}
		testkit.Error(t, c.name, err, c.want)
	}
	testkit.Error(t, "defaults",
		Define("defaults", good, Defaults{Epochs: -1}), "defaults has the defaults")
	testkit.Error(t, "used all the same", Network{Name: "panics"}.validateName(),
		"the definition of panics fails at width 16: no idea: correct the function")
	testkit.NoError(t, Define("twin", good))
	testkit.Error(t, "a layout of the published code", ReferenceLayout.Check(Network{Name: "twin"}),
		"the published code has no twin: choose the layout workbench")
	testkit.Error(t, "two definitions", Define("twin", good),
		`the name "twin" is taken: choose another`)
}

// A network says which images it takes, and the error of others names the layer that can't take
// them.
func TestSizesOfImages(t *testing.T) {
	define(t, "pools", func(b *Builder) Value {
		x := b.Image().Convolve(Convolution{Channels: 4, Kernel: 5,
			NoPadding: true}).MaxPool().MaxPool()
		return x.Dense(Dense{Features: b.Classes()})
	})
	for _, c := range []struct {
		name          string
		height, width int
		want          string
	}{
		{"allcnnc", 1, 32, ""}, {"vgg16", 31, 32, "shrinks 1 x 2 pixels below one"},
		{"vgg16", 32, 32, ""}, {"vgg16", 63, 63, ""},
		{"vgg16", 64, 64, "dense1 takes one pixel and gets 2 x 2; it takes square images of 32 " +
			"to 63 pixels"},
		{"resnet18", 7, 7, ""}, {"resnet18", 96, 64, ""}, {"preactresnet18", 64, 64, ""},
		{imageNetResNet18, 224, 224, ""}, {imageNetResNet18, 1, 1, ""},
		{"pools", 8, 8, ""}, {"pools", 11, 8, ""},
		{"pools", 7, 7, "pools takes no images of 7 x 7 pixels: a max pool shrinks 1 x 1 pixels " +
			"below one; it takes square images of 8 to 11 pixels"},
		{"pools", 12, 12, "dense1 takes one pixel and gets 2 x 2"},
		{"pools", 4, 8, "conv1 shrinks 4 x 8 pixels below one"},
	} {
		err := testArchitecture(c.name, 2, 10).CheckSize(c.name, c.height, c.width)
		if c.want == "" && err == nil {
			continue
		}
		testkit.Error(t, fmt.Sprintf("%s, %d x %d", c.name, c.height, c.width), err, c.want)
	}
}

// Layers that see each image once, before the first noisy layer, give every sample the same input.
func TestSamplesOfLayersBeforeTheFirst(t *testing.T) {
	define(t, "late", func(b *Builder) Value {
		x := b.Image().Normalise().ReLU().MaxPool()
		return x.Add(x.Convolve(Convolution{Channels: 3})).AveragePool().Dense(Dense{
			Features: b.Classes()})
	})
	testkit.NoError(t, Define("dense_only", func(b *Builder) Value {
		return b.Image().AveragePool().Dense(Dense{Features: b.Classes()})
	}))
	for _, name := range []string{"late", "dense_only"} {
		for _, mode := range []Mode{Output, Input, Both, Deterministic} {
			settings := tinySettings()
			settings.Network.Name, settings.Posterior.Mode = name, mode
			if mode == Deterministic {
				settings.Posterior.Components = 1
			}
			m := testkit.Must(NewModel(settings, randomData(16, 6, 3), ModelOptions{}))(t)
			// two samples of each image
			takeSteps(t, testkit.Must(NewStepper(m, randomData(16, 6, 3).Train, StepperOptions{}))(
				t), 3)
		}
	}
}

// The layers of the built-in networks, with their names, initial values and dropout, are those of
// the runs on users' disks.
func TestLayersOfBuiltInNetworks(t *testing.T) {
	for _, c := range []struct {
		network Network
		want    string // the fingerprint of a definition with these layers
	}{
		{Network{Name: "allcnnc", Form: Published}, "52050bb2715e"},
		{Network{Name: "allcnnc", Form: Narrow}, "da80b9c9930a"},
		{Network{Name: "vgg16"}, "e433557aef5b"},
		{Network{Name: "vgg16", NoDropout: true}, "cca261bffaa9"},
		{Network{Name: "resnet18"}, "9542ad5700fe"},
		{Network{Name: imageNetResNet18}, "6ec280e2588a"},
		{Network{Name: "preactresnet18"}, "eee63d1d76bb"},
	} {
		d := definitionOf(c.network.Name)
		d.build = func(b *Builder) Value {
			b.network.Form, b.network.NoDropout = c.network.Form, c.network.NoDropout
			return definitionOf(c.network.Name).build(b)
		}
		if got := testkit.Must(d.fingerprint(8))(t); got != c.want {
			t.Errorf("%+v has layers of the fingerprint %s, want %s", c.network, got, c.want)
		}
	}
}
