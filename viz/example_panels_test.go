package viz_test

import (
	"context"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/random"
	"github.com/nbbnn/workbench/viz"
)

// benchmark is what METHOD.md gives of the paper's comparison of ResNet18 on CIFAR-100: three
// methods at six levels.
func benchmark() []viz.LevelPanel {
	names := []string{"node-BNN", "SWAG", "cSG-HMC"}
	panel := func(metric string, means ...[]float64) viz.LevelPanel {
		p := viz.LevelPanel{Metric: metric}
		for i, mean := range means {
			p.Curves = append(p.Curves, viz.LevelCurve{Name: names[i], Mean: mean,
				Test: "CIFAR-100, 19 corruptions"})
		}
		return p
	}
	return []viz.LevelPanel{
		panel("ECE",
			[]float64{.0547, .0409, .0198, .0118, .0375, .0932},
			[]float64{.0372, .0159, .0142, .0380, .0748, .1365},
			[]float64{.0155, .0227, .0481, .0741, .1075, .1690}),
		panel("NLL",
			[]float64{.744, 1.204, 1.569, 1.859, 2.255, 2.885},
			[]float64{.727, 1.233, 1.632, 1.937, 2.361, 3.044},
			[]float64{.727, 1.250, 1.654, 1.972, 2.397, 3.101}),
		panel("Error",
			[]float64{.2042, .3098, .3890, .4424, .5075, .6118},
			[]float64{.2068, .3220, .4083, .4630, .5294, .6363},
			[]float64{.2003, .3175, .4032, .4592, .5281, .6363}),
	}
}

// The layout of the paper's Figure 10: three metrics of all methods under one legend.
func ExampleLevelGrid() {
	save("level_panels.png", must(viz.LevelGrid(benchmark())))
}

func ExampleLevelTable() {
	table := must(viz.LevelTable(viz.LevelPanel{Metric: "NLL", Curves: levelCurves()}))
	fmt.Print(must(table.As("txt")))
	// Output:
	//         level              0            1            2             3             4             5
	//   NLL    M16      .318 ± .041  .562 ± .052  .801 ± .058  1.057 ± .064  1.402 ± .079  2.061 ± .118
	//          M32      .262 ± .012  .471 ± .017  .689 ± .026   .912 ± .033  1.231 ± .045  1.802 ± .066
	//   mean ± standard deviation over 5 seeds
}

func ExampleCellTable() {
	m16 := viz.CellMap{
		Name: "M16", Metric: "Error", Corner: "severity", Rows: []string{"gaussian_noise", "fog"},
		Columns: []string{"1", "3", "5"}, Seeds: 3,
		Mean: [][]float64{{0.214, 0.351, 0.488}, {0.118, 0.131, 0.274}},
		Std:  [][]float64{{0.011, 0.016, 0.021}, {0.004, 0.006, 0.012}},
	}
	m32 := m16
	m32.Name = "M32"
	m32.Mean = [][]float64{{0.187, 0.292, 0.401}, {0.121, 0.130, 0.252}}
	m32.Std = [][]float64{{0.009, 0.012, 0.017}, {0.005, 0.005, 0.010}}
	table := must(viz.CellTable(m16, m32))
	fmt.Print(must(table.As("txt")))
	// Output:
	//   error (%)       severity             1           3           5
	//   gaussian noise  M16         21.4 ± 1.1  35.1 ± 1.6  48.8 ± 2.1
	//                   M32          18.7 ± .9  29.2 ± 1.2  40.1 ± 1.7
	//   fog             M16          11.8 ± .4   13.1 ± .6  27.4 ± 1.2
	//                   M32          12.1 ± .5   13.0 ± .5  25.2 ± 1.0
	//   mean ± standard deviation over 3 seeds
}

// Test images of Shapes10 with their classes.
func ExampleImages() {
	test := shapes().Test
	gallery := viz.Gallery{Height: side, Width: side}
	for i, label := range test.Labels[:14] {
		gallery.Pixels = append(gallery.Pixels, test.Slice(i, i+1).Pixels)
		gallery.Captions = append(gallery.Captions, shapes().Classes[label])
	}
	save("images.png", must(viz.Images(gallery)))
}

// A test image under all nineteen corruptions at all five severities.
func ExampleCorruptionSheet() {
	image := shapes().Test.Slice(3, 4).Pixels
	grid := viz.ImageGrid{Rows: corrupt.Names()[:19], Columns: []string{"1", "2", "3", "4", "5"},
		Corner: "severity", Height: side, Width: side}
	for _, corruption := range grid.Rows {
		var row [][]uint8
		for severity := 1; severity <= 5; severity++ {
			row = append(row, corrupted(image, corruption, severity))
		}
		grid.Pixels = append(grid.Pixels, row)
	}
	save("corruption_sheet.png", must(viz.CorruptionSheet(grid)))
}

// The paper's Figure 4 with linear layers, whose implicit corruptions have a closed form. The
// changes of both networks are enlarged alike.
func ExampleImplicitCorruptions() {
	var networks []viz.Implicit
	for _, std := range []float64{0.16, 0.32} {
		layer := newLatentLayer(std)
		implicit := viz.Implicit{
			Name: fmt.Sprintf("σ %.2f", std), Height: side, Width: side,
			Image: unit(shapes().Test.Slice(3, 4).Pixels), Lambda: []float64{0.0001, 0.0003, 0.001},
		}
		target := layer.draw(implicit.Image, random.New(4, "test latents", 0))
		for _, lambda := range implicit.Lambda {
			implicit.Masks = append(implicit.Masks, layer.implicit(implicit.Image, target, lambda))
		}
		networks = append(networks, implicit)
	}
	save("implicit_corruptions.png", must(viz.ImplicitCorruptions(networks...)))
}

// What three networks say about the same image in fog.
func ExampleAnswerBars() {
	answers := foggyAnswers()
	save("answer_bars.png", must(viz.AnswerBars(answers)))
}

// The chosen severity among the curves.
func ExampleFigure_Marked() {
	curves := []viz.LevelCurve{
		{Name: "γ = 0", Mean: []float64{0.42, 0.51, 0.66, 0.93, 1.21, 1.75}},
		{Name: "γ = 4", Mean: []float64{0.45, 0.50, 0.60, 0.78, 0.98, 1.32}},
	}
	save("marked.png", must(viz.LevelCurves("NLL", curves)).Marked(3))
}

// foggyAnswers are invented answers about an image of Shapes10: a wrong one and two right ones.
func foggyAnswers() viz.Answers {
	ctx := context.Background()
	data := must(dataset.Open(ctx, dataset.Config{Name: dataset.Shapes10Bright, TrainCount: 1,
		TestCount: 1}))
	fog := must(corrupt.Apply(ctx, corrupt.Config{Corruption: "fog", Severity: 3},
		corrupt.Size{Height: 32, Width: 32}, data.Test.Pixels))
	answer := func(name string, truth, other, before float64) viz.Answer {
		return viz.Answer{Name: name, Probabilities: shared(data, truth, other),
			Before: shared(data, before, (1-before)/2)}
	}
	return viz.Answers{
		Classes: data.Classes, Truth: int(data.Test.Labels[0]), Height: 32, Width: 32,
		Clean: data.Test.Pixels, Changed: fog, Change: "fog, severity 3",
		By: []viz.Answer{answer("γ = 0", 0.24, 0.71, 0.98), answer("γ = 1", 0.48, 0.35, 0.96),
			answer("γ = 4", 0.56, 0.18, 0.9)},
	}
}

// shared gives the first image's class a probability, the next class another, and the rest to all.
func shared(data *dataset.Dataset, truth, next float64) []float64 {
	label := int(data.Test.Labels[0])
	probabilities := make([]float64, len(data.Classes))
	for class := range probabilities {
		probabilities[class] = (1 - truth - next) / float64(len(probabilities)-2)
	}
	probabilities[label], probabilities[(label+1)%len(probabilities)] = truth, next
	return probabilities
}

// Every figure hands out its axes: here a line is added, the label changed and the range widened
// before the figure is saved. The extension chooses the format: .png, .svg or .pdf.
func ExampleFigure_Plots() {
	figure := must(viz.LevelCurves("NLL", levelCurves()))
	axes := figure.Plots()[0]
	// of a classifier that guesses
	chance := plotter.NewFunction(func(float64) float64 { return math.Log(10) })
	chance.Dashes = []vg.Length{2, 3}
	chance.Color = color.Gray{Y: 0x60}
	axes.Add(chance)
	axes.Y.Max = 2.5
	axes.X.Label.Text = "severity (dotted: guessing)"
	save("plots.png", figure)
}

// A map has hidden axes over its cells: row r and column c of R rows are at c to c+1 and R-r-1 to
// R-r. A frame marks frost, the ninth row of nineteen, at severity 5.
func ExampleFigure_Plots_cells() {
	figure := must(viz.HeatMap(cellMap("templates", false)))
	frame := must(plotter.NewLine(plotter.XYs{{X: 4, Y: 10}, {X: 5, Y: 10}, {X: 5, Y: 11},
		{X: 4, Y: 11}, {X: 4, Y: 10}}))
	frame.Color, frame.Width = color.RGBA{R: 0xc1, A: 0xff}, 2
	figure.Plots()[0].Add(frame)
	save("plots_cells.png", figure)
}

// A term of the objective, of two runs of one method: a thin line for each.
func ExampleEpochCurves() {
	curve := viz.Series{Name: "node-BNN", First: 1, Seeds: 2, Each: make([][]float64, 2)}
	for epoch := range 60 {
		kl := 40 * (1 - math.Exp(-float64(epoch)/12))
		curve.Mean = append(curve.Mean, kl)
		for seed := range curve.Each {
			curve.Each[seed] = append(curve.Each[seed], kl*(0.9+0.2*float64(seed)))
		}
	}
	save("epoch_curves.png", must(viz.EpochCurves("KL (nats)", []viz.Series{curve})))
}

// Figures below each other, each with a title.
func ExampleColumn() {
	entropy := must(viz.EntropyCurves(entropyCurves()))
	levels := must(viz.LevelCurves("NLL", levelCurves()))
	save("column.png", must(viz.Column(entropy.Titled("M32 keeps more entropy"),
		levels.Titled("and errs with less confidence"))))
}

// Two methods with one range of colours.
func ExampleHeatMap_shared() {
	save("shared_heat_maps.png",
		must(viz.HeatMap(cellMap("templates", false), cellMap("normalised", true))))
}

// The principal components of points along a diagonal of the plane, and what their ellipse holds.
func ExampleNewProjection() {
	projection := must(viz.NewProjection([][]float64{{-2, -2}, {2, 2}, {-1, 1}, {1, -1}}, 2))
	points := must(projection.Project([]float64{1, 1}))
	fmt.Printf("first component %.3f, which explains %.0f %% of the variance\n", points[0][0],
		100*projection.Share[0])
	// Output:
	// first component 1.414, which explains 80 % of the variance
}

func ExampleNewEllipse() {
	ellipse := must(viz.NewEllipse([][2]float64{{-2, 0}, {2, 0}, {0, -1}, {0, 1}}))
	fmt.Println(ellipse.Inside([2]float64{3, 1}), ellipse.Inside([2]float64{0, 4}))
	// Output:
	// true false
}

// cloud projects the outputs of a layer for the test image and its 95 corrupted versions.
func cloud(std float64) (viz.Cloud, error) {
	layer := newLatentLayer(std)
	image := unit(ball())
	draws := layer.draws(image, 800)
	projection, err := viz.NewProjection(draws, 10)
	if err != nil {
		return viz.Cloud{}, err
	}
	result := viz.Cloud{Share: [2]float64(projection.Share)}
	points := [][]float64{layer.mean(image)}
	for _, corruption := range corrupt.Names()[:19] {
		for severity := 1; severity <= 5; severity++ {
			points = append(points, layer.mean(unit(corrupted(ball(), corruption, severity))))
			result.Severity = append(result.Severity, severity)
			result.Corruption = append(result.Corruption, corruption)
		}
	}
	projected, err := projection.Project(append(draws, points...)...)
	if err != nil {
		return viz.Cloud{}, err
	}
	for i, p := range projected {
		switch point := [2]float64(p[:2]); {
		case i < len(draws):
			result.Draws = append(result.Draws, point)
		case i == len(draws):
			result.Clean = point
		default:
			result.Corrupted = append(result.Corrupted, point)
		}
	}
	return result, nil
}

// The paper's Figure 2: the larger the standard deviation of the latents, the more corrupted
// versions of an image lie within what the layer has seen.
func ExamplePCAScatter() {
	var clouds []viz.Cloud
	for _, std := range []float64{0.16, 0.32} {
		outputs := must(cloud(std))
		outputs.Name = fmt.Sprintf("sigma %.2f", std)
		clouds = append(clouds, outputs)
	}
	save("pca_scatter.png", must(viz.PCAScatter(clouds...)))
}
