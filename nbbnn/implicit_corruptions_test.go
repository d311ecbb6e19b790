package nbbnn

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/implicit"
)

// changes are the changes of corruptions, one after the other.
func changes(all []implicit.Corruption) (values []float32) {
	for _, c := range all {
		values = append(values, c.Change...)
	}
	return values
}

func TestImplicitCorruptionsOfARun(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	settings := implicit.Settings{Images: 3, Lambda: []float64{0.01, 0.1, 1}, Steps: 60}
	refused(t, "a run that isn't trained has implicit corruptions",
		"")(run.ImplicitCorruptions(t.Context(), settings, nil))
	train(t, run)
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
			t.Errorf("corruption %d is of image %d, draw %d, lambda %g: want images together, "+
				"draws together", i, c.Image, c.Draw, c.Lambda)
		}
		if i%3 > 0 && !(c.Norm < all[i-1].Norm) {
			t.Errorf("corruption %d: norm %g for lambda %g, %g for %g: want it to fall", i, c.Norm,
				c.Lambda, all[i-1].Norm, all[i-1].Lambda)
		}
		if !(c.Norm > 0 && c.RMS() > 0 && c.Steps > 0 && c.Steps <= 60) {
			t.Errorf("corruption %d: norm %g, rms %g, %d steps", i, c.Norm, c.RMS(), c.Steps)
		}
		if c.Image > 0 && slices.Equal(c.Change, all[i-6].Change) || c.Draw > 0 &&
			slices.Equal(c.Target, all[i-3].Target) {
			t.Errorf("corruption %d is that of another image or draw", i)
		}
	}
	testKeptCorruptions(t, run, settings, all)
}

// The corruptions of a run are read again, don't depend on those sought with them, and aren't those
// of other weights.
func testKeptCorruptions(t *testing.T, run *Run, settings implicit.Settings,
	all []implicit.Corruption) {
	again, err := run.ImplicitCorruptions(t.Context(), settings, func(Update) {
		t.Error("corruptions that are kept are sought again")
	})
	if err != nil || !slices.Equal(changes(again), changes(all)) || again[0].Norm != all[0].Norm {
		t.Errorf("error %v: want the same corruptions from the files", err)
	}
	folders, err := filepath.Glob(run.path("implicit/*"))
	if err != nil || len(folders) != 1 {
		t.Fatalf("folders %v, error %v: want one for the settings", folders, err)
	}
	testkit.NoError(t, os.WriteFile(filepath.Join(folders[0], "image-0001.safetensors"),
		[]byte("damaged"), 0o644))
	testkit.NoError(t, os.Remove(filepath.Join(folders[0], "image-0002.safetensors")))
	settings.First, settings.Images = 1, 2
	sought := 0
	alone, err := run.ImplicitCorruptions(t.Context(), settings, func(Update) { sought++ })
	if err != nil || sought == 0 {
		t.Fatalf("error %v, %d updates: want the damaged and the missing one sought again", err,
			sought)
	}
	near(t, "corruptions of the last two images, sought without the first", changes(alone),
		changes(all[6:]), 1e-4)
}

// What the mean over draws of f, pixels as the space and other fixed latents mean: all lower the
// objective from where it begins.
func TestImplicitSettings(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	var before []float32
	for _, settings := range []implicit.Settings{{}, {Latents: OneLatents}, {Expected: 4},
		{Space: implicit.PixelSpace}, {Seed: 1}} {
		settings.Lambda, settings.Steps = []float64{0.03}, 40
		all, err := run.ImplicitCorruptions(t.Context(), settings, nil)
		if err != nil || len(all) != 2 {
			t.Fatalf("%+v: %d corruptions, error %v", settings, len(all), err)
		}
		if slices.Equal(before, changes(all)) {
			t.Errorf("%+v: the same corruptions as with the settings before", settings)
		}
		before = changes(all)
		if settings.Space == implicit.PixelSpace {
			// sqrt(3072)
			near(t, "norm in pixels over the rms", all[0].Norm/all[0].RMS(), 55.4256, 1e-3)
		}
	}
	ordinary := trainedRun(t, t.TempDir(), ordinaryConfig())
	refused(t, "a run without latents", "no latents")(ordinary.ImplicitCorruptions(t.Context(),
		implicit.Settings{}, nil))
	for _, c := range []struct {
		settings implicit.Settings
		want     string
	}{
		{implicit.Settings{Lambda: []float64{0}}, "lambda is 0"},
		{implicit.Settings{Lambda: []float64{0.1, -1}}, "lambda is -1"},
		{implicit.Settings{Draws: 3}, "3 draws"},
		{implicit.Settings{Expected: 3}, "3 draws whose mean"},
		{implicit.Settings{Expected: 4, Latents: OneLatents}, "leave one of the two out"},
		{implicit.Settings{Latents: "one"}, `did you mean "ones"`},
		{implicit.Settings{Space: "pixel"}, `did you mean "pixels"`},
		{implicit.Settings{Steps: -1}, "number of steps is -1"},
		{implicit.Settings{Rate: -1}, "rate is -1"},
		{implicit.Settings{Tolerance: -1}, "tolerance is -1"},
		{implicit.Settings{Images: -1}, "number of images is -1"},
		{implicit.Settings{First: -1}, "first image is -1"},
		{implicit.Settings{First: 15, Images: 6}, "test images 15 to 20 are asked for, the run " +
			"has 20"},
	} {
		refused(t, "ImplicitCorruptions", c.want)(run.ImplicitCorruptions(t.Context(), c.settings,
			nil))
	}
}
