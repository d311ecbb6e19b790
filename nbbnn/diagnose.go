package nbbnn

import (
	"context"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// lossError is the error of a step whose loss isn't finite. It names the first place in the forward pass where something
// isn't, found by going over the steps since the checkpoint again.
func (t *trainer) lossError(ctx context.Context, nll float64) error {
	kept := "nothing was saved yet"
	if exists(t.run.checkpointPath()) {
		kept = fmt.Sprintf("the checkpoint of epoch %d is kept", t.saved)
	}
	broken := t.state
	place := ""
	if found, err := t.firstBroken(ctx, broken); err == nil && found != "" {
		place = ", first in " + found
	}
	return fmt.Errorf("nbbnn: the loss is %v at epoch %d, step %d%s: %s; try a lower learning rate (now %g)",
		nll, broken.Epoch+1, broken.Step+1, place, kept, t.run.config.Training.LearningRate)
}

// firstBroken repeats the training from the checkpoint up to a state whose next step has a loss that isn't finite, and names
// the first parameter, layer or normalisation there that isn't finite either; "" if it doesn't happen again. The trainer is
// of no use afterwards.
func (t *trainer) firstBroken(ctx context.Context, broken trainingState) (string, error) {
	if err := t.rewind(); err != nil {
		return "", err
	}
	order := t.order(t.state.Epoch)
	for t.state.Epoch < broken.Epoch || t.state.Step < broken.Step {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if t.state.Step == t.steps {
			t.state = t.state.next()
			order = t.order(t.state.Epoch)
			continue
		}
		if _, _, err := t.step(order); err != nil {
			return "", err
		}
		t.state.Step++
	}
	variables, err := storeTensors(t.network.store)
	if err != nil {
		return "", err
	}
	if name := notFinite(variables); name != "" {
		return "the parameters " + name, nil
	}
	return t.brokenLayer(order)
}

// rewind goes back to the checkpoint, or to the beginning without one.
func (t *trainer) rewind() (err error) {
	if exists(t.run.checkpointPath()) {
		t.state, err = loadCheckpoint(t.run, t.network.store)
		return err
	}
	t.state = trainingState{}
	initial, err := newStore(t.network.architecture, t.run.config)
	if err != nil {
		return err
	}
	for v := range initial.IterVariables() {
		value, err := v.Value()
		if err != nil {
			return err
		}
		if err := t.network.store.GetVariable(v.Path()).SetValue(value); err != nil {
			return err
		}
	}
	return nil
}

// brokenLayer runs the forward pass of the next step and names the first place whose output isn't finite.
func (t *trainer) brokenLayer(order []int32) (string, error) {
	var names []string
	exec, err := model.NewExec(t.network.engine.Backend, t.network.store, func(scope *model.Scope, args []*Node) []*Node {
		n, flags := *t.network, []*Node(nil)
		names = nil
		n.observe = func(name string, x *Node) {
			names = append(names, name)
			flags = append(flags, ReduceAllSum(MulScalar(asType(x, computeType), 0))) // 0, or no number
		}
		n.logProbabilities(scope.Store(), n.trainingImages(args), n.config.Training.Samples, true, args[argEpsilon:])
		return flags
	})
	if err != nil {
		return "", err
	}
	outputs, err := exec.Call(t.arguments(order)...)
	if err != nil {
		return "", err
	}
	for i, output := range outputs {
		if math.IsNaN(scalar(output)) {
			return "layer " + names[i], nil
		}
	}
	return "", nil
}
