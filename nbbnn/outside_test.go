package nbbnn_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// addBlank adds the set "blank" to the directory of data sets: images of one colour, of a side.
func addBlank(t *testing.T, name string, side int) {
	t.Helper()
	images := dataset.Images{Height: side, Width: side, Pixels: make([]uint8, 6*side*side*3),
		Labels: []uint8{0, 1, 0, 1, 0, 1}}
	for i := range images.Pixels {
		images.Pixels[i] = uint8(40 * (i / (side * side * 3)))
	}
	_, err := dataset.Add(t.Context(), dataset.Dataset{
		Name: name, Classes: []string{"dark", "bright"}, Train: images, Test: images,
	}, dataset.AddOptions{})
	testkit.NoError(t, err)
}

// A test of images from outside is that of the predictions of both sets.
func TestEvaluateOutside(t *testing.T) {
	addStripes(t, 0)
	addBlank(t, "blank", 24)
	run := openStripes(t, t.TempDir())
	testkit.NoError(t, run.Train(t.Context(), nil))
	evaluation := nbbnn.Evaluation{Samples: 4}
	var done []int
	test, err := run.EvaluateOutside(t.Context(), "blank", evaluation, func(u nbbnn.Update) {
		if u.Total != 12 {
			t.Errorf("%d images in all, want 12", u.Total)
		}
		done = append(done, u.Done)
	})
	testkit.NoError(t, err)
	if len(done) == 0 || done[0] != 0 || done[len(done)-1] != 12 || !slices.IsSorted(done) {
		t.Errorf("progress %v, want 0 to 12", done)
	}
	if test.Inside != 6 || test.Images != 6 || len(test.Detections) != 3 {
		t.Fatalf("the test is %+v, want 6 images of each and three detections", test)
	}
	own := testkit.Must(dataset.Open(t.Context(), run.Config().Data.Images()))(t)
	other := testkit.Must(dataset.Open(t.Context(), dataset.Config{Name: "blank"}))(t)
	inside := testkit.Must(run.PredictImages(t.Context(), own.Test.Slice(0, 6), 4))(t)
	outside := testkit.Must(run.PredictImages(t.Context(), other.Test, 4))(t)
	want := testkit.Must(score.Detect(inside, outside))(t)
	for i, d := range test.Detections {
		if d.Uncertainty != want[i].Uncertainty || math.Abs(d.AUROC-want[i].AUROC) > 1e-12 ||
			math.Abs(d.FPR95-want[i].FPR95) > 1e-12 {
			t.Errorf("detection %+v, want %+v", d, want[i])
		}
	}
}

// An ensemble is tested with the samples of all its members.
func TestEvaluateOutsideOfAnEnsemble(t *testing.T) {
	addStripes(t, 0)
	addBlank(t, "blank", 24)
	parent := t.TempDir()
	var runs []*nbbnn.Run
	for seed := range 2 {
		config := stripesConfig()
		config.Seed, config.Training.Epochs = uint64(seed), 1
		run := testkit.Must(nbbnn.Open(parent, config))(t)
		testkit.NoError(t, run.Train(t.Context(), nil))
		runs = append(runs, run)
	}
	ensemble := testkit.Must(nbbnn.OpenEnsemble(parent, runs...))(t)
	test, err := ensemble.EvaluateOutside(t.Context(), "blank", nbbnn.Evaluation{Samples: 2,
		Images: 4}, nil)
	if err != nil || test.Samples != 4 || test.Images != 4 || len(test.Detections) != 3 {
		t.Errorf("the test is %+v (%v), want 4 samples and 4 images", test, err)
	}
}

func TestEvaluateOutsideRefuses(t *testing.T) {
	addStripes(t, 0)
	addBlank(t, "small", 16)
	_, err := dataset.Add(t.Context(), dataset.Dataset{
		Name: "copy", Classes: []string{"a", "b", "c"}, Train: stripes(30, 0), Test: stripes(9, 50),
	}, dataset.AddOptions{})
	testkit.NoError(t, err)
	run := openStripes(t, t.TempDir())
	if _, err := run.EvaluateOutside(t.Context(), "small", nbbnn.Evaluation{}, nil); err == nil ||
		!strings.Contains(err.Error(), "Run.Train") {
		t.Errorf("an untrained run: error %v", err)
	}
	testkit.NoError(t, run.Train(t.Context(), nil))
	for _, c := range []struct {
		data       string
		evaluation nbbnn.Evaluation
		want       string
	}{
		{"stripes", nbbnn.Evaluation{}, "aren't from outside"},
		{"copy", nbbnn.Evaluation{Images: 4}, "copy has the same images as stripes"},
		{"small", nbbnn.Evaluation{}, "small has images of 16 x 16 pixels, the run's data set " +
			"stripes of 24 x 24"},
		{"smal", nbbnn.Evaluation{}, `did you mean "small"?`},
		{"small", nbbnn.Evaluation{Images: 10}, "10 test images are asked for"},
		{"small", nbbnn.Evaluation{Part: nbbnn.ValidationPart}, "leave those out"},
	} {
		if _, err := run.EvaluateOutside(t.Context(), c.data, c.evaluation, nil); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %+v: error %v, want %q", c.data, c.evaluation, err, c.want)
		}
	}
}
