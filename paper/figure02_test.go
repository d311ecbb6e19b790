package paper

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/nbbnn/workbench/nbbnn"
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
	closeTo(t, "mean at severity 5", insideMeans(cloudFixture(m16, m16), "M32", "conv8", nearDraws)[2][5], 7, 0)
}

// tinyClouds has two layers, one image and the versions of one corruption.
func tinyClouds() Figure {
	return tiny(figure12, 1).Adjust(func(s *Setup) { s.Clouds.Layers, s.Evaluation.Suite = []int{7, 0}, "fog" })
}

func TestMakeFigure12(t *testing.T) {
	directory := t.TempDir()
	options := Options{Runs: filepath.Join(directory, "runs"), Out: filepath.Join(directory, "out"), Progress: func(nbbnn.Update) {}}
	plan, err := tinyClouds().Plan(Smoke, options)
	if err != nil || plan.Measured() != 0 || plan.Operations() <= 0 {
		t.Errorf("plan measured %d runs, %v operations, error %v", plan.Measured(), plan.Operations(), err)
	}
	result, files, err := Make(t.Context(), tinyClouds(), Smoke, options)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(readFile(t, files[1]))).ReadAll()
	if err != nil || len(rows) != 1+2*2*len(cloudTests) { // methods, layers
		t.Errorf("%d lines, error %v: want 17", len(rows), err)
	}
	var report Report
	if err := json.Unmarshal(readFile(t, files[2]), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Clouds) != 4 || report.Clouds[0].Layer != "conv7" || len(report.Clouds[0].Inside["near"]) != 5 {
		t.Errorf("report has the clouds %+v, want 4 with five severities", report.Clouds)
	}
	plan, err = tinyClouds().Plan(Smoke, options)
	if err != nil || plan.Missing() {
		t.Errorf("after the measurement %d of 2 runs are measured, error %v", plan.Measured(), err)
	}
	table, err := result.Summary()
	if err != nil || len(table.Rows) != 2*2*len(cloudTests) {
		t.Errorf("table of %d rows, error %v", len(table.Rows), err)
	}
	moved := tinyClouds().Adjust(func(s *Setup) { s.Clouds.First = 2 })
	if plan, err = moved.Plan(Smoke, options); err != nil || plan.Measured() != 0 {
		t.Errorf("another image is measured: %d runs, error %v", plan.Measured(), err)
	}
}

func TestCloudSettingsThatCannotBe(t *testing.T) {
	for want, settings := range map[string]CloudSettings{
		"layer 9 of allcnnc":                   {Layers: []int{9}, Images: 1},
		"test images 6 to 8 are asked for":     {Layers: []int{1}, First: 6, Images: 3},
		"clouds of 0 layers for 1 images":      {Images: 1},
		"clouds of 1 layers for 0 images from": {Layers: []int{1}},
	} {
		err := tiny(figure02, 1).Adjust(func(s *Setup) { s.Clouds = settings }).Validate(Smoke)
		wantError(t, err, want)
	}
}
