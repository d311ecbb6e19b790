package paper

import (
	"fmt"
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
	for _, run := range testkit.Must(Demo.Open(Quick, Options{Runs: filepath.Join(resultsFolder, "demo", "cards")}))(t) {
		result := RunResult{Run: run, History: testkit.Must(run.History())(t)}
		sigmas[run.Method] = append(sigmas[run.Method], result.sigma())
	}
	narrow, wide := stat.Mean(sigmas["noise, γ = 0"], nil), stat.Mean(sigmas["noise, γ = 16"], nil)
	readme := strings.Join(strings.Fields(string(readFile(t, filepath.Join("..", "README.md")))), " ")
	if want := fmt.Sprintf("σ = %.2f with γ = 0 and %.2f with γ = 16", narrow, wide); !strings.Contains(readme, want) {
		t.Errorf("README.md lacks %q", want)
	}
	figure := testkit.Must(viz.Lines("s, by which a node is multiplied", "density of s", []viz.Line{
		density("noise, γ = 0", narrow), density("noise, γ = 16", wide),
		{Name: "MAP", X: []float64{1, 1 + 1e-9}, Y: []float64{0, 3}},
	}))(t)
	path := filepath.Join("..", "docs", "images", "node.png")
	if *cmpimg.GenerateTestData {
		testkit.NoError(t, figure.Save(path))
	}
	if same, err := cmpimg.EqualApprox("png", testkit.Must(figure.PNG())(t), readFile(t, path), 0.05); err != nil || !same {
		t.Errorf("%s isn't drawn from the demo: run the test with -regen and look at it (%v)", path, err)
	}
}

// density is that of s ~ N(1, σ²).
func density(name string, sigma float64) viz.Line {
	line := viz.Line{Name: name, X: floats.Span(make([]float64, 201), 0, 2)}
	for _, s := range line.X {
		line.Y = append(line.Y, distuv.Normal{Mu: 1, Sigma: sigma}.Prob(s))
	}
	return line
}
