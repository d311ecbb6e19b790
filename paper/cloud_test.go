package paper

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestCloudFigures(t *testing.T) {
	figure := tiny(Figure03, 1).Adjust(func(s *Setup) { s.Config.Posterior.Components, s.Evaluation.Samples = 3, 3 })
	result := testkit.Must(figure.Train(t.Context(), Smoke, Options{Runs: t.TempDir()}))(t)
	cloud := testkit.Must(result.CloudFigures(t.Context(), 2, "", 1))(t)
	if width, height := cloud.Size(); width <= 0 || height <= 0 {
		t.Errorf("a figure of %v x %v", width, height)
	}
	for _, c := range []struct {
		run, image int
		layer      string
		want       string
	}{
		{2, 0, "", "run 2 of 2"}, {-1, 0, "", "run -1"}, {0, 8, "", "test images 0 to 7"}, {0, 0, "conv9", "unknown layer"},
	} {
		if _, err := result.CloudFigures(t.Context(), c.image, c.layer, c.run); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("run %d, image %d, layer %q: error %v, want one with %q", c.run, c.image, c.layer, err, c.want)
		}
	}
}

// The versions of an image are the clean one, then those of each corruption by severity.
func TestVersions(t *testing.T) {
	setup := tiny(Figure03, 1).Runs(Smoke)
	clean, _, err := setup.testImage(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	seen := testkit.Must(newVersions(t.Context(), setup, 1))(t)
	pixels, labels := seen.images.Pixels, seen.labels
	if len(pixels) != 41*3072 || len(labels) != 40 || labels[0].Severity != 1 || labels[9].Severity != 5 {
		t.Errorf("%d values, versions %v: want 41 images, and the severities 1 to 5 eight times", len(pixels), labels)
	}
	if string(pixels[:3072]) != string(clean.Pixels) || string(pixels[3072:6144]) == string(clean.Pixels) {
		t.Error("the first version isn't the clean image, or the second is")
	}
}

// A cloud is kept in the run's directory: drawing it again needs no weights, and a file that is
// damaged is made again.
func TestCloudFigureIsKept(t *testing.T) {
	result := testkit.Must(tiny(Figure03, 1).Train(t.Context(), Smoke, Options{Runs: t.TempDir()}))(t)
	testkit.Must(result.CloudFigures(t.Context(), 1, "", 0))(t)
	run := result.Runs[0]
	kept, err := filepath.Glob(filepath.Join(run.Directory(), "clouds", "*"))
	if err != nil || len(kept) != 1 || !strings.HasPrefix(filepath.Base(kept[0]), "conv8-image-0001-") {
		t.Fatalf("kept are %v (%v), want the cloud of the last layer", kept, err)
	}
	before := readFile(t, kept[0])
	weights := filepath.Join(run.Directory(), "checkpoint")
	testkit.NoError(t, os.Rename(weights, weights+"-away"))
	if _, err := result.CloudFigures(t.Context(), 1, "conv8", 0); err != nil {
		t.Errorf("without the weights: %v", err)
	}
	if _, err := result.CloudFigures(t.Context(), 2, "", 0); err == nil {
		t.Error("another image has a cloud without the weights")
	}
	other := *result
	other.Setup.Evaluation.Seed = 7
	if _, err := other.CloudFigures(t.Context(), 1, "", 0); err == nil {
		t.Error("corruptions of another seed have the same cloud")
	}
	testkit.NoError(t, os.Rename(weights+"-away", weights))
	testkit.NoError(t, os.WriteFile(kept[0], []byte("{"), 0o644))
	if _, err := result.CloudFigures(t.Context(), 1, "", 0); err != nil {
		t.Errorf("after the file was damaged: %v", err)
	}
	if string(readFile(t, kept[0])) != string(before) {
		t.Error("the cloud that was made again is another one")
	}
}
