package paper

import (
	"cmp"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
)

// trainingOperations counts a multiplication and an addition in the forward pass and in each of the two gradients
// (METHOD.md section 6). The configuration is filled.
func trainingOperations(config nbbnn.Config) float64 {
	images, _ := imageCounts(config.Data)
	return 6 * multiplyAdds(config) * float64(config.Training.Samples*images*config.Training.Epochs)
}

// evaluationOperations counts those of what a figure asks of a trained run, so many cells or implicit corruptions.
func (s Setup) evaluationOperations(config nbbnn.Config, cells int) float64 {
	if s.isImplicit() {
		return implicitOperations(config, s.Implicit.WithDefaults(config.Posterior.Components))
	}
	return testOperations(config, s.Evaluation, cells)
}

// testOperations counts those of an evaluation of so many cells.
func testOperations(config nbbnn.Config, evaluation nbbnn.Evaluation, cells int) float64 {
	_, test := imageCounts(config.Data)
	images := cmp.Or(evaluation.Images, test)
	return 2 * multiplyAdds(config) * float64(evaluation.Samples*images*cells)
}

// implicitOperations counts, for every step of a search, a multiplication and an addition in the forward pass and in the gradient of
// the image, once for each draw whose mean is the output.
func implicitOperations(config nbbnn.Config, settings nbbnn.Implicit) float64 {
	return 4 * multiplyAdds(config) * float64(settings.Steps*settings.Images*settings.Draws*len(settings.Lambda)*max(1, settings.Expected))
}

// multiplyAdds counts those of one image of CIFAR-10's size and classes.
func multiplyAdds(config nbbnn.Config) float64 { return float64(config.MultiplyAdds(32, 10)) }

// imageCounts returns how many images a run trains on and how many it can be tested on.
func imageCounts(data nbbnn.Data) (train, test int) {
	size := dataset.Config{Name: data.Name, TrainCount: data.Train, TestCount: data.Test}.Size()
	return size.Train, size.Test
}

// memory estimates the bytes that training takes, from measurements of 0.15 GB at width 24 with 32 rows a step and 1.9 GB at
// width 96 with 512 rows.
func memory(config nbbnn.Config) float64 {
	const program, perValue, perPixel = 90e6, 10, 4
	const imageValues = 32 * 32 * 3
	activations := 3584 * float64(config.Network.Width) // of one row: two layers of 32x32, three of 16x16, two of 8x8
	rows := float64(config.Training.Batch * config.Training.Samples)
	train, test := imageCounts(config.Data)
	return program + perPixel*imageValues*float64(train+test) + perValue*activations*rows
}
