package paper

import (
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
	result := fixture(1, 2, 3)
	result.Figure, result.Setup.Clouds = figure02, CloudSettings{Layers: []int{0}, Images: 1}
	result.Setup.Evaluation.Suite = "all19"
	result.change("M16", func(r *RunResult) { r.Clouds = []layerCloud{{Layer: "conv8", Versions: insideUntil(m16)}} })
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
		{"wider covers more", [score.LevelCount]int{0, 19, 15, 13, 12, 9}, []Outcome{Holds, Holds, Holds, Holds, Holds}},
		{"severe ones alike", [score.LevelCount]int{0, 19, 15, 13, 6, 2}, []Outcome{Undecided, Holds, Holds, Undecided, Undecided}},
		{"mild ones lost", [score.LevelCount]int{0, 19, 13, 5, 12, 9}, []Outcome{Holds, Fails, Fails, Holds, Holds}},
	} {
		verdicts := cloudFixture(m16, test.m32).Verdicts()
		for i, verdict := range verdicts {
			if verdict.Outcome != test.want[i] {
				t.Errorf("%s: %q is %q, want %q (%v)", test.name, verdict.Claim, verdict.Outcome, test.want[i], verdict.Effects)
			}
		}
	}
	testkit.Near(t, "mean at severity 5", insideMeans(cloudFixture(m16, m16), "M32", "conv8", nearDraws)[2][5], 7, 0)
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
