package viz_test

import (
	"fmt"
	"log"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/viz"
)

// levelCurves are two methods at six levels, as a benchmark over five seeds gives them.
func levelCurves() []viz.LevelCurve {
	return []viz.LevelCurve{{
		Name:  "M16",
		Mean:  []float64{0.318, 0.562, 0.801, 1.057, 1.402, 2.061},
		Std:   []float64{0.041, 0.052, 0.058, 0.064, 0.079, 0.118},
		Seeds: 5,
		Paper: []float64{0.290, 0.548, 0.779, 1.033, 1.470, 2.155},
	}, {
		Name:  "M32",
		Mean:  []float64{0.262, 0.471, 0.689, 0.912, 1.231, 1.802},
		Std:   []float64{0.012, 0.017, 0.026, 0.033, 0.045, 0.066},
		Seeds: 5,
		Paper: []float64{0.238, 0.466, 0.671, 0.900, 1.260, 1.847},
	}}
}

// entropyCurves are two methods over twenty epochs: both lose entropy, the wider start keeps more
// of it.
func entropyCurves() []viz.Series {
	m16 := viz.Series{Name: "M16", Seeds: 5, Prior: -113, Latents: 274}
	m32 := viz.Series{Name: "M32", Seeds: 5, Prior: 77, Latents: 274}
	for epoch := range 21 {
		done := 1 - math.Exp(-float64(epoch)/8)
		m16.Mean = append(m16.Mean, -116-50*done)
		m16.Std = append(m16.Std, 1+7*done)
		m32.Mean = append(m32.Mean, 74-80*done)
		m32.Std = append(m32.Std, 1+10*done)
	}
	return []viz.Series{m16, m32}
}

// must returns the value of a call that can't fail in an example.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// save writes the picture of an example, which can be written in the other formats, too.
func save(name string, figure *viz.Figure) {
	other := must(os.MkdirTemp("", ""))
	defer os.RemoveAll(other)
	must(report.SaveFormats(figure, other+"/figure", "svg", "pdf"))
	if err := figure.Save("testdata/" + name); err != nil {
		log.Fatal(err)
	}
}

func ExampleLevelCurves() {
	figure, err := viz.LevelCurves("NLL", levelCurves())
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/level_curves.png"); err != nil {
		log.Fatal(err)
	}
}

// Named methods have colours of their own, in every figure. Fewer than five seeds are drawn one by
// one.
func ExampleLevelCurves_methods() {
	var curves []viz.LevelCurve
	for i, name := range []string{"deterministic", "MC dropout", "deep ensemble", "SWAG",
		"node-BNN"} {
		curve := viz.LevelCurve{Name: name, Seeds: 2, Each: make([][]float64, 2)}
		for level := range 6 {
			mean := (0.11 - 0.013*float64(i)) * math.Pow(1.4-0.015*float64(i), float64(level))
			spread := 0.002 + 0.002*float64(level)
			curve.Mean = append(curve.Mean, mean)
			curve.Each[0], curve.Each[1] = append(curve.Each[0], mean-spread),
				append(curve.Each[1], mean+spread)
		}
		curves = append(curves, curve)
	}
	save("level_curves_methods.png", must(viz.LevelCurves("Error", curves)))
}

// A caption says what was measured, and the legend what the paper's curves are over.
func ExampleLevelCurves_caption() {
	curves := levelCurves()
	for i := range curves {
		curves[i].Test, curves[i].PaperName = "first8, 16 samples, 1000 images",
			"paper, 19 corruptions"
	}
	save("level_curves_caption.png", must(viz.LevelCurves("NLL", curves)))
}

func ExampleEntropyCurves() {
	save("entropy_curves.png", must(viz.EntropyCurves(entropyCurves())))
}

// The paper's Figure 3: entropy over training on the left, negative log-likelihood under corruption
// on the right.
func ExampleRow() {
	entropy := must(viz.EntropyCurves(entropyCurves()))
	levels := must(viz.LevelCurves("NLL", levelCurves()))
	save("row.png", must(viz.Row(entropy, levels)))
}

func ExampleCorruptionGrid() {
	grid := viz.ImageGrid{
		Rows:    []string{"gaussian_noise", "contrast", "pixelate"},
		Columns: []string{"clean", "1", "2", "3", "4", "5"},
		Corner:  "severity",
		Height:  32,
		Width:   32,
	}
	for _, corruption := range grid.Rows {
		row := [][]uint8{ball()}
		for severity := 1; severity <= 5; severity++ {
			row = append(row, corrupted(ball(), corruption, severity))
		}
		grid.Pixels = append(grid.Pixels, row)
	}
	save("corruption_grid.png", must(viz.CorruptionGrid(grid)))
}

func ExampleTable_As() {
	table := viz.Table{
		Header: []string{"metric", "level", "0", "1", "2"},
		Rows: [][]string{
			{"NLL", "M16", "0.318 ± 0.041", "0.562 ± 0.052", "1.057 ± 0.064"},
			{"NLL", "M32", "0.262 ± 0.012", "0.471 ± 0.017", "0.912 ± 0.033"},
			{"ECE", "M16", "0.021", "0.048", "0.090"},
			{"ECE", "M32", "0.017", "0.035", "0.071"},
		},
		Labels: 2,
	}
	fmt.Print(must(table.As("txt")))
	// Output:
	//   metric  level              0            1             2
	//   NLL     M16      .318 ± .041  .562 ± .052  1.057 ± .064
	//           M32      .262 ± .012  .471 ± .017   .912 ± .033
	//   ECE     M16             .021         .048          .090
	//           M32             .017         .035          .071
}

// A classifier that compares images with the mean of each class, under the nineteen corruptions.
func ExampleHeatMap() {
	save("heat_map.png", must(viz.HeatMap(cellMap("templates", false))))
}

// What it gains, and loses, when brightness and contrast are taken out of every image first.
func ExampleDifferenceMap() {
	save("difference_map.png",
		must(viz.DifferenceMap(cellMap("normalised", true), cellMap("templates", false))))
}

// Error under corruption against the cost of a prediction: single networks, methods with samples,
// and their ensembles.
func ExampleAgainstPasses() {
	point := func(name string, passes int, seeds ...float64) viz.Series {
		p := viz.Series{Name: name, X: []float64{float64(passes)}, Mean: []float64{0},
			Seeds: len(seeds), Test: "first8, severities 1 to 5, 1000 images"}
		for _, value := range seeds {
			p.Mean[0] += value / float64(len(seeds))
			p.Each = append(p.Each, []float64{value})
		}
		return p
	}
	points := []viz.Series{
		point("node-BNN", 16, 0.408, 0.412), point("ens node-BNN", 32, 0.391),
		point("MAP", 1, 0.437, 0.451), point("ens MAP", 2, 0.418),
		point("SWAG", 16, 0.421, 0.429), point("ens SWAG", 32, 0.409),
		point("SAM", 1, 0.431, 0.425), point("DAMP", 1, 0.412, 0.421), point("ens DAMP", 2, 0.401),
	}
	save("against_passes.png", must(viz.AgainstPasses("Error", points)))
}

// Three classifiers that differ in how sure they are; each knows equally well what it is right
// about.
func ExampleReliability() {
	save("reliability.png", must(viz.Reliability([]viz.ReliabilityCurve{
		reliability("deterministic", guesses(1, 0.4)),
		reliability("M16", guesses(2, 0.7)),
		reliability("M32", guesses(3, 1.1)),
	})))
}

// A classifier that knows when it errs, and one whose confidence says nothing.
func ExampleRiskCoverage() {
	blind := guesses(2, 1)
	for i := range blind {
		blind[i].confidence = float64(i)
	}
	save("risk_coverage.png", must(viz.RiskCoverage([]viz.Series{
		risk("M32", guesses(1, 1)),
		risk("confidence at random", blind),
	})))
}

// The entropy of a Gaussian against its standard deviation, in one dimension and in ten.
func ExampleLines() {
	var lines []viz.Line
	for _, dimensions := range []int{1, 10} {
		line := viz.Line{Name: fmt.Sprintf("D = %d", dimensions)}
		for i := 1; i <= 60; i++ {
			sigma := float64(i) / 100
			line.X = append(line.X, sigma)
			line.Y = append(line.Y, float64(dimensions)*(1.419+math.Log(sigma)))
		}
		lines = append(lines, line)
	}
	save("lines.png", must(viz.Lines("σ", "entropy (nats)", lines)))
}

// A prior, and the posterior after some throws of a coin, which shows heads with a probability of
// 0.3, 0.5 or 0.9.
func ExampleBars() {
	save("bars.png", must(viz.Bars("probability", []string{"0.3", "0.5", "0.9"}, []viz.Series{
		{Name: "prior", Mean: []float64{0.25, 0.5, 0.25}},
		{Name: "posterior", Mean: []float64{0.02, 0.38, 0.6}},
	})))
}

// Standard deviations of the latents of eight layers, most of them below the 0.32 that they began
// with. They are computed from a formula.
func ExampleStrips() {
	plot := viz.StripPlot{Quantity: "σ of the latents", Reference: 0.32,
		ReferenceName: "at the start"}
	for layer := 1; layer <= 8; layer++ {
		strip := viz.Strip{Name: fmt.Sprintf("conv%d", layer)}
		for node := range 8 * layer {
			angle := float64(7*node + layer)
			strip.Values = append(strip.Values, 0.32-0.02*float64(layer)+
				0.05*math.Sin(angle)*math.Sin(angle/3))
		}
		plot.Strips = append(plot.Strips, strip)
	}
	save("strips.png", must(viz.Strips(plot)))
}

// madeUpDots are made-up means of four methods on clean, mildly and severely corrupted images.
func madeUpDots() viz.DotPlot {
	row := func(name string, seeds ...[]float64) viz.DotRow {
		r := viz.DotRow{Name: name, Mean: make([]float64, 3), Each: seeds, Seeds: len(seeds),
			Test: "first8, 16 samples, 1000 images"}
		for _, values := range seeds {
			for panel, value := range values {
				r.Mean[panel] += value / float64(len(seeds))
			}
		}
		return r
	}
	return viz.DotPlot{
		Metric: "NLL", Panels: []string{"clean", "severities 1 to 3", "severities 4 and 5"},
		Baseline: "MAP",
		Rows: []viz.DotRow{
			row("MAP", []float64{0.25, 0.77, 1.57}, []float64{0.28, 0.80, 1.70}),
			row("ens MAP", []float64{0.24, 0.69, 1.46}),
			row("SWAG", []float64{0.27, 0.70, 1.40}),
			row("node-BNN", []float64{0.36, 0.76, 1.36}, []float64{0.34, 0.72, 1.31},
				[]float64{0.35, 0.75, 1.35}),
		},
		Order: []int{3, 2, 1, 0},
	}
}

// NLL of single networks, of an ensemble and of methods with samples, the best under severe
// corruption at the top.
func ExampleDots() {
	save("dots.png", must(viz.Dots(madeUpDots())))
}

// gammaCurves are the negative log-likelihoods of VGG16 on CIFAR-100 with one and with four
// components, as they can be read off the paper's Figure 6: on clean test images and at the
// severities 4 and 5, over five seeds.
func gammaCurves() (test, severe []viz.Series) {
	one := []float64{0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 76,
		80}
	four := []float64{0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160}
	test = []viz.Series{{
		Name: "K = 1", Components: 1, X: one, Seeds: 5,
		Mean: []float64{
			1.2806, 1.1780, 1.0950, 1.0411, 0.9886, 0.9641, 0.9435, 0.9257, 0.9167, 0.9019, 0.9040,
			0.9009, 0.9029, 0.9100, 0.9235, 0.9462, 0.9690, 1.0015, 1.0300, 1.0713, 1.1098,
		},
		Std: []float64{
			0.0064, 0.0142, 0.0095, 0.0044, 0.0049, 0.0116, 0.0065, 0.0022, 0.0018, 0.0082, 0.0067,
			0.0028, 0.0085, 0.0034, 0.0057, 0.0015, 0.0024, 0.0037, 0.0068, 0.0037, 0.0029,
		},
	}, {
		Name: "K = 4", Components: 4, X: four, Seeds: 5,
		Mean: []float64{1.1391, 1.0541, 1.0050, 0.9501, 0.9248, 0.9165, 0.9251, 0.9415, 0.9867,
			1.0487, 1.1258},
		Std: []float64{0.0139, 0.0036, 0.0102, 0.0042, 0.0031, 0.0019, 0.0056, 0.0029, 0.0029,
			0.0037, 0.0013},
	}}
	severe = []viz.Series{{
		Name: "K = 1", Components: 1, X: one, Seeds: 5,
		Mean: []float64{
			3.9826, 3.8197, 3.6313, 3.3328, 3.2636, 3.0760, 2.9633, 2.8914, 2.8617, 2.8350, 2.7839,
			2.7512, 2.7085, 2.6806, 2.6825, 2.6516, 2.6447, 2.6542, 2.6840, 2.6577, 2.6784,
		},
		Std: []float64{
			0.0661, 0.1185, 0.0567, 0.0393, 0.0401, 0.0630, 0.0244, 0.0270, 0.0071, 0.0176, 0.0422,
			0.0487, 0.0547, 0.0062, 0.0212, 0.0338, 0.0420, 0.0342, 0.0127, 0.0286, 0.0167,
		},
	}, {
		Name: "K = 4", Components: 4, X: four, Seeds: 5,
		Mean: []float64{3.5175, 3.2698, 3.0827, 2.9495, 2.7966, 2.6984, 2.6252, 2.5783, 2.5422,
			2.5535, 2.5709},
		Std: []float64{0.0723, 0.0630, 0.0393, 0.0168, 0.0209, 0.0376, 0.0126, 0.0209, 0.0121,
			0.0190, 0.0363},
	}}
	return test, severe
}

// A sweep of one's own with a single seed, here 4 % above the paper's, against gamma and with the
// paper's curve.
func ExampleGammaCurves() {
	test, _ := gammaCurves()
	sweep := viz.Series{Name: "K = 4", X: test[1].X, Paper: test[1].Mean, Seeds: 1}
	for _, paper := range sweep.Paper {
		sweep.Mean = append(sweep.Mean, 1.04*paper)
	}
	save("gamma_curves.png", must(viz.GammaCurves("NLL", []viz.Series{sweep})))
}

// The layout of the paper's Figure 6: one panel for each split, one legend for all.
func ExampleSharedGrid() {
	test, severe := gammaCurves()
	left := must(viz.GammaCurves("NLL", test))
	right := must(viz.GammaCurves("NLL", severe))
	save("shared_row.png",
		must(viz.SharedGrid([]*viz.Figure{left.Titled("test"),
			right.Titled("severities 4 and 5")})))
}

// paperDifferences are the paper's leads of M32 at the levels of its Figure 3, with made-up ones of
// three seeds on the other side of zero.
func paperDifferences() viz.DifferencePlot {
	p := viz.DifferencePlot{Quantity: "M32 - M16, NLL (nats)", Claimed: -1,
		Caption: "small dots: 3 seeds; bars: 95 % intervals; shaded: the claim's side"}
	for level, paper := range []float64{-0.0525, -0.0822, -0.1078, -0.1329, -0.2099, -0.3080} {
		mean := 0.02 + 0.01*float64(level)
		p.Differences = append(p.Differences, viz.Difference{
			Name: fmt.Sprintf("level %d", level), Mean: mean, Interval: &[2]float64{mean - 0.03,
				mean + 0.03},
			Each: []float64{mean - 0.01, mean, mean + 0.01}, Paper: &paper,
		})
	}
	return p
}

// A claim that holds in the paper, drawn as dots, and fails in three made-up seeds.
func ExampleDifferences() {
	save("differences.png", must(viz.Differences(paperDifferences())))
}

// levelDifferences are made-up differences of three seeds at six levels: those from M16 next to the
// paper's, and those from a control.
func levelDifferences() viz.LevelDifferencePlot {
	fromM16, fromControl := viz.LevelDifference{Name: "M32 − M16"},
		viz.LevelDifference{Name: "M32 − fixed σ"}
	for level, paper := range []float64{-0.0525, -0.0822, -0.1078, -0.1329, -0.2099, -0.3080} {
		mean, half := 0.02+0.01*float64(level), 0.015+0.002*math.Pow(float64(level), 2.5)
		d := viz.Difference{Mean: mean, Interval: &[2]float64{mean - half, mean + half},
			Each: []float64{mean - half/3, mean, mean + half/2}, Paper: &paper}
		fromM16.Levels = append(fromM16.Levels, d)
		d = viz.Difference{Mean: mean / 4, Interval: &[2]float64{mean/4 - half, mean/4 + half},
			Each: []float64{mean/4 - half/2, mean / 4, mean/4 + half/3}}
		fromControl.Levels = append(fromControl.Levels, d)
	}
	return viz.LevelDifferencePlot{
		Quantity: "difference in NLL (nats)", Above: "M32 worse", Below: "M32 better",
		Series: []viz.LevelDifference{fromM16, fromControl},
	}
}

// A lead that the paper has and three made-up seeds don't have.
func ExampleLevelDifferences() {
	save("level_differences.png", must(viz.LevelDifferences(levelDifferences())))
}

// Two seeds have no interval, so nothing is drawn or named but their dots.
func TestLevelDifferencesWithoutIntervals(t *testing.T) {
	p := levelDifferences()
	p.Series = p.Series[:1]
	for level := range p.Series[0].Levels {
		d := &p.Series[0].Levels[level]
		d.Interval, d.Each, d.Paper = nil, d.Each[:2], nil
	}
	text := levelDifferencesSVG(t, p)
	if !strings.Contains(text, ">dots: 2 seeds<") {
		t.Error("the caption doesn't name the seeds")
	}
	for _, absent := range []string{"undecided", "interval", ">paper<"} {
		if strings.Contains(text, absent) {
			t.Errorf("the picture has %q", absent)
		}
	}
}

// levelDifferencesSVG draws a plot as text.
func levelDifferencesSVG(t *testing.T, p viz.LevelDifferencePlot) string {
	t.Helper()
	figure := testkit.Must(viz.LevelDifferences(p))(t)
	svg := testkit.Must(figure.Encode("svg"))(t)
	return string(svg)
}
