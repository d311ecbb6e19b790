package nbbnn

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// normalisation is one batch normalisation over the channels of a layer's output.
type normalisation struct {
	name     string
	channels int
}

// Constants of batch normalisation (METHOD.md 1.2).
const (
	normalisationEpsilon = 1e-5
	runningMomentum      = 0.1 // share of the batch in the running statistics
)

// batchNormalise returns x [rows, height, width, channels] with mean zero and standard deviation one in every channel, times
// scale plus shift, both [channels]; and the mean and the biased variance of each channel over all rows and pixels.
func batchNormalise(x, scale, shift *Node) (y, mean, variance *Node) {
	mean = ReduceMean(x, 0, 1, 2)                                      // [channels]
	variance = ReduceMean(Square(Sub(x, overChannels(mean))), 0, 1, 2) // [channels]
	return normaliseWith(x, scale, shift, mean, variance), mean, variance
}

// normaliseWith is batch normalisation with a given mean and variance, [channels].
func normaliseWith(x, scale, shift, mean, variance *Node) *Node {
	factor := Div(scale, Sqrt(AddScalar(variance, normalisationEpsilon)))
	return Add(Mul(Sub(x, overChannels(mean)), overChannels(factor)), overChannels(shift))
}

// runningMean moves the running mean towards the batch's.
func runningMean(running, batch *Node) *Node { return moved(running, batch) }

// runningVariance moves the running variance towards the batch's, made unbiased for a batch of so many pixels.
func runningVariance(running, biased *Node, count int) *Node {
	return moved(running, MulScalar(biased, float64(count)/float64(max(1, count-1))))
}

func moved(running, batch *Node) *Node {
	return Add(MulScalar(running, 1-runningMomentum), MulScalar(StopGradient(batch), runningMomentum))
}

// overChannels shapes one number a channel to go with images.
func overChannels(x *Node) *Node { return Reshape(x, 1, 1, 1, x.Shape().Dim(0)) }
