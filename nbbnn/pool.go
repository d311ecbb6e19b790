package nbbnn

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// average is the mean over the pixels, [rows, height, width, channels] to [rows, channels].
func average(x *Node) *Node { return ReduceMean(x, 1, 2) }
