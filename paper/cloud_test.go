package paper

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

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

// A cloud is kept in the run's directory: measuring it again needs no weights, and a file that is
// damaged is made again.
func TestCloudIsKept(t *testing.T) {
	figure := tiny(figure02, 1).Adjust(func(s *Setup) {
		s.Config.Posterior.Components, s.Evaluation.Samples, s.Clouds = 3, 3, CloudSettings{Layers: []int{0}, First: 1, Images: 1}
	})
	options := Options{Runs: t.TempDir(), Out: t.TempDir()}
	run := made(t, figure, options).Runs[0]
	kept, err := filepath.Glob(filepath.Join(run.Directory(), "clouds", "*"))
	if err != nil || len(kept) != 1 || !strings.HasPrefix(filepath.Base(kept[0]), "conv8-image-0001-") {
		t.Fatalf("kept are %v (%v), want the cloud of the last layer", kept, err)
	}
	before := readFile(t, kept[0])
	weights := filepath.Join(run.Directory(), "checkpoint")
	testkit.NoError(t, os.Rename(weights, weights+"-away"))
	for _, test := range []struct {
		name   string
		change func(*Setup)
		kept   bool
	}{
		{"the same image", func(*Setup) {}, true},
		{"another image", func(s *Setup) { s.Clouds.First = 2 }, false},
		{"corruptions of another seed", func(s *Setup) { s.Evaluation.Seed = 7 }, false},
	} {
		if _, err := figure.Adjust(test.change).Evaluate(t.Context(), Smoke, options); (err == nil) != test.kept {
			t.Errorf("%s without the weights: error %v, kept %t", test.name, err, test.kept)
		}
	}
	testkit.NoError(t, os.Rename(weights+"-away", weights))
	testkit.NoError(t, os.WriteFile(kept[0], []byte("{"), 0o644))
	testkit.Must(figure.Evaluate(t.Context(), Smoke, options))(t)
	if string(readFile(t, kept[0])) != string(before) {
		t.Error("the cloud that was made again is another one")
	}
}
