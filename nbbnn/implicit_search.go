package nbbnn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"
)

// implicitCheck is how many steps lie between two looks at the objective of every row (METHOD.md section 7).
const implicitCheck = 20

// implicitRows are searches that go on side by side, each a row.
type implicitRows struct {
	clean  *tensors.Tensor // [rows, ...], normalised pixels
	target *tensors.Tensor // [rows, classes]
	lambda []float32       // [rows]
	weight *tensors.Tensor // of the rank of clean, what each squared change counts
}

// implicitSearch descends.
type implicitSearch struct {
	settings Implicit // filled
	step     func(args []any) ([]*tensors.Tensor, error)
	progress func(step int) // hears of each check; nil for nobody
}

// found is what a search found: the changes, [rows, ...], the objectives at g = 0 and now, [rows], and the steps that each row took.
type found struct {
	change        *tensors.Tensor
	start, lowest []float32
	steps         []int
}

// run descends until every row's objective has settled. A row that has settled stays as it is, so that it doesn't depend on those
// beside it. What f needs is handed on.
func (s implicitSearch) run(ctx context.Context, rows implicitRows, ofNetwork []any) (found, error) {
	count := len(rows.lambda)
	state, active := s.start(rows), slices.Repeat([]bool{true}, count)
	result := found{steps: make([]int, count)}
	for step := 0; step < s.settings.Steps && slices.Contains(active, true); step++ {
		if ctx.Err() != nil {
			return found{}, ctx.Err()
		}
		args := slices.Concat([]any{rows.clean, rows.target, rows.lambda, rows.weight, active}, state, ofNetwork)
		outputs, err := s.step(args)
		if err != nil {
			return found{}, err
		}
		for i, output := range outputs {
			state[i] = output
		}
		result.change = outputs[stateBest]
		last := step == s.settings.Steps-1
		if step%implicitCheck > 0 && !last {
			continue
		}
		s.report(step)
		if err := result.look(outputs[stateLowest], active, step+1, s.settings.Tolerance); err != nil {
			return found{}, err
		}
	}
	return result, nil
}

// start is the state at g = 0.
func (s implicitSearch) start(rows implicitRows) []any {
	state, count := make([]any, stateCount), len(rows.lambda)
	for _, i := range []int{stateChange, stateBest, stateSlope, stateVelocity} {
		state[i] = tensors.FromShape(rows.clean.Shape())
	}
	state[stateRate] = slices.Repeat([]float32{float32(s.settings.Rate)}, count)
	state[stateLowest] = slices.Repeat([]float32{float32(math.Inf(1))}, count)
	return state
}

func (s implicitSearch) report(step int) {
	if s.progress != nil {
		s.progress(step)
	}
}

// finiteStart refuses a search that nothing could improve: the lowest objective stays infinite when that at g = 0 is no number.
func finiteStart(objectives []float32) error {
	for _, objective := range objectives {
		if math.IsNaN(float64(objective)) || math.IsInf(float64(objective), 0) {
			return fmt.Errorf("nbbnn: the objective of an implicit corruption isn't finite without a change of the image: choose weights whose logits are finite")
		}
	}
	return nil
}

// look reads the objectives after so many steps, and ends the rows where it changed by no more than the tolerance, relative to
// itself, since the last look. A row that is still at g = 0 has only not found a small enough rate yet.
func (f *found) look(lowest *tensors.Tensor, active []bool, steps int, tolerance float64) error {
	now, err := tensors.CopyFlatData[float32](lowest)
	if err != nil {
		return err
	}
	if f.start == nil {
		if err := finiteStart(now); err != nil {
			return err
		}
		f.start, f.lowest = now, now
	}
	for i, before := range f.lowest {
		if !active[i] {
			continue
		}
		f.steps[i] = steps
		active[i] = now[i] == f.start[i] || float64(before-now[i]) > tolerance*float64(now[i])
	}
	f.lowest = now
	return nil
}
