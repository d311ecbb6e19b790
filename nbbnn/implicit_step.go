package nbbnn

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// Arguments of a step of descent, in order; what f needs besides follows them.
const (
	argClean     = iota                  // [rows, ...], normalised pixels
	argTarget                            // [rows, classes], f_Z(x)
	argLambda                            // [rows]
	argWeight                            // of x's rank, what each squared change counts in the size of g
	argActive                            // bool [rows], which rows still descend
	argState                             // the state, which the step returns anew
	argOfNetwork = argState + stateCount // of f
)

// The state of a descent, each row by itself.
const (
	stateChange   = iota // [rows, ...], g, whose objective the next step computes
	stateBest            // [rows, ...], the g with the lowest objective so far
	stateSlope           // [rows, ...], the gradient there
	stateVelocity        // [rows, ...], how far the last step went
	stateRate            // [rows]
	stateLowest          // [rows], the lowest objective so far
	stateCount
)

// How a descent finds its way: plain gradient descent with momentum. Adam gives every pixel a rate of its own, which moves g in
// directions that f doesn't see; only lambda takes it back from there, and that takes thousands of steps.
const (
	descentMomentum = 0.9
	descentGrowth   = 1.05 // of the rate after a step that lowered the objective
	descentFall     = 0.5  // of the rate after one that didn't, which is taken back with its momentum
)

// implicitStep returns the graph of one step of gradient descent on the objective of Implicit. f maps images to outputs [rows,
// classes].
func implicitStep(f func(images *Node, args []*Node) *Node) func(args []*Node) []*Node {
	return func(args []*Node) []*Node {
		state := args[argState:argOfNetwork]
		change, lowest := state[stateChange], state[stateLowest]
		objective := implicitObjective(f, change, args)       // [rows]
		slope := Gradient(ReduceAllSum(objective), change)[0] // [rows, ...]

		better := And(LessThan(objective, lowest), args[argActive]) // [rows]
		best := Where(better, change, state[stateBest])
		slope = Where(better, slope, state[stateSlope])
		rate := Mul(state[stateRate], Where(better, constant(objective, descentGrowth), constant(objective, descentFall)))
		momentum := Where(better, MulScalar(state[stateVelocity], descentMomentum), ZerosLike(change))
		velocity := Sub(momentum, Mul(slope, perRow(rate, change)))
		return []*Node{Add(best, velocity), best, slope, velocity, rate, Where(better, objective, lowest)}
	}
}

// constant is a number of the type of x.
func constant(x *Node, value float64) *Node { return Scalar(x.Graph(), x.DType(), value) }

// implicitObjective is 1/2 |target - f(clean + change)|^2 + lambda/2 |change|^2 of each row, [rows].
func implicitObjective(f func(images *Node, args []*Node) *Node, change *Node, args []*Node) *Node {
	output := f(Add(args[argClean], change), args[argOfNetwork:]) // [rows, classes]
	distance := sumOfRows(Square(Sub(args[argTarget], output)))
	size := sumOfRows(Mul(Square(change), args[argWeight]))
	return MulScalar(Add(distance, Mul(args[argLambda], size)), 0.5)
}

// sumOfRows adds up what belongs to each row, [rows, ...] to [rows].
func sumOfRows(x *Node) *Node {
	rows := x.Shape().Dim(0)
	return ReduceSum(Reshape(x, rows, x.Shape().Size()/rows), 1)
}

// perRow shapes one number a row, [rows], to go with x.
func perRow(values, x *Node) *Node {
	dimensions := make([]int, x.Rank())
	for i := range dimensions {
		dimensions[i] = 1
	}
	dimensions[0] = x.Shape().Dim(0)
	return Reshape(values, dimensions...)
}
