package command

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/corrupted"
	"github.com/nbbnn/workbench/internal/testkit"
)

func TestCorruptMake(t *testing.T) {
	out := filepath.Join(t.TempDir(), "set")
	command := []string{"corrupt", "make", "--data", "shapes10", "--images", "3", "--suite",
		"first8", "--seed", "2", "--out", out}
	manifest := printed[corrupted.Manifest](t, exitDone, command...)
	if len(manifest.Files) != 9 || manifest.Table != "cifar" || manifest.Seed != 2 {
		t.Errorf("got %+v, want 9 files of table cifar and seed 2", manifest)
	}
	wantTexts(t, exitDone, []string{"9 files, 0.4 MB", "shapes10, first8"}, command...)
	wantLine(t, exitUsage, "the set of 999,999 images takes 295 GB in "+out+": pass --yes",
		"corrupt", "make", "--data", "shapes10", "--images", "999999", "--out", out)
}

// pngFile writes a grey picture of 16 bits and returns its path.
func pngFile(t *testing.T, width, height int) string {
	t.Helper()
	picture := image.NewGray16(image.Rect(0, 0, width, height))
	for i := range width * height {
		picture.SetGray16(i%width, i/width, color.Gray16{Y: uint16(i * 97)})
	}
	path := filepath.Join(t.TempDir(), "grey.png")
	file := testkit.Must(os.Create(path))(t)
	defer file.Close()
	testkit.NoError(t, png.Encode(file, picture))
	return path
}

func TestCorruptShow(t *testing.T) {
	out := filepath.Join(t.TempDir(), "sheet.png")
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"picture", []string{pngFile(t, 30, 20)}, "19 corruptions x 5 severities, 20x30 pixels, " +
			"table cifar"},
		{"shrunk picture", []string{pngFile(t, 100, 20), "--side", "50", "--suite", "first8"},
			"8 corruptions x 5 severities, 10x50 pixels, table tiny"},
		{"one pixel", []string{pngFile(t, 1, 1), "--table", "imagenet"},
			"1x1 pixels, table imagenet"},
		{"list", []string{"--suite", "fog,ripple"}, "2 corruptions x 5 severities, 32x32 pixels, " +
			"table cifar"},
		{"data set", []string{"--index", "3"}, "32x32 pixels, table cifar"},
	}
	for _, test := range tests {
		stdout, stderr, status := execute(t, append([]string{"corrupt", "show", "--out", out},
			test.args...)...)
		if status != exitDone || !strings.Contains(stdout, test.want) {
			t.Errorf("%s: status %d, %q, %s, want %q", test.name, status, stdout, stderr, test.want)
		}
		if !strings.HasPrefix(stderr, "show     ") || !strings.Contains(stderr, "100%") {
			t.Errorf("%s: progress is %q, want a line that ends in 100%%", test.name, stderr)
		}
		if file, err := os.Stat(out); err != nil || file.Size() == 0 {
			t.Errorf("%s: no picture: %v", test.name, err)
		}
		os.Remove(out)
	}
}

func TestCorruptRefusesWrongUsage(t *testing.T) {
	directory := t.TempDir()
	text := filepath.Join(directory, "text.png")
	testkit.NoError(t, os.WriteFile(text, []byte("no picture"), 0o644))
	tests := []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"make"}, exitUsage, "--out is missing, as in"},
		{[]string{"make", "--out", directory, "--suite", "all91"}, exitUsage,
			`did you mean "all19"?`},
		{[]string{"make", "--out", directory, "--data", "shapes10", "--images", "1", "--table",
			"tine"}, exitUsage, `did you mean "tiny"?`},
		{[]string{"make", "--out", directory, "--data", "shapes01"}, exitUsage,
			"unknown data set"},
		{[]string{"show", "a.png", "b.png"}, exitUsage, "it takes [IMAGE]"},
		{[]string{"show", filepath.Join(directory, "none.png")}, exitUsage,
			"none.png doesn't exist"},
		{[]string{"show", text}, exitUsage, "show: " + text + ": it's none of PNG"},
		{[]string{"show", "--side", "0"}, exitUsage, "--side is 0: give 1 or more"},
		{[]string{"show", "--index", "-1"}, exitUsage, "--index is -1: give 0 or more"},
		{[]string{"show", "--out", filepath.Join(directory, "sheet.gif"), "--suite", "extra4"},
			exitUsage, "sheet.gif is no file that ends in .png, .svg, .pdf"},
	}
	for _, test := range tests {
		wantStatus(t, test.status, test.want, append([]string{"corrupt"}, test.args...)...)
	}
}
