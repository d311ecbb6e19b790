package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/augment"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// startingPoints are two filled configurations to put flags over: a preset, and a file that holds
// the same.
func startingPoints(t *testing.T) map[string]string {
	t.Helper()
	const preset = "allcnnc-cifar10-m16"
	config := testkit.Must(presetByName(preset))(t)
	data := testkit.Must(json.Marshal(config.WithDefaults()))(t)
	path := filepath.Join(t.TempDir(), "config.json")
	testkit.NoError(t, os.WriteFile(path, data, 0o644))
	return map[string]string{"--preset": preset, "--config": path}
}

// readArguments returns the filled configuration of a command line.
func readArguments(t *testing.T, args ...string) nbbnn.Config {
	t.Helper()
	config := testkit.Must(parsedConfig(t, args...))(t)
	return config.WithDefaults()
}

// parsedConfig returns the configuration of a command line, or the error of one that no run can
// have.
func parsedConfig(t *testing.T, args ...string) (nbbnn.Config, error) {
	t.Helper()
	var start startingPoint
	flags := pflag.NewFlagSet("train", pflag.ContinueOnError)
	addStartFlags(flags, &start)
	addConfigFlags(flags, new(nbbnn.Config))
	testkit.NoError(t, flags.Parse(args))
	return readConfig(start, flags)
}

// A flag that repeats what a configuration has, as one that confirms its network, changes nothing.
func TestRepeatedValuesChangeNothing(t *testing.T) {
	start := []string{"--preset", "allcnnc-shapes10"}
	want := readArguments(t, start...)
	for flag, value := range map[string]any{"network": want.Network.Name,
		"epochs": want.Training.Epochs, "init-std": want.Posterior.InitStd,
		"learning-rate": want.Training.LearningRate, "data": want.Data.Name} {
		if got := readArguments(t, append(start, "--"+flag, fmt.Sprint(value))...); got != want {
			t.Errorf("--%s %v: got %+v, want %+v", flag, value, got, want)
		}
	}
}

// What a filled configuration derived from a field that a flag replaces is derived again, unless a
// flag gives it, too.
func TestFlagsOverAFilledConfiguration(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want func(c nbbnn.Config) bool
	}{
		{"epochs", []string{"--epochs", "30"}, func(c nbbnn.Config) bool {
			return c.Training.Epochs == 30 && c.Training.BetaEpochs == 20
		}},
		{"both epochs", []string{"--epochs", "30", "--beta-epochs", "7"},
			func(c nbbnn.Config) bool { return c.Training.BetaEpochs == 7 }},
		{"no epochs", nil, func(c nbbnn.Config) bool {
			return c.Training.Epochs == 90 && c.Training.BetaEpochs == 60
		}},
		{"standard deviation", []string{"--init-std", "0.4"}, func(c nbbnn.Config) bool {
			return c.Posterior.PriorStd == 0.4
		}},
		{"both standard deviations", []string{"--init-std", "0.4", "--prior-std", "0.5"},
			func(c nbbnn.Config) bool { return c.Posterior.PriorStd == 0.5 }},
		{"width", []string{"--width", "24"}, func(c nbbnn.Config) bool {
			return c.Network.Form == network.Narrow && c.Network.Width == 24
		}},
		{"width and form", []string{"--width", "24", "--form", "published"},
			func(c nbbnn.Config) bool {
				return c.Network.Form == network.Published && c.Network.Width == 24
			}},
		{"network", []string{"--network", "vgg16"}, func(c nbbnn.Config) bool {
			return c.Network.Form == network.Published && c.Network.Width == 64
		}},
		{"network and width", []string{"--network", "vgg16", "--width", "8"},
			func(c nbbnn.Config) bool { return c.Network.Width == 8 }},
	} {
		for flag, start := range startingPoints(t) {
			t.Run(c.name+" "+flag, func(t *testing.T) {
				if got := readArguments(t, append([]string{flag, start}, c.args...)...); !c.want(
					got) {
					t.Errorf("%v gives %+v", c.args, got)
				}
			})
		}
	}
}

// An option of the node-BNN that is given for a network without latents is refused, unless it says
// what holds for that, too.
func TestLatentFlagsOfOtherMethods(t *testing.T) {
	const refused = " (--%s) is an option of the method nodebnn, not of %s, which has no " +
		"latents: leave it out"
	for flag, value := range map[string]string{
		"mode": "in", "components": "2", "init-std": "0.32", "prior-std": "0.5", "gamma": "8",
		"bound":      "exact",
		"divergence": "full", "extra-entropy": "conditional", "scope": "joint", "samples": "4",
		"posterior-learning-rate": "0.25", "beta-epochs": "7",
	} {
		for _, name := range []baseline.Name{baseline.MAP, baseline.SWAG, baseline.DAMP} {
			_, err := parsedConfig(t, "--method", string(name), "--"+flag, value)
			want := strings.ReplaceAll(flag, "-", " ") + " " + value + fmt.Sprintf(refused, flag,
				name)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", name, err, want)
			}
		}
	}
	_, err := parsedConfig(t, "--mode", "none", "--init-std", "0.32")
	if want := fmt.Sprintf(refused, "init-std", "map"); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("without --method: error %v, want %q", err, want)
	}
	for _, args := range [][]string{
		{"--method", "map", "--samples", "1", "--components", "1", "--gamma", "0",
			"--mode", "none", "--bound", ""},
		{"--method", "mcdropout", "--samples", "4"}, {"--method", "map", "--network", "vgg16",
			"--samples", "4"},
		{"--method", "nodebnn", "--samples", "4", "--init-std", "0.32"}, {"--gamma", "8"},
	} {
		if _, err := parsedConfig(t, args...); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	_, err = parsedConfig(t, "--method", "mapp", "--samples", "4")
	if err == nil || !strings.Contains(err.Error(), "mapp") ||
		strings.Contains(err.Error(), "latents") {
		t.Errorf("error %v, want one about the unknown method", err)
	}
}

// A file with settings of a posterior that its network lacks is read, whichever method a flag
// gives.
func TestLatentSettingsOfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	const ordinary = `{"posterior": {"mode": "none", "init_std": 0.32}, "training": {"beta_epochs": 7}}`
	testkit.NoError(t, os.WriteFile(path, []byte(ordinary), 0o644))
	if got := readArguments(t, "--config", path, "--seed", "2"); got.Posterior.InitStd != 0.32 {
		t.Errorf("of the file it is %+v, want its settings", got)
	}
	for _, start := range []string{"--config", "--preset"} {
		from := startingPoints(t)[start]
		if got := readArguments(t, start, from, "--method",
			"map"); got.Posterior.Mode != nbbnn.Deterministic {
			t.Errorf("%s: it is %+v, want an ordinary network", from, got)
		}
	}
}

// A flag that asks for an augmentation turns the crops of a preset or a file on, and one that asks
// for none turns its AugMix off. Both flags are refused, and so is a file with both fields, which
// are named.
func TestAugmentationOverAConfiguration(t *testing.T) {
	file := func(training string) string {
		path := filepath.Join(t.TempDir(), "config.json")
		testkit.NoError(t, os.WriteFile(path, []byte(`{"training": {`+training+`}}`), 0o644))
		return path
	}
	const off, mixed = `"no_augmentation": true`, `"augmentation": "augmix"`
	const small = "allcnnc-shapes10" // it has no augmentation
	for _, c := range []struct {
		args []string
		off  bool
		name string
	}{
		{[]string{"--preset", small}, true, ""},
		{[]string{"--preset", small, "--augmentation", "augmix"}, false, augment.Name},
		{[]string{"--preset", small, "--augmentation", ""}, true, ""},
		{[]string{"--preset", small, "--method", "map", "--augmentation", "augmix"}, false,
			augment.Name},
		{[]string{"--config", file(off), "--augmentation", "augmix"}, false, augment.Name},
		{[]string{"--config", file(mixed)}, false, augment.Name},
		{[]string{"--config", file(mixed), "--no-augmentation"}, true, ""},
		{[]string{"--config", file(mixed), "--no-augmentation=false"}, false, augment.Name},
		{[]string{"--augmentation", "augmix", "--no-augmentation=false"}, false, augment.Name},
	} {
		if got := readArguments(t, c.args...).Training; got.NoAugmentation != c.off ||
			got.Augmentation != c.name {
			t.Errorf("%q: no_augmentation %t and augmentation %q, want %t and %q", c.args,
				got.NoAugmentation, got.Augmentation, c.off, c.name)
		}
	}
	const want = "set no_augmentation to false, or leave augmentation out"
	for _, args := range [][]string{
		{"--preset", small, "--augmentation", "augmix", "--no-augmentation"},
		{"--config", file(off + "," + mixed)},
	} {
		if _, err := parsedConfig(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", args, err, want)
		}
	}
}

// A configuration without annealing stays without it.
func TestEpochsKeepNoAnnealing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	testkit.NoError(t,
		os.WriteFile(path, []byte(`{"training": {"epochs": 9, "no_annealing": true}}`), 0o644))
	if got := readArguments(t, "--config", path, "--epochs", "6").Training; got.BetaEpochs != 0 ||
		!got.NoAnnealing {
		t.Errorf("training is %+v, want no annealing", got)
	}
}

// A method of a flag has its own schedule, which --compress shortens: six cycles of csghmc stay
// six. The others train as they would have been asked for without a preset's posterior.
func TestCompressTheMethodOfAFlag(t *testing.T) {
	got := readArguments(t, "--preset", "resnet18-cifar100", "--method", "csghmc", "--compress",
		"30").Method
	if got.Cycles != 6 || got.Snapshots != 2 {
		t.Errorf("csghmc has %d cycles with %d snapshots, want 6 with 2", got.Cycles, got.Snapshots)
	}
	preset := nbbnn.Paper("resnet18", "cifar100")
	preset.Training.Epochs = 30
	for _, name := range []baseline.Name{baseline.MAP, baseline.ASAM, baseline.SWAG, baseline.DAMP,
		baseline.MCDropout} {
		got := readArguments(t, "--preset", "resnet18-cifar100", "--method", string(name),
			"--compress", "30")
		if want := preset.With(nbbnn.Method{Name: name}).WithDefaults(); got != want {
			t.Errorf("%s is %+v, want %+v", name, got, want)
		}
	}
}

// The settings of a record begin a configuration, too, and flags override them.
func TestConfigOfARecord(t *testing.T) {
	path := testkit.Must(filepath.Glob(filepath.Join("..", "..", "docs", "results", "board",
		"shapes10", "asam-seed1.*.record")))(t)
	if len(path) != 1 {
		t.Skip("the board's records aren't here")
	}
	hash := strings.Split(filepath.Base(path[0]), ".")[1]
	if c := readArguments(t, "--config", path[0]); c.RunName() != hash {
		t.Errorf("the record's configuration is run %s, want %s", c.RunName(), hash)
	}
	if c := readArguments(t, "--config", path[0], "--epochs", "7"); c.Training.Epochs != 7 {
		t.Errorf("%d epochs, want the flag's 7", c.Training.Epochs)
	}
}
