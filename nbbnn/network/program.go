package network

import (
	"fmt"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/engine"
)

// Program is a graph of a network. Its first call compiles it for arguments of fixed shapes.
type Program struct {
	name  string // of the work, for errors
	large string // the work with its size: "a training step of 128 images"; "" if unknown
	cure  string // which setting makes the work smaller
	exec  *model.Exec
	graph *Graph // nil before it's compiled
}

// NewProgram prepares a graph of the network on its engine. name describes the graph in errors.
func (m *Model) NewProgram(name string, build func(args []*Node) []*Node) (*Program, error) {
	exec, err := model.NewExec(m.Engine.Backend, m.store,
		func(scope *model.Scope, args []*Node) []*Node {
			feedVariables(scope, args[0].Graph())
			return build(args)
		})
	return &Program{name: name, exec: exec}, err
}

// newVariablesProgram prepares a graph of the network's variables, without arguments.
func (m *Model) newVariablesProgram(name string, build func(g *Graph) []*Node) (*Program, error) {
	exec, err := model.NewExec(m.Engine.Backend, m.store,
		func(scope *model.Scope, g *Graph) []*Node {
			feedVariables(scope, g)
			return build(g)
		})
	return &Program{name: name, exec: exec}, err
}

// feedVariables makes each call of a graph read the variables. Unless a graph is marked as
// training, GoMLX may compile their current values into it as constants.
func feedVariables(scope *model.Scope, g *Graph) { scope.Store().SetTraining(g, true) }

// Call computes the outputs.
func (p *Program) Call(args []any) (outputs []*tensors.Tensor, err error) {
	if p.graph == nil {
		if p.graph, err = p.exec.Compile(shapesOf(args)...); err != nil {
			return nil, p.explain(err)
		}
	}
	if outputs, err = p.exec.Call(args...); err != nil {
		return nil, p.explain(err)
	}
	return outputs, nil
}

// memory returns the device memory that the compiled program needs, in bytes, or 0 if unknown.
func (p *Program) memory() int64 {
	if p == nil || p.graph == nil {
		return 0
	}
	return engine.ProgramMemory(p.graph.Executable())
}

// explain adds the computation at which the engine failed. A device out of memory has another cure.
func (p *Program) explain(err error) error {
	if asked, is := engine.OutOfMemory(err); is && p.large != "" {
		return memoryShortage{work: p.large, bytes: p.memory(), asked: asked, cure: p.cure}
	}
	return fmt.Errorf("nbbnn: the engine failed at the %s: %w; "+
		"`nbbnn doctor` describes the engine",
		p.name, err)
}

// memoryShortage is the error of a computation for which the memory of a device didn't suffice.
type memoryShortage struct {
	work  string // the computation, with its size
	bytes int64  // that it needs by the plan of the engine's compiler; 0 if unknown
	asked string // memory that the engine asked for when it failed; "" if unknown
	cure  string // which setting makes the work smaller
}

func (e memoryShortage) Error() string {
	needs, asked := "", ""
	if e.bytes > 0 {
		needs = fmt.Sprintf(", which needs %.1f GB in all", float64(e.bytes)/1e9)
	}
	if e.asked != "" {
		asked = fmt.Sprintf(" (it asked for %s at once)", e.asked)
	}
	return fmt.Sprintf("nbbnn: the GPU has too little free memory for %s%s%s: %s, "+
		"or free memory that other programs hold: nvidia-smi lists them",
		e.work, needs, asked, e.cure)
}

// shapesOf returns the shapes of the arguments of a graph, which are tensors or numbers.
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

func scalar(t *tensors.Tensor) float64 { return float64(tensors.ToScalar[float32](t)) }
