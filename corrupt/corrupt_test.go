package corrupt

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/testkit"
)

func TestNamesAreInTheReferenceOrder(t *testing.T) {
	want := strings.Fields(`gaussian_noise shot_noise impulse_noise defocus_blur glass_blur
		motion_blur zoom_blur snow frost fog brightness contrast elastic_transform pixelate
		jpeg_compression speckle_noise gaussian_blur spatter saturate`)
	if got := Names()[:benchmark]; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSuites(t *testing.T) {
	tests := []struct {
		name        string
		count       int
		first, last string
	}{
		{"all19", 19, "gaussian_noise", "saturate"},
		{"main15", 15, "gaussian_noise", "jpeg_compression"},
		{"extra4", 4, "speckle_noise", "saturate"},
		{"ub17", 17, "gaussian_noise", "saturate"},
		{"first8", 8, "gaussian_noise", "gaussian_blur"},
	}
	for _, test := range tests {
		suite, err := SuiteByName(test.name)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		c := suite.Corruptions
		if len(c) != test.count || c[0] != test.first || c[len(c)-1] != test.last {
			t.Errorf("%s: got %v, want %d corruptions from %s to %s", test.name, c, test.count,
				test.first, test.last)
		}
		for _, name := range c {
			if _, err := find(name); err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
		}
	}
	if _, err := SuiteByName("all20"); err == nil ||
		!strings.Contains(err.Error(), `did you mean "all19"?`) {
		t.Errorf("got error %v, want one that suggests all19", err)
	}
}

func TestSuitesMayBeChangedByTheirCaller(t *testing.T) {
	suite, _ := SuiteByName("main15")
	suite.Corruptions[0] = "none"
	if again, _ := SuiteByName("main15"); again.Corruptions[0] != "gaussian_noise" {
		t.Errorf("got %q after a caller's change, want gaussian_noise", again.Corruptions[0])
	}
}

func TestApplyRefusesWrongInput(t *testing.T) {
	right := Config{Corruption: "fog", Severity: 3}
	size := Size{32, 32}
	tests := []struct {
		name   string
		change func(*Config, *Size, *int)
		want   string
	}{
		{"mistyped corruption", func(c *Config, _ *Size, _ *int) {
			c.Corruption = "fogg"
		}, `"fogg" (did you mean "fog"?): want one of gaussian_noise,`},
		{"no corruption", func(c *Config, _ *Size, _ *int) {
			c.Corruption = ""
		}, "unknown corruption"},
		{"severity 0", func(c *Config, _ *Size, _ *int) {
			c.Severity = 0
		}, "severity 0: want 1 (mild) to 5 (severe)"},
		{"severity 6", func(c *Config, _ *Size, _ *int) { c.Severity = 6 }, "severity 6"},
		{"unknown table", func(c *Config, _ *Size, _ *int) { c.Table = 3 }, "parameter table 3"},
		{"negative position", func(c *Config, _ *Size, _ *int) { c.First = -1 }, "first image -1"},
		{"size of zero", func(_ *Config, s *Size, _ *int) { s.Width = 0 }, "image size 32x0"},
		{"size beyond all bounds", func(_ *Config, s *Size, _ *int) {
			s.Height = 1 << 62
		}, "want 1 to 16384 pixels"},
		{"negative size", func(_ *Config, s *Size, _ *int) { s.Height = -32 }, "image size -32x32"},
		{"half an image", func(_ *Config, _ *Size, length *int) {
			*length /= 2
		}, "1536 bytes are no whole number of 32x32 RGB images: want a multiple of 3072"},
		{"no such folder", func(c *Config, _ *Size, _ *int) {
			c.Corruption, c.Textures = "frost", "testdata/none"
		}, "give none (Textures) for textures of our own"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			config, size, length := right, size, size.Values()
			test.change(&config, &size, &length)
			_, err := Apply(context.Background(), config, size, make([]uint8, length))
			if err == nil || !strings.Contains(err.Error(), test.want) ||
				!strings.HasPrefix(err.Error(), "corrupt: ") {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestApplyIsIndependentOfCoresAndNeighbours(t *testing.T) {
	size := Size{16, 12}
	images := slices.Concat(photograph(size, 1), photograph(size, 2), photograph(size, 3),
		photograph(size, 4))
	for _, name := range Names()[:benchmark] {
		config := Config{Corruption: name, Severity: 4, Seed: 9}
		onCores(t, 1)
		alone := apply(t, config, size, images)
		onCores(t, 3)
		if got := apply(t, config, size, images); !bytes.Equal(got, alone) {
			t.Errorf("%s: three cores give other pixels than one", name)
		}
		if got := apply(t, config, size, images[:size.Values()]); !bytes.Equal(got,
			alone[:size.Values()]) {
			t.Errorf("%s: the first image depends on those after it", name)
		}
		config.First = 2
		if got := apply(t, config, size, images[2*size.Values():]); !bytes.Equal(got,
			alone[2*size.Values():]) {
			t.Errorf("%s: the last images alone differ from those in the whole set", name)
		}
	}
}

func TestSeedsSeveritiesAndImagesHaveTheirOwnDraws(t *testing.T) {
	size := Size{32, 32}
	image := photograph(size, 5)
	two := slices.Concat(image, image)
	for _, test := range statisticalCases {
		config := Config{Corruption: test.corruption, Severity: 5, Seed: 1}
		first := apply(t, config, size, two)
		if bytes.Equal(first[:size.Values()], first[size.Values():]) {
			t.Errorf("%s: two equal images got the same draws", test.corruption)
		}
		config.Seed = 2
		if second := apply(t, config, size, two); bytes.Equal(first, second) {
			t.Errorf("%s: two seeds gave the same draws", test.corruption)
		}
	}
}

func TestApplyTakesImagesOfAnySize(t *testing.T) {
	sizes := []Size{{1, 1}, {1, 7}, {2, 2}, {3, 5}, {17, 9}, {33, 70}}
	for _, name := range Names()[:benchmark] {
		for _, table := range []Table{CIFAR, Tiny, ImageNet} {
			for _, size := range sizes {
				for severity := 1; severity <= 5; severity++ {
					config := Config{Corruption: name, Severity: severity, Table: table}
					if out := apply(t, config, size, photograph(size, 6)); len(
						out) != size.Values() {
						t.Errorf("%s at %v: got %d bytes, want %d", name, size, len(out),
							size.Values())
					}
				}
			}
		}
		line := Size{48, 192}
		clean, config := photograph(line, 6), Config{Corruption: name, Severity: 5,
			Table: TableFor(line)}
		if out := apply(t, config, line, clean); bytes.Equal(out, clean) ||
			!bytes.Equal(out, apply(t, config, line, clean)) {
			t.Errorf("%s at %v changes nothing, or otherwise the second time", name, line)
		}
	}
}

func TestLabel(t *testing.T) {
	tests := []struct {
		config Config
		want   string
	}{
		{Config{Corruption: "fog"}, "fog"},
		{Config{Corruption: "frost"}, "frost (procedural)"},
		{Config{Corruption: "frost", Textures: "frost"}, "frost"},
	}
	for _, test := range tests {
		if got := test.config.Label(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestApplyLeavesItsInputAlone(t *testing.T) {
	size := Size{32, 32}
	image := photograph(size, 7)
	before := slices.Clone(image)
	for _, name := range Names()[:benchmark] {
		apply(t, Config{Corruption: name, Severity: 3}, size, image)
		if !bytes.Equal(image, before) {
			t.Fatalf("%s changed its input", name)
		}
	}
}

func TestApplyStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Apply(ctx, Config{Corruption: "fog", Severity: 2}, Size{32, 32}, make([]uint8, 3072))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
}

// onCores lets as many images be corrupted at once until the test ends.
func onCores(t *testing.T, count int) {
	t.Helper()
	before := runtime.GOMAXPROCS(count)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// apply corrupts images and fails the test on any error.
func apply(t *testing.T, config Config, size Size, images []uint8) []uint8 {
	t.Helper()
	return testkit.Must(Apply(context.Background(), config, size, images))(t)
}

func TestTableFor(t *testing.T) {
	tests := []struct {
		size Size
		want Table
	}{
		{Size{1, 1}, CIFAR}, {Size{32, 32}, CIFAR}, {Size{48, 20}, CIFAR}, {Size{20, 49}, Tiny},
		{Size{64, 64}, Tiny},
		{Size{128, 128}, Tiny}, {Size{129, 3}, ImageNet}, {Size{224, 224}, ImageNet},
	}
	for _, test := range tests {
		if got := TableFor(test.size); got != test.want {
			t.Errorf("%v: got %v, want %v", test.size, got, test.want)
		}
	}
}

func TestTableNames(t *testing.T) {
	if got := quantity.Texts([]Table{CIFAR, Tiny, ImageNet}, Table.String); !slices.Equal(got,
		[]string{"cifar", "tiny", "imagenet"}) {
		t.Errorf("the tables are %q", got)
	}
	if got := Table(7).String(); got != "table 7" {
		t.Errorf("got %q for an unknown table", got)
	}
}
