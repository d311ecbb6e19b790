package lab

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestRecorded(t *testing.T) {
	for _, c := range []struct{ folder, claim, want string }{
		{"figure-03-quick", "", "holds: M32 - M16, mean of levels 1 to 5: -0.250 nats [-0.280, " +
			"-0.220], 5 seeds"},
		{"demo", "noise on the nodes lowers the error", "holds: noise, γ = 0 - MAP, mean of " +
			"levels 1 to 5: -4.2 points [-7.0, -1.4], 5 seeds"},
		{"figure-06-quick", "γ chosen on validation images has a lower NLL",
			"fails: severe, γ chosen on validation images - γ 0 with one temperature: 0.024 nats " +
				"[0.004, 0.044], 5 seeds"},
	} {
		record := testkit.Must(Recorded(c.folder))(t)
		verdict, err := record.Claim(c.claim)
		if err != nil || !strings.HasPrefix(verdict.String(), c.want) || record.width < 700 {
			t.Errorf("%s says %q (%v), with a picture of %d, want %q", c.folder, verdict, err,
				record.width, c.want)
		}
		if _, err := record.Claim("M64"); err == nil {
			t.Error("a claim that isn't there has a verdict")
		}
	}
	marginals := testkit.Must(Recorded("beyond/exact-posterior/exact-posterior-marginals"))(t)
	if !strings.HasPrefix(marginals.Finding, "Width of the draws") || marginals.width > 390 {
		t.Errorf("the marginals say %q on %d pixels", marginals.Finding, marginals.width)
	}
	if _, err := Recorded("figure-99"); err == nil ||
		!strings.Contains(err.Error(), "run the cell in a folder of the workbench") {
		t.Errorf("a record that isn't there: %v", err)
	}
}

// The curves have the committed means of five seeds, and none of them is the training's.
func TestCurvesOfARecord(t *testing.T) {
	curves := testkit.Must(testkit.Must(Recorded("demo"))(t).readCurves())(t)
	mean := stat.Mean(curves.values[[2]string{"NLL", "MAP"}][0], nil)
	if math.Abs(mean-1.363) > 5e-4 || slices.Contains(curves.measures, "entropy (nats)") {
		t.Errorf("MAP's clean NLL is %.4f, want 1.363, of the measures %q", mean, curves.measures)
	}
	for _, axis := range []string{"severity", "γ / K"} {
		figure := testkit.Must(curves.figure(axis, "NLL", curves.names[0]))(t)
		svg := string(testkit.Must(figure.Encode("svg"))(t))
		if strings.Contains(svg, ">least<") != (axis == "γ / K") {
			t.Errorf("against %s the least value is marked or not, want it against γ alone", axis)
		}
	}
	layers := testkit.Must(testkit.Must(Recorded("beyond/exact-posterior"))(t).readCurves())(t)
	seven := string(testkit.Must(testkit.Must(layers.figure("severity", "NLL", "MAP"))(t).Encode(
		"svg"))(t))
	for _, name := range layers.names {
		if strings.Count(seven, ">"+name+"<") != 1 {
			t.Errorf("the curve %s isn't named once, at its end", name)
		}
	}
	if len(layers.measures) != 5 || len(layers.names) != 7 {
		t.Errorf("curves of %q in %q, want 7 in 5 measures", layers.names, layers.measures)
	}
	if _, err := testkit.Must(Recorded("figure-12-quick"))(t).readCurves(); err == nil {
		t.Error("a file without curves by seed was read")
	}
}
