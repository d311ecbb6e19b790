package nbbnn

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/engine"
)

// program is a graph of the network for arguments of always the same shapes, compiled by its first call.
type program struct {
	exec  *model.Exec
	graph *Graph // nil before it's compiled
}

// newProgram prepares a graph on the network's engine.
func (n *network) newProgram(build func(*model.Scope, []*Node) []*Node) (*program, error) {
	exec, err := model.NewExec(n.engine.Backend, n.store, build)
	return &program{exec: exec}, err
}

// call computes the outputs.
func (p *program) call(args []any) (outputs []*tensors.Tensor, err error) {
	if p.graph == nil {
		if p.graph, err = p.exec.Compile(shapesOf(args)...); err != nil {
			return nil, err
		}
	}
	return p.exec.Call(args...)
}

// memory is what the compiled program needs of the memory of its device, in bytes; 0 before it's compiled and where the
// engine doesn't tell.
func (p *program) memory() int64 {
	if p == nil || p.graph == nil {
		return 0
	}
	return engine.ProgramMemory(p.graph.Executable())
}

// shapesOf are the shapes of the arguments of a graph, tensors or numbers.
func shapesOf(args []any) (all []shapes.Shape) {
	for _, arg := range args {
		tensor, is := arg.(*tensors.Tensor)
		if !is {
			tensor = tensors.MustFromAnyValue(arg)
		}
		all = append(all, tensor.Shape())
	}
	return all
}
