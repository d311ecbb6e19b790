package nbbnn

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// halve takes the largest value of every two by two pixels, [rows, height, width, channels] to [rows, height/2, width/2,
// channels]. What is left of an odd side is dropped.
func halve(x *Node) *Node {
	return MaxPool(x).Window(2).NoPadding().Done()
}

// average is the mean over the pixels, [rows, height, width, channels] to [rows, channels].
func average(x *Node) *Node { return ReduceMean(x, 1, 2) }
