package viz_test

import (
	"fmt"
	"image/color"
	"log"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/nbbnn/workbench/viz"
)

// Every figure hands out its axes: here a line is added, the label changed and the range widened
// before the figure is saved. The extension chooses the format: .png, .svg or .pdf.
func ExampleFigure_Plots() {
	figure, err := viz.LevelCurves("NLL", levelCurves())
	if err != nil {
		log.Fatal(err)
	}
	axes := figure.Plots()[0]
	chance := plotter.NewFunction(func(float64) float64 { return math.Log(10) }) // of a classifier that guesses
	chance.Dashes = []vg.Length{2, 3}
	chance.Color = color.Gray{Y: 0x60}
	axes.Add(chance)
	axes.Y.Max = 2.5
	axes.X.Label.Text = "severity (dotted: guessing)"
	if err := figure.Save("testdata/plots.png"); err != nil {
		log.Fatal(err)
	}
}

// A map has hidden axes over its cells: row r and column c of R rows are at c to c+1 and R-r-1 to
// R-r. A frame marks frost, the ninth row of nineteen, at severity 5.
func ExampleFigure_Plots_cells() {
	figure, err := viz.HeatMap(cellMap("templates", false))
	if err != nil {
		log.Fatal(err)
	}
	frame, err := plotter.NewLine(plotter.XYs{{X: 4, Y: 10}, {X: 5, Y: 10}, {X: 5, Y: 11}, {X: 4, Y: 11}, {X: 4, Y: 10}})
	if err != nil {
		log.Fatal(err)
	}
	frame.Color, frame.Width = color.RGBA{R: 0xc1, A: 0xff}, 2
	figure.Plots()[0].Add(frame)
	if err := figure.Save("testdata/plots_cells.png"); err != nil {
		log.Fatal(err)
	}
}

// A term of the objective, of two runs of one method: a thin line for each.
func ExampleEpochCurves() {
	curve := viz.EpochCurve{Name: "node-BNN", First: 1, Seeds: 2, Each: make([][]float64, 2)}
	for epoch := range 60 {
		kl := 40 * (1 - math.Exp(-float64(epoch)/12))
		curve.Mean = append(curve.Mean, kl)
		for seed := range curve.Each {
			curve.Each[seed] = append(curve.Each[seed], kl*(0.9+0.2*float64(seed)))
		}
	}
	figure, err := viz.EpochCurves("KL (nats)", []viz.EpochCurve{curve})
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/epoch_curves.png"); err != nil {
		log.Fatal(err)
	}
}

// Figures below each other, each with a title.
func ExampleColumn() {
	entropy, err := viz.EntropyCurves(entropyCurves())
	if err != nil {
		log.Fatal(err)
	}
	levels, err := viz.LevelCurves("NLL", levelCurves())
	if err != nil {
		log.Fatal(err)
	}
	figure, err := viz.Column(entropy.Titled("M32 keeps more entropy"), levels.Titled("and errs with less confidence"))
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/column.png"); err != nil {
		log.Fatal(err)
	}
}

// Two methods with one range of colours.
func ExampleSharedHeatMaps() {
	figure, err := viz.SharedHeatMaps(cellMap("templates", false), cellMap("normalised", true))
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/shared_heat_maps.png"); err != nil {
		log.Fatal(err)
	}
}

func ExampleMeanStd() {
	fmt.Println(viz.MeanStd(0.4712, 0.0169, 5, 3))
	fmt.Println(viz.MeanStd(0.4712, 0, 1, 3)) // one seed
	// Output:
	// 0.471 ± 0.017
	// 0.471
}

// The principal components of points along a diagonal of the plane, and what their ellipse holds.
func ExampleNewProjection() {
	projection, err := viz.NewProjection([][]float64{{-2, -2}, {2, 2}, {-1, 1}, {1, -1}}, 2)
	if err != nil {
		log.Fatal(err)
	}
	points, err := projection.Project([]float64{1, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("first component %.3f, which explains %.0f %% of the variance\n", points[0][0], 100*projection.Share[0])
	// Output:
	// first component 1.414, which explains 80 % of the variance
}

func ExampleNewEllipse() {
	ellipse, err := viz.NewEllipse([][2]float64{{-2, 0}, {2, 0}, {0, -1}, {0, 1}})
	if err != nil {
		log.Fatal(err)
	}
	long, short := ellipse.SemiAxes()
	fmt.Printf("semi-axes %.2f and %.2f\n", long, short)
	fmt.Println(ellipse.Inside([2]float64{3, 1}), ellipse.Inside([2]float64{0, 4}))
	// Output:
	// semi-axes 4.96 and 2.48
	// true false
}
