package viz_test

import (
	"fmt"
	"log"
	"math"

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
func entropyCurves() []viz.EntropyCurve {
	m16 := viz.EntropyCurve{Name: "M16", Seeds: 5, Prior: -113, Latents: 274}
	m32 := viz.EntropyCurve{Name: "M32", Seeds: 5, Prior: 77, Latents: 274}
	for epoch := range 21 {
		done := 1 - math.Exp(-float64(epoch)/8)
		m16.Mean = append(m16.Mean, -116-50*done)
		m16.Std = append(m16.Std, 1+7*done)
		m32.Mean = append(m32.Mean, 74-80*done)
		m32.Std = append(m32.Std, 1+10*done)
	}
	return []viz.EntropyCurve{m16, m32}
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
	for i, name := range []string{"deterministic", "MC dropout", "deep ensemble", "SWAG", "node-BNN"} {
		curve := viz.LevelCurve{Name: name, Seeds: 2, Each: make([][]float64, 2)}
		for level := range 6 {
			mean := (0.11 - 0.013*float64(i)) * math.Pow(1.4-0.015*float64(i), float64(level))
			spread := 0.002 + 0.002*float64(level)
			curve.Mean = append(curve.Mean, mean)
			curve.Each[0], curve.Each[1] = append(curve.Each[0], mean-spread), append(curve.Each[1], mean+spread)
		}
		curves = append(curves, curve)
	}
	figure, err := viz.LevelCurves("Error", curves)
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/level_curves_methods.png"); err != nil {
		log.Fatal(err)
	}
}

// A caption says what was measured, and the legend what the paper's curves are over.
func ExampleLevelCurves_caption() {
	curves := levelCurves()
	for i := range curves {
		curves[i].Test, curves[i].PaperName = "first8, 16 samples, 1000 images", "paper, 19 corruptions"
	}
	figure, err := viz.LevelCurves("NLL", curves)
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/level_curves_caption.png"); err != nil {
		log.Fatal(err)
	}
}

func ExampleEntropyCurves() {
	figure, err := viz.EntropyCurves(entropyCurves())
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/entropy_curves.png"); err != nil {
		log.Fatal(err)
	}
}

// The paper's Figure 3: entropy over training on the left, negative log-likelihood under corruption
// on the right.
func ExampleRow() {
	entropy, err := viz.EntropyCurves(entropyCurves())
	if err != nil {
		log.Fatal(err)
	}
	levels, err := viz.LevelCurves("NLL", levelCurves())
	if err != nil {
		log.Fatal(err)
	}
	figure, err := viz.Row(entropy, levels)
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/row.png"); err != nil {
		log.Fatal(err)
	}
}

func ExampleCorruptionGrid() {
	grid := viz.ImageGrid{
		Rows:    []string{"gaussian_noise", "contrast", "pixelate"},
		Columns: []string{"clean", "1", "2", "3", "4", "5"},
		Corner:  "severity",
		Height:  32,
		Width:   32,
	}
	for _, corruption := range []func(clean []uint8, severity int) []uint8{noisy, flat, coarse} {
		var row [][]uint8
		for severity := range 6 {
			row = append(row, corruption(ball(), severity))
		}
		grid.Pixels = append(grid.Pixels, row)
	}
	figure, err := viz.CorruptionGrid(grid)
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/corruption_grid.png"); err != nil {
		log.Fatal(err)
	}
}

func ExampleTable_Text() {
	table := viz.Table{
		Header: []string{"metric", "level", "0", "1", "2"},
		Rows: [][]string{
			{"NLL", "M16", viz.MeanStd(0.318, 0.041, 5, 3), viz.MeanStd(0.562, 0.052, 5, 3), viz.MeanStd(1.057, 0.064, 5, 3)},
			{"NLL", "M32", viz.MeanStd(0.262, 0.012, 5, 3), viz.MeanStd(0.471, 0.017, 5, 3), viz.MeanStd(0.912, 0.033, 5, 3)},
			{"ECE", "M16", "0.021", "0.048", "0.090"},
			{"ECE", "M32", "0.017", "0.035", "0.071"},
		},
		Labels: 2,
	}
	text, err := table.Text()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
	// Output:
	//   metric  level              0            1             2
	//   NLL     M16      .318 ± .041  .562 ± .052  1.057 ± .064
	//           M32      .262 ± .012  .471 ± .017   .912 ± .033
	//   ECE     M16             .021         .048          .090
	//           M32             .017         .035          .071
}
