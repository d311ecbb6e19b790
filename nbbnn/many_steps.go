package nbbnn

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/stream"
)

// On a device beside the processor each call of a graph costs a round trip, so many steps of training are one call there.

// Bounds on the number of steps of one call: few enough for a second or so, enough to make the round trip small.
const (
	fewestAtOnce = 8
	mostAtOnce   = 64
)

// stepsAtOnce is how many steps a call takes on a device: the largest part of an epoch's steps within the bounds, so that
// one compiled graph does for all of them, else whatever leaves few over.
func stepsAtOnce(steps int) int {
	for count := min(steps, mostAtOnce); count >= fewestAtOnce; count-- {
		if steps%count == 0 {
			return count
		}
	}
	return min(steps, mostAtOnce/2)
}

// manySteps returns the graph of so many training steps, one after the other. Its arguments are those of one step, with an axis
// for the steps in front of those that differ between steps; it returns the sums of the losses and of the wrong rows. The
// noise has to be drawn on the device.
func (n *network) manySteps(images, steps int) func(*model.Scope, []*Node) []*Node {
	step := n.trainingStep(images)
	return func(scope *model.Scope, args []*Node) []*Node {
		g, variables := args[argData].Graph(), n.variables()
		state := append([]*Node{Const(g, int32(0)), Const(g, float32(0)), Const(g, float32(0))}, nodesOf(g, variables)...)
		state = append(state, args...) // a loop of XLA knows nothing but its state
		unfinished := NewClosure(g, func(g *Graph) []*Node {
			return []*Node{LessThan(loopState(g, state)[0], Const(g, int32(steps)))}
		})
		body := NewClosure(g, func(g *Graph) []*Node {
			now := loopState(g, state)
			own := now[loopVariables+len(variables):]
			setVariables(variables, now[loopVariables:])
			outputs := step(scope, argumentsOfStep(own, now[0]))
			next := []*Node{Add(now[0], Const(g, int32(1))), Add(now[1], outputs[0]), Add(now[2], outputs[1])}
			return append(append(next, nodesOf(g, variables)...), own...)
		})
		final := While(unfinished, body, state...)
		setVariables(variables, final[loopVariables:])
		return final[1:loopVariables]
	}
}

// loopVariables is where the network's variables begin in the state of the loop, after the step and the two sums.
const loopVariables = 3

func nodesOf(g *Graph, variables []*model.Variable) (nodes []*Node) {
	for _, v := range variables {
		nodes = append(nodes, v.NodeValue(g))
	}
	return nodes
}

// variables are those of the network's store, in its order.
func (n *network) variables() (variables []*model.Variable) {
	for v := range n.store.IterVariables() {
		variables = append(variables, v)
	}
	return variables
}

func setVariables(variables []*model.Variable, values []*Node) {
	for i, v := range variables {
		v.SetNodeValue(values[i])
	}
}

// loopState declares the parameters of a part of a loop, one for each value of its state.
func loopState(g *Graph, state []*Node) []*Node {
	parameters := make([]*Node, len(state))
	for i, value := range state {
		parameters[i] = Parameter(g, numbered("state", i), value.Shape())
	}
	return parameters
}

// argumentsOfStep takes the arguments of one step, an int32 scalar, from those of many.
func argumentsOfStep(args []*Node, step *Node) []*Node {
	own := make([]*Node, len(args))
	for i, arg := range args {
		own[i] = arg
		if i == argChosen || i == argDown || i == argAcross || i == argMirror || i >= argEpsilon {
			own[i] = Squeeze(DynamicSlice(arg, []*Node{step, ZerosLike(step)}, []int{1, arg.Shape().Dim(1)}), 0)
		}
	}
	return own
}

// takeAtOnce sets how many steps a call takes.
func (t *trainer) takeAtOnce(count int) (err error) {
	t.atOnce = count
	t.many, err = t.network.newProgram(t.network.manySteps(t.images(), count))
	return err
}

// takeSteps runs the next steps of the epoch and returns the sums of their losses and of their wrong rows.
func (t *trainer) takeSteps(order []int32, count int) (nll, wrong float64, err error) {
	if count == 1 {
		return t.step(order)
	}
	outputs, err := t.many.call(t.manyArguments(order, count))
	if err != nil {
		return 0, 0, t.stepError(err, t.many.memory())
	}
	return scalar(outputs[0]), scalar(outputs[1]), nil
}

// nextSteps is how many steps the next call takes.
func (t *trainer) nextSteps() int {
	if t.atOnce > 1 && t.state.Step%t.atOnce == 0 && t.state.Step+t.atOnce <= t.steps {
		return t.atOnce
	}
	return 1
}

// manyArguments are those of the next steps: each per-step argument has an axis for the steps in front.
func (t *trainer) manyArguments(order []int32, count int) []any {
	training, first := t.run.config.Training, t.state.Epoch*t.steps+t.state.Step
	seen := view{}
	keys := make([]uint32, 0, 4*count)
	for step := first; step < first+count; step++ {
		next := t.view(step)
		seen.down = append(seen.down, next.down...)
		seen.across = append(seen.across, next.across...)
		seen.mirror = append(seen.mirror, next.mirror...)
		keys = append(keys, noiseKey(stream.Words(t.run.config.Seed, stream.Nodes, uint64(step)), 0)...)
	}
	chosen := order[t.state.Step*training.Batch:][:count*training.Batch]
	perStep := func(values []int32) any { return tensors.FromFlatDataAndDimensions(values, count, training.Batch) }
	args := []any{t.pixels, t.labels, perStep(chosen), perStep(seen.down), perStep(seen.across), perStep(seen.mirror)}
	return append(append(args, t.rates()...), tensors.FromFlatDataAndDimensions(keys, count, 4))
}
