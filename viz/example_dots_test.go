package viz_test

import (
	"log"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/viz"
)

// madeUpDots are made-up means of four methods on clean, mildly and severely corrupted images.
func madeUpDots() viz.DotPlot {
	row := func(name string, seeds ...[]float64) viz.DotRow {
		r := viz.DotRow{Name: name, Mean: make([]float64, 3), Each: seeds, Seeds: len(seeds), Test: "first8, 16 samples, 1000 images"}
		for _, values := range seeds {
			for panel, value := range values {
				r.Mean[panel] += value / float64(len(seeds))
			}
		}
		return r
	}
	return viz.DotPlot{
		Metric: "NLL", Panels: []string{"clean", "severities 1 to 3", "severities 4 and 5"}, Baseline: "MAP",
		Rows: []viz.DotRow{
			row("MAP", []float64{0.25, 0.77, 1.57}, []float64{0.28, 0.80, 1.70}),
			row("ens MAP", []float64{0.24, 0.69, 1.46}),
			row("SWAG", []float64{0.27, 0.70, 1.40}),
			row("node-BNN", []float64{0.36, 0.76, 1.36}, []float64{0.34, 0.72, 1.31}, []float64{0.35, 0.75, 1.35}),
		},
		Order: []int{3, 2, 1, 0},
	}
}

// NLL of single networks, of an ensemble and of methods with samples, the best under severe
// corruption at the top.
func ExampleDots() {
	figure, err := viz.Dots(madeUpDots())
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/dots.png"); err != nil {
		log.Fatal(err)
	}
}

// A panel's axis reaches over all means and seeds, and names are in the first panel alone.
func TestDots(t *testing.T) {
	figure, err := viz.Dots(madeUpDots())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][2]float64{{0.24, 0.36}, {0.69, 0.80}, {1.31, 1.70}} {
		if axis := figure.Plots()[i].X; axis.Min > want[0] || axis.Max < want[1] {
			t.Errorf("the axis of panel %d reaches from %g to %g, want %g to %g on it", i, axis.Min, axis.Max, want[0], want[1])
		}
	}
	svg, err := figure.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{">ens MAP<", ">severities 4 and 5<", "small points: seeds; two marks: two seeds", "first8, 16 samples, 1000 images"} {
		if count := strings.Count(string(svg), want); count != 1 {
			t.Errorf("the picture has %q %d times, want once", want, count)
		}
	}
	if first, last := strings.Index(string(svg), ">node-BNN<"), strings.Index(string(svg), ">MAP<"); first < 0 || last < 0 {
		t.Error("the picture lacks the name of a row")
	}
}

func TestWrongDots(t *testing.T) {
	for want, spoil := range map[string]func(p *viz.DotPlot){
		"no row of the dots is called":  func(p *viz.DotPlot) { p.Baseline = "SAM" },
		"isn't one of 4 rows":           func(p *viz.DotPlot) { p.Order = []int{0, 1, 1, 3} },
		"has 3 means for 2 panels":      func(p *viz.DotPlot) { p.Panels = p.Panels[:2] },
		"two curves are called \"MAP\"": func(p *viz.DotPlot) { p.Rows[1].Name = "MAP" },
		"the values of 1":               func(p *viz.DotPlot) { p.Rows[0].Each = p.Rows[0].Each[:1] },
		"fractions, not percent":        func(p *viz.DotPlot) { p.Metric = "Error" },
		"unknown metric":                func(p *viz.DotPlot) { p.Metric = "NNL" },
		"has no values":                 func(p *viz.DotPlot) { p.Rows[2].Mean = nil },
		"a chart of 0 curves":           func(p *viz.DotPlot) { p.Rows = nil },
	} {
		p := madeUpDots()
		spoil(&p)
		if figure, err := viz.Dots(p); err == nil || figure != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}
