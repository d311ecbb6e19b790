package nbbnn

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/engine"
)

// Precision is the type in which a network computes its convolutions and keeps what is between its layers. Weights and their
// updates, the posterior and its samples, bias, batch normalisation, dense layers, KL and loss are always float32.
type Precision string

// The precisions.
const (
	Float32  Precision = ""
	BFloat16 Precision = "bfloat16" // 8 bits of precision; for GPUs with tensor cores
)

// of converts what enters a convolution.
func (p Precision) of(x *Node) *Node {
	if p == BFloat16 {
		return asType(x, dtypes.BFloat16)
	}
	return x
}

// check returns an error if an engine can't compute in the precision.
func (p Precision) check(e *engine.Engine) error {
	if p != Float32 && !e.IsXLA() {
		return fmt.Errorf("nbbnn: precision %s needs an XLA engine, and this is %s: leave the precision out, or set GOMLX_BACKEND=xla:cuda", p, e.Name)
	}
	return nil
}

// asType converts a value to a type, unless it has it.
func asType(x *Node, dtype dtypes.DType) *Node {
	if x.DType() == dtype {
		return x
	}
	return ConvertDType(x, dtype)
}
