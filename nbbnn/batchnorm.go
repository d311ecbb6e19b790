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

// runningMean moves the running mean towards the batch's.
func runningMean(running, batch *Node) *Node { return moved(running, batch) }

// runningVariance moves the running variance towards the batch's, made unbiased for a batch of so many pixels.
func runningVariance(running, biased *Node, count int) *Node {
	return moved(running, MulScalar(biased, float64(count)/float64(max(1, count-1))))
}

func moved(running, batch *Node) *Node {
	return Add(MulScalar(running, 1-runningMomentum), MulScalar(StopGradient(batch), runningMomentum))
}
