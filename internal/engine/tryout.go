//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64))

package engine

import (
	"errors"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// tryOut computes a small convolution and functions of its result: a plugin can open and then miss
// the compiler, the library of convolutions or that of functions. Their sum is the convolution's.
func tryOut(backend compute.Backend) (err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("it panics: %v", problem)
		}
	}()
	execution, err := graph.NewExec(backend, func(x *graph.Node) *graph.Node {
		kernel := graph.Reshape(graph.OnesLike(x), 2, 2, 1, 1)
		sum := graph.Reshape(graph.Convolve(x, kernel).NoPadding().Done())
		return graph.Add(sum, graph.Log(graph.Cos(graph.Sub(sum, sum))))
	})
	if err != nil {
		return err
	}
	outputs, err := execution.Call(tensors.FromFlatDataAndDimensions([]float32{1, 2, 3, 4}, 1, 2, 2, 1))
	if err != nil {
		return err
	}
	if sum := tensors.ToScalar[float32](outputs[0]); sum != 10 {
		return errors.New("it computes wrongly")
	}
	return nil
}
