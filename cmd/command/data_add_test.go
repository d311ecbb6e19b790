package command

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// drawFolder fills a folder with two classes of pictures of 40 x 30 pixels.
func drawFolder(t *testing.T, path string, count int) {
	t.Helper()
	for label, class := range []string{"left", "right"} {
		for i := range count {
			p := image.NewNRGBA(image.Rect(0, 0, 40, 30))
			for k := range 40 * 30 {
				x, y := k%40, k/40
				bright := uint8(60 + 3*(i%28) + 10*(y%3))
				if (x < 20) == (label == 0) {
					bright += 90
				}
				p.SetNRGBA(x, y, color.NRGBA{bright, bright, uint8(x + i/28), 255})
			}
			file := filepath.Join(path, class, fmt.Sprintf("%02d.png", i))
			testkit.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			out := testkit.Must(os.Create(file))(t)
			testkit.NoError(t, png.Encode(out, p))
			testkit.NoError(t, out.Close())
		}
	}
}

// A folder becomes a data set that every command takes by its name.
func TestOwnImagesFromTheCommandLine(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	directory := t.TempDir()
	pictures := filepath.Join(directory, "pictures")
	drawFolder(t, pictures, 12)
	wantTexts(t, exitDone, []string{"sides   18 training and 6 test images of 24x32 in 2 classes",
		"class      right                     9 training       3 test"},
		"data", "add", "sides", pictures, "--size", "24x32", "--test", "0.25")
	wantStatus(t, exitDone, "24 images of 24x32 in 2 classes: pictures of pictures", "data", "list")
	wantTexts(t, exitDone, []string{"kept   18 training and 6 test images of 30x40 in 2 classes"},
		"data", "add", "kept", pictures, "--test", "0.25")
	wantTexts(t, exitDone, []string{"if left out, all must have the size of the first", "!\"0\""},
		"data", "add", "--help")
	if summary := printed[addedSummary](t, exitDone, "data", "verify",
		"sides"); len(summary.Content) != 16 {
		t.Errorf("verify prints %+v, want a content of 16 digits", summary)
	}
	corrupted := filepath.Join(directory, "corrupted")
	wantStatus(t, exitDone, "", "corrupt", "make", "--data", "sides", "--suite", "first8", "--out",
		corrupted)
	runs := filepath.Join(directory, "runs")
	train := []string{"--runs", runs, "train", "--data", "sides", "--method", "map", "--network",
		"allcnnc", "--width", "4", "--epochs", "1", "--batch", "6"}
	wantStatus(t, exitDone, "", train...)
	run := onlyRun(t, runs)
	for _, arguments := range [][]string{{"--samples", "1"}, {"--samples", "1", "--corrupted",
		corrupted}} {
		wantStatus(t, exitDone, "jpeg compression",
			append([]string{"--runs", runs, "evaluate", run, "--suite", "first8"}, arguments...)...)
	}
	wantStatus(t, exitDone, "", "data", "remove", "sides")
	wantStatus(t, exitUsage, `unknown data set "sides"`, train...)
	wantStatus(t, exitDone, "sides", "--runs", runs, "runs")
	for _, arguments := range [][]string{
		{"evaluate", run, "--images", "2"}, {"posthoc", "--from", run},
		{"posthoc", "--from", run, "--data", "shapes10", "--train", "30"},
	} {
		_, stderr, status := execute(t, append([]string{"--runs", runs}, arguments...)...)
		if status != exitFailed ||
			!strings.Contains(stderr, `the images of "sides" that are asked for, content `) ||
			strings.Count(stderr, "error") != 1 {
			t.Errorf("%v: status %d, %s, want one error with the data set", arguments, status,
				stderr)
		}
	}
	if entries, err := os.ReadDir(runs); err != nil || len(entries) != 1 {
		t.Errorf("%d directories (%v) are left, want the trained run's", len(entries), err)
	}
}

func TestOwnImagesMistakes(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	pictures := t.TempDir()
	drawFolder(t, pictures, 3)
	for _, test := range []struct {
		arguments []string
		status    int
		want      []string
	}{
		{[]string{"add", "sides", pictures, "--size", "24x"}, exitUsage,
			[]string{`a size of "24x"`, "48x192"}},
		{[]string{"add", "sides", pictures, "--size", "24x7"}, exitUsage,
			[]string{"images of 24x7 pixels", "8 to 512"}},
		{[]string{"add", "sides", pictures, "--size", "16", "--test", "0"}, exitUsage,
			[]string{"share of 0", "above 0 and below 1"}},
		{[]string{"add", "sides", pictures, "--size", "16", "--test", "held-out"}, exitFailed,
			[]string{"held-out", "doesn't exist"}},
		{[]string{"add", "sides", pictures, "--size", "16", "--test", pictures, "--seed", "4"},
			exitFailed, []string{"seed 4 chooses test pictures", "leave the seed out"}},
		{[]string{"add", "sides"}, exitUsage, []string{"NAME FOLDER"}},
		{[]string{"remove", "sides"}, exitUsage, []string{`"sides" is no set that you added`}},
		{[]string{"remove", "cifar10"}, exitUsage, []string{"`nbbnn data list` lists them"}},
		{[]string{"verify", "sides"}, exitUsage, []string{`unknown data set "sides"`}},
	} {
		wantTexts(t, test.status, append(test.want, "error    "),
			append([]string{"data"}, test.arguments...)...)
	}
}
