package implicit

import (
	"context"
	"errors"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/random"
)

// Arguments of a step of descent, in order; the arguments of f follow them.
const (
	argClean     = iota                  // [rows, ...], normalised pixels
	argTarget                            // [rows, classes], f_Z(x)
	argLambda                            // [rows]
	argWeight                            // of x's rank, the weight of each squared change in the size of g
	argActive                            // bool [rows], which rows still descend
	argState                             // the state, which the step returns updated
	argOfNetwork = argState + stateCount // of f
)

// The state of a descent, each row by itself.
const (
	stateChange   = iota // [rows, ...], g, whose objective the next step computes
	stateBest            // [rows, ...], the g with the lowest objective so far
	stateSlope           // [rows, ...], the gradient there
	stateVelocity        // [rows, ...], the last step
	stateRate            // [rows]
	stateLowest          // [rows], the lowest objective so far
	stateCount
)

// Plain gradient descent with momentum. Adam gives every pixel a rate of its own, which moves g in
// directions that f doesn't see; only lambda takes it back from there, and that takes thousands of
// steps.
const (
	descentMomentum = 0.9
	descentGrowth   = 1.05 // of the rate after a step that lowered the objective
	descentFall     = 0.5  // of the rate after a step that didn't, which is undone with its momentum

	checkInterval = 20 // steps between two checks of the objectives (METHOD.md section 7)
)

// output is f in a graph: it maps images to logits [rows, classes], with the arguments of the
// network.
type output func(images *Node, args []*Node) *Node

// descentStep returns the graph of one step of gradient descent on the objective of Settings.
func descentStep(f output) func(args []*Node) []*Node {
	return func(args []*Node) []*Node {
		state := args[argState:argOfNetwork]
		change, lowest := state[stateChange], state[stateLowest]
		objective := objectiveOf(f, change, args)             // [rows]
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

// constant returns a number of the type of x.
func constant(x *Node, value float64) *Node { return Scalar(x.Graph(), x.DType(), value) }

// objectiveOf returns 1/2 |target - f(clean + change)|^2 + lambda/2 |change|^2 of each row, [rows].
func objectiveOf(f output, change *Node, args []*Node) *Node {
	logits := f(Add(args[argClean], change), args[argOfNetwork:]) // [rows, classes]
	distance := sumOfRows(Square(Sub(args[argTarget], logits)))
	size := sumOfRows(Mul(Square(change), args[argWeight]))
	return MulScalar(Add(distance, Mul(args[argLambda], size)), 0.5)
}

// sumOfRows sums the values of each row, [rows, ...] to [rows].
func sumOfRows(x *Node) *Node {
	rows := x.Shape().Dim(0)
	return ReduceSum(Reshape(x, rows, x.Shape().Size()/rows), 1)
}

// perRow reshapes one number a row, [rows], to broadcast with x.
func perRow(values, x *Node) *Node {
	dimensions := slices.Repeat([]int{1}, x.Rank())
	dimensions[0] = x.Shape().Dim(0)
	return Reshape(values, dimensions...)
}

// problems is a batch of independent searches, one per row.
type problems struct {
	clean  *tensors.Tensor // [rows, ...], normalised pixels
	target *tensors.Tensor // [rows, classes]
	lambda []float32       // [rows]
	weight *tensors.Tensor // of the rank of clean, the weight of each squared change
}

// descent runs gradient descent on a batch.
type descent struct {
	settings Settings // filled
	step     func(args []any) ([]*tensors.Tensor, error)
	progress func(step int) // called at each check; may be nil
}

// minimum is the result of a descent.
type minimum struct {
	change        *tensors.Tensor // [rows, ...]
	start, lowest []float32       // [rows], the objectives at g = 0 and now
	steps         []int           // of each row
}

// run descends until every row's objective has settled. A settled row stays as it is, so that it
// doesn't depend on the other rows. ofNetwork are the arguments of f.
func (d descent) run(ctx context.Context, rows problems, ofNetwork []any) (minimum, error) {
	count := len(rows.lambda)
	state, active := d.start(rows), slices.Repeat([]bool{true}, count)
	result := minimum{steps: make([]int, count)}
	for step := 0; step < d.settings.Steps && slices.Contains(active, true); step++ {
		if ctx.Err() != nil {
			return minimum{}, ctx.Err()
		}
		args := slices.Concat([]any{rows.clean, rows.target, rows.lambda, rows.weight, active}, state, ofNetwork)
		outputs, err := d.step(args)
		if err != nil {
			return minimum{}, err
		}
		for i, output := range outputs {
			state[i] = output
		}
		result.change = outputs[stateBest]
		last := step == d.settings.Steps-1
		if step%checkInterval > 0 && !last {
			continue
		}
		if d.progress != nil {
			d.progress(step)
		}
		if err := result.check(outputs[stateLowest], active, step+1, d.settings.Tolerance); err != nil {
			return minimum{}, err
		}
	}
	return result, nil
}

// start returns the state at g = 0, or at a random g, the same for every row.
func (d descent) start(rows problems) []any {
	state, count := make([]any, stateCount), len(rows.lambda)
	for _, i := range []int{stateChange, stateBest, stateSlope, stateVelocity} {
		state[i] = tensors.FromShape(rows.clean.Shape())
	}
	if d.settings.Start > 0 {
		state[stateChange] = d.randomChange(rows.clean.Shape().Size(), rows.clean.Shape().Dimensions)
	}
	state[stateRate] = slices.Repeat([]float32{float32(d.settings.Rate)}, count)
	state[stateLowest] = slices.Repeat([]float32{float32(math.Inf(1))}, count)
	return state
}

// randomChange returns the normal numbers of Settings.Start in each row.
func (d descent) randomChange(size int, dimensions []int) *tensors.Tensor {
	rng := random.New(d.settings.Seed, random.Implicit, startDraws)
	row := make([]float32, size/dimensions[0])
	for i := range row {
		row[i] = float32(d.settings.Start * rng.NormFloat64())
	}
	return tensors.FromFlatDataAndDimensions(slices.Repeat(row, dimensions[0]), dimensions...)
}

// check reads the objectives after a number of steps and ends the rows whose objective changed by
// no more than the tolerance, relative to itself, since the last check. A row that is still at g =
// 0 continues: it hasn't found a small enough rate yet.
func (m *minimum) check(lowest *tensors.Tensor, active []bool, steps int, tolerance float64) error {
	now, err := tensors.CopyFlatData[float32](lowest)
	if err != nil {
		return err
	}
	if m.start == nil {
		if err := checkFinite(now); err != nil {
			return err
		}
		m.start, m.lowest = now, now
	}
	for i, before := range m.lowest {
		if !active[i] {
			continue
		}
		m.steps[i] = steps
		active[i] = now[i] == m.start[i] || float64(before-now[i]) > tolerance*float64(now[i])
	}
	m.lowest = now
	return nil
}

// checkFinite refuses a search that nothing could improve: the lowest objective stays infinite if
// the one at g = 0 isn't a number.
func checkFinite(objectives []float32) error {
	for _, objective := range objectives {
		if math.IsNaN(float64(objective)) || math.IsInf(float64(objective), 0) {
			return errNotFinite
		}
	}
	return nil
}

var errNotFinite = errors.New("implicit: the objective isn't finite without a change of the image: " +
	"choose weights whose logits are finite")
