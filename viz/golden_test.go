package viz_test

import (
	"log"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/cmpimg"

	"github.com/nbbnn/workbench/internal/random"
	"github.com/nbbnn/workbench/viz"
)

// tolerance of a pixel's colour (cmpimg's unit, 0 exact to 1 anything): other processors round the
// edges of shapes otherwise by a shade or two.
const tolerance = 0.05

// The pictures of the examples are as they were when a person last looked at them; -regen rewrites
// them.
func TestGoldenPictures(t *testing.T) {
	for _, test := range []struct {
		picture string
		draw    func()
	}{
		{"level_curves.png", ExampleLevelCurves},
		{"level_curves_methods.png", ExampleLevelCurves_methods},
		{"level_curves_caption.png", ExampleLevelCurves_caption},
		{"entropy_curves.png", ExampleEntropyCurves},
		{"row.png", ExampleRow},
		{"corruption_grid.png", ExampleCorruptionGrid},
		{"gamma_curves.png", ExampleGammaCurves},
		{"shared_row.png", ExampleSharedGrid},
		{"reliability.png", ExampleReliability},
		{"risk_coverage.png", ExampleRiskCoverage},
		{"heat_map.png", ExampleHeatMap},
		{"difference_map.png", ExampleDifferenceMap},
		{"pca_scatter.png", ExamplePCAScatter},
		{"images.png", ExampleImages},
		{"corruption_sheet.png", ExampleCorruptionSheet},
		{"implicit_corruptions.png", ExampleImplicitCorruptions},
		{"level_panels.png", ExampleLevelGrid},
		{"level_multiples.png", ExampleLevelMultiples},
		{"plots.png", ExampleFigure_Plots},
		{"plots_cells.png", ExampleFigure_Plots_cells},
		{"epoch_curves.png", ExampleEpochCurves},
		{"column.png", ExampleColumn},
		{"shared_heat_maps.png", ExampleHeatMap_shared},
		{"lines.png", ExampleLines},
		{"bars.png", ExampleBars},
		{"strips.png", ExampleStrips},
		{"answer_bars.png", ExampleAnswerBars},
		{"marked.png", ExampleFigure_Marked},
		{"differences.png", ExampleDifferences},
		{"level_differences.png", ExampleLevelDifferences},
		{"against_passes.png", ExampleAgainstPasses},
		{"dots.png", ExampleDots},
	} {
		t.Run(test.picture, func(t *testing.T) {
			cmpimg.CheckPlotApprox(test.draw, t, tolerance, test.picture)
		})
	}
}

// side is the height and width of the test image.
const side = 32

// ball is an image of a lit ball before a sky, RGB bytes [side, side, 3].
func ball() []uint8 {
	pixels := make([]uint8, 0, side*side*3)
	for y := range side {
		for x := range side {
			dx, dy := float64(x)-15.5, float64(y)-17
			light := 200 - 6*(dx+dy)
			switch {
			case dx*dx+dy*dy < 100:
				pixels = append(pixels, uint8(min(light, 255)+0.5), uint8(0.35*light+0.5),
					uint8(0.2*light+0.5))
			case y > 24:
				pixels = append(pixels, 70, 120, 60)
			default:
				pixels = append(pixels, uint8(120+3*y), uint8(160+2*y), 225)
			}
		}
	}
	return pixels
}

// manyMethods are made-up errors of eight methods over three seeds.
func manyMethods() viz.LevelPanel {
	panel := viz.LevelPanel{Metric: "Error"}
	for i, name := range []string{"MAP", "SWAG", "cSG-HMC", "SAM", "ASAM", "MC dropout", "node-BNN",
		"AugMix"} {
		curve := viz.LevelCurve{Name: name, Seeds: 3, Each: make([][]float64, 3),
			Test: "19 corruptions", Classes: 10}
		for level := range 6 {
			mean := 0.08 + 0.01*float64(i%3) + (0.13-0.008*float64(i))*float64(level)
			curve.Mean = append(curve.Mean, mean)
			for seed := range curve.Each {
				curve.Each[seed] = append(curve.Each[seed], mean+0.01*float64(seed-1))
			}
		}
		panel.Curves = append(panel.Curves, curve)
	}
	return panel
}

// Errors of eight methods, each with a panel of its own.
func ExampleLevelMultiples() {
	save("level_multiples.png", must(viz.LevelMultiples(manyMethods())))
}

// latentLayer is a node-based Bayesian layer whose filters are the templates: its ten outputs are
// the products of the templates with the image, whose colours are multiplied by latents; the
// outputs are multiplied by latents of their own. All latents are drawn from N(1, std^2).
type latentLayer struct {
	filters [][]float64 // [outputs][values]
	std     float64
}

func newLatentLayer(std float64) latentLayer {
	l := latentLayer{std: std}
	for _, mean := range newTemplates(true).means {
		filter := make([]float64, len(mean))
		for j, value := range mean {
			filter[j] = 0.01 * value
		}
		l.filters = append(l.filters, filter)
	}
	return l
}

// mean is the output at the latents' mean, one, and on average over their draws.
func (l latentLayer) mean(image []float64) []float64 {
	return l.output(image, [3]float64{1, 1, 1}, nil)
}

// draw is the output under a draw of the latents.
func (l latentLayer) draw(image []float64, rng *rand.Rand) []float64 {
	colours, outputs := [3]float64{}, make([]float64, len(l.filters))
	for i := range colours {
		colours[i] = 1 + l.std*rng.NormFloat64()
	}
	for i := range outputs {
		outputs[i] = 1 + l.std*rng.NormFloat64()
	}
	return l.output(image, colours, outputs)
}

// output multiplies the image's colours and the outputs; nil leaves the latter as they are.
func (l latentLayer) output(image []float64, colours [3]float64, outputs []float64) []float64 {
	result := make([]float64, len(l.filters))
	for i, filter := range l.filters {
		for j, value := range image {
			result[i] += filter[j] * value * colours[j%3]
		}
		if outputs != nil {
			result[i] *= outputs[i]
		}
	}
	return result
}

// draws are outputs for one image under a number of draws.
func (l latentLayer) draws(image []float64, count int) (outputs [][]float64) {
	rng := random.New(1, "test latents", 0)
	for range count {
		outputs = append(outputs, l.draw(image, rng))
	}
	return outputs
}

// unit returns the pixels as numbers from 0 to 1.
func unit(pixels []uint8) []float64 { return templates{}.values(pixels) }

// implicit returns the g that makes |target - A (x + g)|^2 / 2 + lambda |g|^2 / 2 least, for the
// matrix A of the filters: the transpose of A times the solution u of (A A' + lambda) u = target -
// A x.
func (l latentLayer) implicit(image, target []float64, lambda float64) []float64 {
	size := len(l.filters)
	filters, system := mat.NewDense(size, len(image), slices.Concat(l.filters...)),
		mat.NewSymDense(size, nil)
	system.SymOuterK(1, filters)
	for i := range size {
		system.SetSym(i, i, system.At(i, i)+lambda)
	}
	var root mat.Cholesky
	root.Factorize(system)
	var weights, change mat.VecDense
	if err := root.SolveVecTo(&weights, mat.NewVecDense(size, floats.SubTo(make([]float64, size),
		target, l.mean(image)))); err != nil {
		log.Fatal(err)
	}
	change.MulVec(filters.T(), &weights)
	return change.RawVector().Data
}
