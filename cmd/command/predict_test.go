package command

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/dataset/folder"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// A run trained on pictures says of one of them what it says of the packed one: they are read
// alike. The same command gives the same numbers, and an ordinary network has no spread.
func TestPredict(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	pictures, runs, out := filepath.Join(t.TempDir(), "sides"), t.TempDir(),
		filepath.Join(t.TempDir(), "out")
	drawFolder(t, pictures, 12)
	wantStatus(t, exitDone, "", "data", "add", "sides", pictures, "--size", "24x32")
	train := []string{"train", "--network", "allcnnc", "--width", "2", "--data", "sides",
		"--epochs", "2", "--batch", "4", "--samples", "1", "--runs", runs}
	name := cardOf(t, append(train, "--init-std", "0.32", "--name", "noisy")...).Run
	cardOf(t, append(train, "--method", "map", "--name", "ordinary")...)
	first, second := filepath.Join(pictures, "left", "03.png"), filepath.Join(pictures, "right",
		"05.png")
	ask := []string{"predict", "noisy", "ordinary", first, second, "--samples", "8", "--out", out,
		"--runs", runs}
	got := printed[[]seen](t, exitDone, ask...)

	data := testkit.Must(dataset.Open(t.Context(), dataset.Config{Name: "sides"}))(t)
	images, notes, err := folder.ReadPictures(t.Context(), 24, 32, first, second)
	testkit.NoError(t, err)
	if size := 24 * 32 * 3; len(notes) > 0 || !holdsImage(data, images.Pixels[:size]) ||
		!holdsImage(data, images.Pixels[size:]) {
		t.Errorf("pictures are read in another way than packed, with the notes %q", notes)
	}
	run := testkit.Must(nbbnn.OpenDirectory(filepath.Join(runs, name)))(t)
	prediction := testkit.Must(run.PredictImages(t.Context(), images, 8))(t)
	for i, picture := range got {
		noisy, ordinary := picture.Answers[0], picture.Answers[1]
		want := prediction.MeanProbabilities(i)
		for class, p := range noisy.Classes {
			testkit.Near(t, "probability of "+p.Class, p.Probability.Mean, want[class], 1e-6)
			if p.Class != data.Classes[class] || p.Probability.N != 8 || !(p.Probability.Std > 0) ||
				ordinary.Classes[class].Probability.N != 1 {
				t.Errorf("%+v and of the ordinary network %+v, want 8 draws and one", p,
					ordinary.Classes[class])
			}
		}
	}
	var texts [2]string
	for i := range texts {
		testkit.NoError(t, os.RemoveAll(out)) // whose pictures may be a person's
		texts[i], _, _ = execute(t, ask...)
	}
	stdout, again := texts[0], texts[1]
	if stdout != again || !strings.Contains(stdout, "noisy %") || strings.Count(stdout, "±") != 4 ||
		!strings.Contains(stdout, filepath.Join(out, "predict-05-noisy-"+
			got[0].Answers[1].Run+".png")) {
		t.Errorf("the answers are\n%sand the second time\n%s", stdout, again)
	}
}

// holdsImage reports whether one of the images of a data set has the pixels.
func holdsImage(data *dataset.Dataset, pixels []uint8) bool {
	return strings.Contains(string(data.Train.Pixels)+string(data.Test.Pixels), string(pixels))
}

// What can't be asked or read is refused in one sentence.
func TestPredictRefuses(t *testing.T) {
	runs := t.TempDir()
	names := trainedTwice(t, runs)
	place := t.TempDir()
	text, picture := filepath.Join(place, "a.txt"), filepath.Join("..", "..", "docs", "images",
		"answers.png")
	testkit.NoError(t, os.WriteFile(text, []byte("no picture"), 0o644))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"nobody", picture}, `no run "nobody"`},
		{[]string{names[0], names[1]}, "no picture is given"},
		{[]string{names[0], place}, place + " is a folder: name its pictures"},
		{[]string{names[0], text}, "give whole PNG, JPEG or WebP files"},
		{[]string{names[0], os.DevNull}, "no regular file"},
		{[]string{names[0], "entorpy", picture}, "entorpy is no file, and no run in"},
		{[]string{names[0], picture, "--samples", "0"}, "--samples is 0"},
	} {
		wantLine(t, exitUsage, c.want, append(append([]string{"predict"}, c.args...), "--out",
			filepath.Join(place, "out"), "--runs", runs)...)
	}
	records := filepath.Join(place, "kept")
	wantStatus(t, exitDone, "", "compare", names[0], "--cards", "--out", records, "--runs", runs)
	wantStatus(t, exitUsage, "is a record without weights", "predict",
		onlyMatch(t, filepath.Join(records, "cards", "*.record")), picture, "--out", place,
		"--runs",
		runs)
	for _, width := range []int{0, 1} {
		_, _, err := folder.ReadPictures(context.Background(), 8*width, width, picture)
		testkit.Error(t, "size", err, "images of", "give 8 to 512 in height and in width")
	}
	wide := seen{classes: []string{"a", "b"}}
	wide.add("one", score.Prediction{Images: 1, Samples: 2, Classes: 2, LogProbabilities: []float32{
		-0.6931472, -0.6931472, 0, -100}})
	testkit.Near(t, "mean", wide.Answers[0].Classes[0].Probability.Mean, 0.75, 1e-6)
	testkit.Near(t, "its spread", wide.Answers[0].Classes[0].Probability.Std, 0.3535534, 1e-6)
	if wide.Answers[0].Answer != "a" {
		t.Errorf("the answer is %s, want a", wide.Answers[0].Answer)
	}
}
