package network

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// UsualImages is the number of training images that checks and trials assume, as CIFAR-10 has them.
const UsualImages = 50_000

// manySteps returns the graph of several training steps, one after the other, from one step's. Its
// arguments are one step's, with a leading axis of steps on the ones that differ between steps; it
// returns the sums of the losses and of the wrong rows. The noise has to be drawn on the device.
func manySteps(m *Model, steps int, step func(args []*Node) []*Node) func(args []*Node) []*Node {
	return func(args []*Node) []*Node {
		g, variables := args[argData].Graph(), storeVariables(m.store)
		state := []*Node{Const(g, int32(0)), Const(g, float32(0)), Const(g, float32(0))}
		// A loop of XLA sees only its state.
		state = append(append(state, nodesOf(g, variables)...), args...)
		unfinished := NewClosure(g, func(g *Graph) []*Node {
			return []*Node{LessThan(loopState(g, state)[0], Const(g, int32(steps)))}
		})
		body := NewClosure(g, func(g *Graph) []*Node {
			now := loopState(g, state)
			own := now[loopVariables+len(variables):]
			setNodeValues(variables, now[loopVariables:])
			outputs := step(argumentsOfStep(own, now[0]))
			next := []*Node{
				Add(now[0], Const(g, int32(1))), Add(now[1], outputs[0]), Add(now[2], outputs[1]),
			}
			return append(append(next, nodesOf(g, variables)...), own...)
		})
		final := While(unfinished, body, state...)
		setNodeValues(variables, final[loopVariables:])
		return final[1:loopVariables]
	}
}

// loopVariables is the index of the network's first variable in the loop's state, after the step
// and the two sums.
const loopVariables = 3

func nodesOf(g *Graph, variables []*model.Variable) (nodes []*Node) {
	for _, v := range variables {
		nodes = append(nodes, v.NodeValue(g))
	}
	return nodes
}

// storeVariables returns the variables of a store, in its order.
func storeVariables(store *model.Store) (variables []*model.Variable) {
	for v := range store.IterVariables() {
		variables = append(variables, v)
	}
	return variables
}

func setNodeValues(variables []*model.Variable, values []*Node) {
	for i, v := range variables {
		v.SetNodeValue(values[i])
	}
}

// loopState declares the parameters of the condition or the body of a loop, one for each value of
// its state.
func loopState(g *Graph, state []*Node) []*Node {
	parameters := make([]*Node, len(state))
	for i, value := range state {
		parameters[i] = Parameter(g, fmt.Sprint("state", i+1), value.Shape())
	}
	return parameters
}

// argumentsOfStep returns the arguments of one step, whose number is an int32 scalar, out of many.
func argumentsOfStep(args []*Node, step *Node) []*Node {
	own := make([]*Node, len(args))
	for i, arg := range args {
		own[i] = arg
		if i == argChosen || i == argDown || i == argAcross || i == argMirror || i >= argNoise {
			row := DynamicSlice(arg, []*Node{step, ZerosLike(step)}, []int{1, arg.Shape().Dim(1)})
			own[i] = Squeeze(row, 0)
		}
	}
	return own
}
