package paper

import "github.com/nbbnn/workbench/nbbnn"

// trainingOperations counts a multiplication and an addition in the forward pass and in each of the two gradients
// (METHOD.md section 6).
func trainingOperations(config nbbnn.Config) float64 {
	training := config.Training
	images := atMost(config.Data.Train, 50_000)
	return 6 * multiplications(config.Network) * float64(training.Samples*images*training.Epochs)
}

func testOperations(config nbbnn.Config, evaluation nbbnn.Evaluation, cells int) float64 {
	images := atMost(evaluation.Images, atMost(config.Data.Test, 10_000))
	return 2 * multiplications(config.Network) * float64(evaluation.Samples*images*cells)
}

// atMost reads a number of images, of which 0 means all.
func atMost(count, all int) int {
	if count == 0 {
		return all
	}
	return min(count, all)
}

// multiplications is the number of multiply-adds of one forward pass of All-CNN-C over an image of 32x32 pixels in ten
// classes: 278,814,720 at the published width (METHOD.md 1.3).
func multiplications(network nbbnn.Network) float64 {
	width := float64(network.Width)
	return 28_928*width + 29_952*width*width
}

// memory estimates the bytes that training takes, from measurements of 0.15 GB at width 24 with 32 rows a step and 1.9 GB at
// width 96 with 512 rows.
func memory(config nbbnn.Config) float64 {
	const program, perValue, perPixel = 90e6, 10, 4
	const imageValues = 32 * 32 * 3
	activations := 3584 * float64(config.Network.Width) // of one row: two layers of 32x32, three of 16x16, two of 8x8
	rows := float64(config.Training.Batch * config.Training.Samples)
	images := float64(atMost(config.Data.Train, 50_000) + atMost(config.Data.Test, 10_000))
	return program + perPixel*imageValues*images + perValue*activations*rows
}
