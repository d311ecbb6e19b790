package nbbnn

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/safetensors"
)

// changes are the changes of corruptions, one after the other.
func changes(all []ImplicitCorruption) (values []float32) {
	for _, c := range all {
		values = append(values, c.Change...)
	}
	return values
}

func TestImplicitCorruptionsOfARun(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	settings := Implicit{Images: 3, Lambda: []float64{0.01, 0.1, 1}, Steps: 60}
	if _, err := run.ImplicitCorruptions(t.Context(), settings, nil); err == nil {
		t.Error("a run that isn't trained has implicit corruptions")
	}
	trainedCard(t, run)
	cancelled, cancel := context.WithCancel(t.Context())
	_, err := run.ImplicitCorruptions(cancelled, settings, func(Update) { cancel() })
	if !errors.Is(err, ErrStopped) {
		t.Errorf("a cancelled search: error %v, want one that wraps ErrStopped", err)
	}
	all, err := run.ImplicitCorruptions(t.Context(), settings, nil)
	if err != nil || len(all) != 3*2*3 { // images, components, lambdas
		t.Fatalf("%d corruptions, error %v: want 18", len(all), err)
	}
	for i, c := range all {
		if c.Image != i/6 || c.Draw != i/3%2 || c.Lambda != settings.Lambda[i%3] {
			t.Errorf("corruption %d is of image %d, draw %d, lambda %g: want images together, draws together", i, c.Image, c.Draw, c.Lambda)
		}
		if i%3 > 0 && !(c.Norm < all[i-1].Norm) {
			t.Errorf("corruption %d: norm %g for lambda %g, %g for %g: want it to fall", i, c.Norm, c.Lambda, all[i-1].Norm, all[i-1].Lambda)
		}
		if !(c.Norm > 0 && c.RMS() > 0 && c.Steps > 0 && c.Steps <= 60) {
			t.Errorf("corruption %d: norm %g, rms %g, %d steps", i, c.Norm, c.RMS(), c.Steps)
		}
		if c.Image > 0 && slices.Equal(c.Change, all[i-6].Change) || c.Draw > 0 && slices.Equal(c.Target, all[i-3].Target) {
			t.Errorf("corruption %d is that of another image or draw", i)
		}
	}
	testKeptCorruptions(t, run, settings, all)
}

// The corruptions of a run are read again, don't depend on those sought beside them, and aren't those of other weights.
func testKeptCorruptions(t *testing.T, run *Run, settings Implicit, all []ImplicitCorruption) {
	again, err := run.ImplicitCorruptions(t.Context(), settings, func(Update) { t.Error("corruptions that are kept are sought again") })
	if err != nil || !slices.Equal(changes(again), changes(all)) || again[0].Norm != all[0].Norm {
		t.Errorf("error %v: want the same corruptions from the files", err)
	}
	settings, files, err := run.fillImplicit(settings)
	if err != nil {
		t.Fatal(err)
	}
	if _, found := (implicitFiles{files.directory, "other", settings}).read(0); found {
		t.Error("corruptions of other weights are found")
	}
	if err := os.WriteFile(files.path(1), []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(files.path(2)); err != nil {
		t.Fatal(err)
	}
	settings.First, settings.Images = 1, 2
	sought := 0
	alone, err := run.ImplicitCorruptions(t.Context(), settings, func(Update) { sought++ })
	if err != nil || sought == 0 {
		t.Fatalf("error %v, %d updates: want the damaged and the missing one sought again", err, sought)
	}
	near(t, "corruptions of the last two images, sought without the first", changes(alone), changes(all[6:]), 1e-4)
}

// A file whose values are of another type or number holds nothing.
func TestDamagedImplicitFiles(t *testing.T) {
	const image = 3
	files := implicitFiles{t.TempDir(), "weights", Implicit{Draws: 2, Lambda: []float64{0.1, 1}}}
	whole := func() implicitValues { // 5 classes, 2 pixels
		return implicitValues{target: make([]float32, 2*5), reached: make([]float32, 2*2*5), change: make([]float32, 2*2*6), steps: make([]float32, 2*2)}
	}
	for _, c := range []struct {
		name   string
		change func(*implicitValues)
		want   bool
	}{
		{"whole", func(*implicitValues) {}, true},
		{"an empty target", func(v *implicitValues) { v.target, v.reached = nil, nil }, false},
		{"targets of another number of draws", func(v *implicitValues) { v.target = v.target[1:] }, false},
		{"outputs of other classes", func(v *implicitValues) { v.reached = v.reached[4:] }, false},
		{"no change", func(v *implicitValues) { v.change = nil }, false},
		{"a change of half a pixel", func(v *implicitValues) { v.change = v.change[4:] }, false},
		{"fewer steps", func(v *implicitValues) { v.steps = v.steps[1:] }, false},
	} {
		values := whole()
		c.change(&values)
		if err := files.write(image, values); err != nil {
			t.Fatal(err)
		}
		if _, found := files.read(image); found != c.want {
			t.Errorf("%s: found is %v, want %v", c.name, found, c.want)
		}
	}
	tensors := []safetensors.Tensor{
		{Name: "target", DType: "I32", Shape: []int{10}, Data: make([]byte, 40)}, {Name: "reached", DType: "F32", Shape: []int{20}, Data: make([]byte, 80)},
		{Name: "change", DType: "F32", Shape: []int{24}, Data: make([]byte, 96)}, {Name: "steps", DType: "F32", Shape: []int{4}, Data: make([]byte, 16)},
	}
	if err := safetensors.Write(files.path(image), tensors, map[string]string{weightsKey: files.weights}); err != nil {
		t.Fatal(err)
	}
	if _, found := files.read(image); found {
		t.Error("integers are found")
	}
}

// What the mean over draws of f, pixels as the space and other fixed latents mean: all lower the objective from where it begins.
func TestImplicitSettings(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	trainedCard(t, run)
	var before []float32
	for _, settings := range []Implicit{{}, {Latents: OneLatents}, {Expected: 4}, {Space: PixelSpace}, {Seed: 1}} {
		settings.Lambda, settings.Steps = []float64{0.03}, 40
		all, err := run.ImplicitCorruptions(t.Context(), settings, nil)
		if err != nil || len(all) != 2 {
			t.Fatalf("%+v: %d corruptions, error %v", settings, len(all), err)
		}
		if slices.Equal(before, changes(all)) {
			t.Errorf("%+v: the same corruptions as with the settings before", settings)
		}
		before = changes(all)
		if settings.Space == PixelSpace {
			near(t, "norm in pixels over the rms", all[0].Norm/all[0].RMS(), 55.4256, 1e-3) // sqrt(3072)
		}
	}
	for _, c := range []struct {
		settings Implicit
		want     string
	}{
		{Implicit{Lambda: []float64{0}}, "lambda is 0"},
		{Implicit{Lambda: []float64{0.1, -1}}, "lambda is -1"},
		{Implicit{Draws: 3}, "3 draws"},
		{Implicit{Expected: 3}, "3 draws whose mean"},
		{Implicit{Expected: 4, Latents: OneLatents}, "leave one of the two out"},
		{Implicit{Latents: "one"}, `did you mean "ones"`},
		{Implicit{Space: "pixel"}, `did you mean "pixels"`},
		{Implicit{Steps: -1}, "number of steps is -1"},
		{Implicit{Rate: -1}, "rate is -1"},
		{Implicit{Tolerance: -1}, "tolerance is -1"},
		{Implicit{Images: -1}, "number of images is -1"},
		{Implicit{First: -1}, "first image is -1"},
		{Implicit{First: 15, Images: 6}, "test images 15 to 20 are asked for, the run has 20"},
	} {
		if _, err := run.ImplicitCorruptions(t.Context(), c.settings, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one with %q", c.settings, err, c.want)
		}
	}
}

// A run without latents has no draws to imitate.
func TestImplicitCorruptionsNeedLatents(t *testing.T) {
	config := tinyConfig()
	config.Posterior = Posterior{Mode: Deterministic}
	config.Objective = Objective{}
	run := openRun(t, t.TempDir(), config)
	trainedCard(t, run)
	if _, err := run.ImplicitCorruptions(t.Context(), Implicit{}, nil); err == nil || !strings.Contains(err.Error(), "no latents") {
		t.Errorf("error %v, want one that says that there are no latents", err)
	}
}
