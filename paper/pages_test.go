package paper

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot/cmpimg"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/viz"
)

// README's first picture and its sentence have the trained σ of the committed demo, means over its
// seeds. -regen writes the picture again.
func TestReadmesNode(t *testing.T) {
	sigmas := map[string][]float64{}
	for _, run := range testkit.Must(Demo.Open(Quick,
		Options{Runs: filepath.Join(resultsFolder, "demo", "cards")}))(t) {
		result := RunResult{Run: run, History: testkit.Must(run.History())(t)}
		sigmas[run.Method] = append(sigmas[run.Method], sigmaOf(result))
	}
	narrow, wide := stat.Mean(sigmas["noise, γ = 0"], nil), stat.Mean(sigmas["noise, γ = 16"], nil)
	readme := unwrapped(t, filepath.Join("..", "README.md"))
	if want := fmt.Sprintf("σ = %.2f with γ = 0 and %.2f with γ = 16", narrow,
		wide); !strings.Contains(readme, want) {
		t.Errorf("README.md lacks %q", want)
	}
	figure := testkit.Must(viz.Lines("s, by which a node is multiplied", "density of s", []viz.Line{
		density("noise, γ = 0", narrow), density("noise, γ = 16", wide),
		{Name: "MAP", X: []float64{1, 1 + 1e-9}, Y: []float64{0, 3}},
	}))(t)
	testkit.NoError(t, sameAsCommitted(figure, filepath.Join("..", "docs", "images", "node.png")))
}

// sameAsCommitted compares a figure with the picture at path, which -regen writes again.
func sameAsCommitted(figure *viz.Figure, path string) error {
	if *cmpimg.GenerateTestData {
		return figure.Save(path)
	}
	drawn, err := figure.Encode("png")
	if err != nil {
		return err
	}
	committed, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if same, err := cmpimg.EqualApprox("png", drawn, committed, 0.05); err != nil || !same {
		return fmt.Errorf("%s is older than its numbers: run the test with -regen and look at it "+
			"(%v)", path, err)
	}
	return nil
}

// sigmaOf is the geometric mean of the trained standard deviations of a run with one component,
// which its entropy gives; 0 without latents.
func sigmaOf(r RunResult) float64 {
	config := r.Config().WithDefaults()
	latents := latentsOf(config)
	if latents == 0 {
		return 0
	}
	return math.Exp(r.LastEpoch().Entropy/float64(latents) - unitEntropy)
}

// density is that of s ~ N(1, σ²).
func density(name string, sigma float64) viz.Line {
	line := viz.Line{Name: name, X: floats.Span(make([]float64, 201), 0, 2)}
	for _, s := range line.X {
		line.Y = append(line.Y, distuv.Normal{Mu: 1, Sigma: sigma}.Prob(s))
	}
	return line
}

var posthocFolder = filepath.Join(resultsFolder, "posthoc")

// The table of docs/posthoc.md is what the committed cells say.
func TestPosthocTable(t *testing.T) {
	page := testkit.Must(os.ReadFile(filepath.Join("..", "docs", "posthoc.md")))(t)
	for _, row := range []struct{ begin, name, column, format string }{
		{"NLL | the ordinary network (MAP)", "MAP", "nll", "%.3f"},
		{"NLL | MAP, temperature-scaled", "MAP", "nll_t", "%.3f"},
		{"NLL | noise of fixed σ = 0.1", "fixed noise", "nll", "%.3f"},
		{"NLL | post hoc node-BNN", "post hoc", "nll", "%.3f"},
		{"error % | the ordinary network (MAP)", "MAP", "error", "%.1f"},
		{"error % | noise of fixed σ = 0.1", "fixed noise", "error", "%.1f"},
		{"error % | post hoc node-BNN", "post hoc", "error", "%.1f"},
	} {
		want, factor := "| "+row.begin+" |", 1.0
		if row.column == "error" {
			factor = 100
		}
		for _, value := range meanOfCells(t, posthocFolder, row.name, row.column) {
			want += fmt.Sprintf(" "+row.format+" |", factor*value)
		}
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/posthoc.md lacks the row\n%s", want)
		}
	}
}

// So are its sentences, in every seed: below the parent from level 1 on, and below the scaled
// parent and noise of a fixed strength from level 3 on; more errors on clean images.
func TestPosthocSentences(t *testing.T) {
	for seed, trained := range runsOfCells(t, posthocFolder, "post hoc", "nll") {
		for _, c := range []struct {
			rival, method, column string
			from                  int
		}{
			{"the parent", "MAP", "nll", 1}, {"the scaled parent", "MAP", "nll_t", 3},
			{"fixed noise", "fixed noise", "nll", 3},
		} {
			rival := runsOfCells(t, posthocFolder, c.method, c.column)[seed]
			for level := c.from; level < len(rival); level++ {
				if trained[level] >= rival[level] {
					t.Errorf("seed %d, level %d: trained noise has %g, %s %g: want lower from "+
						"level %d on",
						seed+1, level, trained[level], c.rival, rival[level], c.from)
				}
			}
			if trained[0] <= rival[0] {
				t.Errorf("seed %d: on clean images trained noise has %g, %s %g: want higher",
					seed+1, trained[0], c.rival, rival[0])
			}
		}
		clean := runsOfCells(t, posthocFolder, "post hoc", "error")[seed][0]
		if parent := runsOfCells(t, posthocFolder, "MAP", "error")[seed][0]; clean <= parent {
			t.Errorf("seed %d: the clean error is %g, want more than the parent's %g", seed+1,
				clean, parent)
		}
	}
}
