package viz_test

import (
	"math/rand/v2"

	"github.com/nbbnn/workbench/internal/random"
)

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
	now, size := l.mean(image), len(l.filters)
	system := make([][]float64, size) // with the right-hand side in the last column
	for i, a := range l.filters {
		system[i] = make([]float64, size+1)
		for j, b := range l.filters {
			for k := range a {
				system[i][j] += a[k] * b[k]
			}
		}
		system[i][i] += lambda
		system[i][size] = target[i] - now[i]
	}
	change := make([]float64, len(image))
	for i, weight := range solve(system) {
		for k, value := range l.filters[i] {
			change[k] += weight * value
		}
	}
	return change
}

// solve eliminates the unknowns of a positive definite system one after the other.
func solve(system [][]float64) []float64 {
	size := len(system)
	for i := range size {
		for j := range size {
			if i == j {
				continue
			}
			factor := system[j][i] / system[i][i]
			for k := i; k <= size; k++ {
				system[j][k] -= factor * system[i][k]
			}
		}
	}
	solution := make([]float64, size)
	for i := range solution {
		solution[i] = system[i][size] / system[i][i]
	}
	return solution
}
