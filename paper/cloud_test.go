package paper

import (
	"strings"
	"testing"
)

func TestCloudFigure(t *testing.T) {
	figure := tiny(Figure03, 1).Adjust(func(s *Setup) { s.Config.Posterior.Components, s.Evaluation.Samples = 3, 3 })
	result, err := figure.Train(t.Context(), Smoke, Options{Runs: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	cloud, err := result.CloudFigure(t.Context(), 1, 2, "")
	if err != nil {
		t.Fatal(err)
	}
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
		if _, err := result.CloudFigure(t.Context(), c.run, c.image, c.layer); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("run %d, image %d, layer %q: error %v, want one with %q", c.run, c.image, c.layer, err, c.want)
		}
	}
}

// The versions of an image are the clean one, then those of each corruption by severity.
func TestVersions(t *testing.T) {
	setup := tiny(Figure03, 1).Setup(Smoke)
	clean, err := setup.testImage(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	seen, cloud, err := setup.versions(t.Context(), clean, 1)
	if err != nil || len(seen.Pixels) != 41*3072 || len(cloud.Severity) != 40 || cloud.Severity[0] != 1 || cloud.Severity[9] != 5 {
		t.Errorf("error %v, %d values, severities %v: want 41 images, and 1 to 5 eight times", err, len(seen.Pixels), cloud.Severity)
	}
	if string(seen.Pixels[:3072]) != string(clean.Pixels) || string(seen.Pixels[3072:6144]) == string(clean.Pixels) {
		t.Error("the first version isn't the clean image, or the second is")
	}
}
