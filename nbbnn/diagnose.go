package nbbnn

import (
	"context"
	"fmt"
	"math"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// lossError is the error of a call of so many steps after which the loss isn't finite. It names the first place in the forward
// pass where something isn't, found by going over the steps since the checkpoint again, one by one.
func (t *trainer) lossError(ctx context.Context, nll float64, steps int) error {
	kept := "nothing was saved yet"
	if exists(t.run.checkpointPath()) {
		kept = fmt.Sprintf("the checkpoint of epoch %d is kept", t.saved)
	}
	broken := t.state
	place := ""
	if found, further, err := t.firstBroken(ctx, broken, steps); err == nil && found != "" {
		place = ", first in " + found
		broken.Step += further
	}
	return fmt.Errorf("nbbnn: the loss is %v at epoch %d, step %d%s: %s; %s",
		nll, broken.Epoch+1, broken.Step+1, place, kept, t.run.config.rateAdvice(place))
}

// Above these values, far above the published ones, the posterior is suspected before the weights are.
const (
	largePosteriorRate = 1
	largeGamma         = 1000
)

// rateAdvice says what to lower when training broke in a place, which names a parameter or layer or is "".
func (c Config) rateAdvice(place string) string {
	t := c.Training
	posterior := strings.Contains(place, phiScope[1:len(phiScope)-1]+".") || t.PosteriorLearningRate > largePosteriorRate || c.Objective.Gamma > largeGamma
	if c.Posterior.Mode == Deterministic || !posterior {
		return fmt.Sprintf("try a lower learning rate (now %g)", t.LearningRate)
	}
	return fmt.Sprintf("try a lower learning rate of the posterior (now %g; compressing the schedule raises it) or a lower gamma (now %g)",
		t.PosteriorLearningRate, c.Objective.Gamma)
}

// firstBroken repeats the training from the checkpoint up to a state, one of whose next steps has a loss that isn't finite, and
// names the first parameter, layer or normalisation that isn't finite either, and how many steps further that is; "" if it
// doesn't happen again. The trainer is of no use afterwards.
func (t *trainer) firstBroken(ctx context.Context, broken trainingState, steps int) (place string, further int, err error) {
	if err := t.repeat(ctx, broken); err != nil {
		return "", 0, err
	}
	order := t.order(broken.Epoch)
	forward, names, err := t.observedPass()
	if err != nil {
		return "", 0, err
	}
	for ; further < steps && ctx.Err() == nil; further++ {
		if place, err = t.brokenPlace(order, forward, names); err != nil {
			return "", 0, err
		}
		nll, _, err := t.step(order)
		if err != nil || math.IsNaN(nll) || math.IsInf(nll, 0) {
			return place, further, err
		}
		t.state.Step++
	}
	return "", 0, ctx.Err()
}

// repeat takes the steps from the checkpoint up to a state.
func (t *trainer) repeat(ctx context.Context, until trainingState) error {
	if err := t.rewind(); err != nil {
		return err
	}
	order := t.order(t.state.Epoch)
	for t.state.Epoch < until.Epoch || t.state.Step < until.Step {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if t.state.Step == t.steps {
			t.state = t.state.next()
			order = t.order(t.state.Epoch)
			continue
		}
		if _, _, err := t.step(order); err != nil {
			return err
		}
		t.state.Step++
	}
	return nil
}

// rewind goes back to the checkpoint, or to the beginning without one.
func (t *trainer) rewind() (err error) {
	if exists(t.run.checkpointPath()) {
		t.state, err = t.run.loadCheckpoint(t.run.checkpointPath(), t.network.store)
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

// observedPass compiles the forward pass of a step: it returns a number for each layer and normalisation, 0 or no number where
// something isn't finite. Their names are there after the first call.
func (t *trainer) observedPass() (forward *model.Exec, names *[]string, err error) {
	names = new([]string)
	forward, err = model.NewExec(t.network.engine.Backend, t.network.store, func(scope *model.Scope, args []*Node) []*Node {
		n, flags := *t.network, []*Node(nil)
		*names = nil
		n.observe = func(name string, x *Node) {
			*names = append(*names, name)
			flags = append(flags, ReduceAllSum(MulScalar(asType(x, computeType), 0)))
		}
		n.logProbabilities(scope.Store(), n.trainingImages(args), n.config.Training.Samples, true, args[argEpsilon:])
		return flags
	})
	return forward, names, err
}

// brokenPlace names the first of the parameters that isn't finite, else the first layer or normalisation whose output in the
// next step isn't, else nothing.
func (t *trainer) brokenPlace(order []int32, forward *model.Exec, names *[]string) (string, error) {
	variables, err := storeTensors(t.network.store)
	if err != nil {
		return "", err
	}
	if name := notFinite(variables); name != "" {
		return "the parameters " + name, nil
	}
	outputs, err := forward.Call(t.arguments(order)...)
	if err != nil {
		return "", err
	}
	for i, output := range outputs {
		if math.IsNaN(scalar(output)) {
			return "layer " + (*names)[i], nil
		}
	}
	return "", nil
}
