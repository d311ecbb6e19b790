package paper

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// insideUntil returns versions of 19 corruptions of which the first few of each severity are inside
// by every test.
func insideUntil(counts [score.LevelCount]int) (versions []cloudVersion) {
	for severity := 1; severity < score.LevelCount; severity++ {
		for i := range 19 {
			v := cloudVersion{Severity: severity, Distance: 100, Near: 2, NearTen: 2}
			if i < counts[severity] {
				v.Distance, v.Near, v.NearTen = 0, 0, 0
			}
			versions = append(versions, v)
		}
	}
	return versions
}

// cloudFixture returns a result of Figure 2 with one image, M16 and M32 with the given counts
// inside by severity. Seed s adds s to M32's counts of the severe ones.
func cloudFixture(m16, m32 [score.LevelCount]int) *Result {
	result := fixture(1, 2, 3, 4, 5)
	result.Figure, result.Setup.Clouds = figure02, CloudSettings{Layers: []int{0}, Images: 1}
	result.Setup.Evaluation.Suite = "all19"
	result.change("M16", func(r *RunResult) {
		r.Clouds = []layerCloud{{Layer: "conv8", Versions: insideUntil(m16)}}
	})
	result.change("M32", func(r *RunResult) {
		counts := m32
		counts[4], counts[5] = counts[4]+int(r.Seed), counts[5]+int(r.Seed)
		r.Clouds = []layerCloud{{Layer: "conv8", Versions: insideUntil(counts)}}
	})
	return result
}

func TestCloudClaims(t *testing.T) {
	m16 := [score.LevelCount]int{0, 19, 15, 12, 8, 4}
	for _, test := range []struct {
		name string
		m32  [score.LevelCount]int
		want []Outcome
	}{
		{"wider covers more", [score.LevelCount]int{0, 19, 15, 13, 12, 9},
			[]Outcome{Holds, Holds, Holds, Holds, Holds}},
		{"severe ones alike", [score.LevelCount]int{0, 19, 15, 13, 5, 1},
			[]Outcome{Undecided, Holds, Holds, Undecided, Undecided}},
		{"mild ones lost", [score.LevelCount]int{0, 19, 13, 5, 12, 9},
			[]Outcome{Holds, Mixed, Mixed, Holds, Holds}},
		{"all mild ones lost", [score.LevelCount]int{0, 5, 5, 5, 12, 9},
			[]Outcome{Holds, Fails, Mixed, Holds, Holds}},
	} {
		verdicts := cloudFixture(m16, test.m32).Verdicts()
		for i, verdict := range verdicts {
			if verdict.Outcome != test.want[i] {
				t.Errorf("%s: %q is %q, want %q (%v)", test.name, verdict.Claim, verdict.Outcome,
					test.want[i], verdict.Effects)
			}
		}
	}
	testkit.Near(t, "mean at severity 5", insideMeans(cloudFixture(m16, m16), "M32", "conv8",
		nearDraws)[2][5], 7, 0)
}

func TestCloudSettingsThatCannotBe(t *testing.T) {
	for want, settings := range map[string]CloudSettings{
		"layer 9 of allcnnc":                   {Layers: []int{9}, Images: 1},
		"test images 6 to 8 are asked for":     {Layers: []int{1}, First: 6, Images: 3},
		"clouds of 0 layers for 1 images":      {Images: 1},
		"clouds of 1 layers for 0 images from": {Layers: []int{1}},
	} {
		err := tiny(figure02, 1).Adjust(func(s *Setup) { s.Clouds = settings }).Validate(Smoke)
		testkit.Error(t, t.Name(), err, want)
	}
}

// The versions of an image are the clean one, then those of each corruption by severity.
func TestVersions(t *testing.T) {
	setup := tiny(Figure03, 1).Runs(Smoke)
	clean, _, err := setup.testImage(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	seen := testkit.Must(newVersions(t.Context(), setup, 1, setup.cloudSuite().Corruptions))(t)
	pixels, labels := seen.images.Pixels, seen.labels
	if len(pixels) != 41*3072 || len(labels) != 40 || labels[0].Severity != 1 ||
		labels[9].Severity != 5 {
		t.Errorf("%d values, versions %v: want 41 images, and the severities 1 to 5 eight times",
			len(pixels), labels)
	}
	if string(pixels[:3072]) != string(clean.Pixels) ||
		string(pixels[3072:6144]) == string(clean.Pixels) {
		t.Error("the first version isn't the clean image, or the second is")
	}
}

// A cloud is kept in the run's directory: measuring it again needs no weights, and a file that is
// damaged is made again.
func TestCloudIsKept(t *testing.T) {
	figure := tiny(figure02, 1).Adjust(func(s *Setup) {
		s.Config.Posterior.Components, s.Evaluation.Samples, s.Clouds = 3, 3,
			CloudSettings{Layers: []int{0}, First: 1, Images: 1}
	})
	options := Options{Runs: t.TempDir(), Out: t.TempDir()}
	run := made(t, figure, options).Runs[0]
	kept, err := filepath.Glob(filepath.Join(run.Directory(), "clouds", "*"))
	if err != nil || len(kept) != 1 || !strings.HasPrefix(filepath.Base(kept[0]),
		"conv8-image-0001-") {
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
		if _, err := figure.Adjust(test.change).Evaluate(t.Context(), Smoke,
			options); (err == nil) != test.kept {
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
