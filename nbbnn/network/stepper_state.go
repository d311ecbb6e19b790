package network

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/safetensors"
)

// Hook collects something while a network is trained, for example averages of the weights. Any of
// its functions may be nil. A hook may read the stepper's variables; it must not change them.
type Hook struct {
	// Name identifies its state in checkpoints: letters, digits and underscores.
	Name string
	// AfterCall runs after every call of Step: one step, or several on a device.
	AfterCall func(s *Stepper, losses Losses) error
	// AfterEpoch runs after the last step of an epoch; Position is at the next epoch then.
	AfterEpoch func(s *Stepper) error
	// State returns the hook's tensors for a checkpoint.
	State func() ([]Tensor, error)
	// SetState continues from such a state; nil tensors start again.
	SetState func(state []Tensor) error
}

// Tensors returns the tensors of the hook among the variables of a State, with the names that it
// gave them.
func (h Hook) Tensors(variables []Tensor) (own []Tensor) {
	for _, tensor := range variables {
		if name, found := strings.CutPrefix(tensor.Name, hookPrefix+h.Name+"."); found {
			tensor.Name = name
			own = append(own, tensor)
		}
	}
	return own
}

// Position is the progress of a training.
type Position struct {
	Epoch int // complete epochs
	Step  int // complete steps of the current epoch
}

// Losses are sums over the steps of one call.
type Losses struct {
	Steps int
	NLL   float64 // of the mean negative log-likelihoods of the rows, nats
	Wrong float64 // rows whose likeliest class is wrong
}

// State is everything that a training needs to continue.
type State struct {
	Position  Position
	Variables []Tensor // of the network, the update rule and the hooks, sorted by name
}

// NotFiniteError is the error of a step whose loss is infinite or NaN. The variables are of no use
// then.
type NotFiniteError struct {
	Position Position // before the call
	Losses   Losses
}

// Error names the epoch and step, counted from 1, and what to try.
func (e NotFiniteError) Error() string {
	return fmt.Sprintf("nbbnn: the loss is %v at epoch %d, step %d: try a lower learning rate",
		e.Losses.NLL, e.Position.Epoch+1, e.Position.Step+1)
}

// hookPrefix begins the names of the tensors of hooks: hook.NAME.TENSOR.
const hookPrefix = "hook."

// State copies everything that the training needs to continue: the variables of the network and the
// update rule, and the state of the hooks.
func (s *Stepper) State() (State, error) {
	variables, err := s.Model.Variables()
	if err != nil {
		return State{}, err
	}
	for _, hook := range s.options.Hooks {
		if hook.State == nil {
			continue
		}
		own, err := hook.State()
		if err != nil {
			return State{}, err
		}
		for _, tensor := range own {
			tensor.Name = hookPrefix + hook.Name + "." + tensor.Name
			variables = append(variables, tensor)
		}
	}
	slices.SortFunc(variables, safetensors.ByName)
	return State{s.Position, variables}, nil
}

// SetState continues from a state. The zero State is the beginning of the training: the initial
// values, buffers of zeros, and hooks without state; frozen weights stay. The error names the
// tensor that is missing or doesn't fit, as Model.SetVariables does.
func (s *Stepper) SetState(state State) error {
	if p := state.Position; p.Epoch < 0 || p.Step < 0 || p.Step >= s.Steps {
		return fmt.Errorf("is at step %d of epoch %d, which has %d steps", p.Step+1, p.Epoch+1,
			s.Steps)
	}
	if state.Position == (Position{}) && state.Variables == nil {
		return s.restart()
	}
	if err := s.Model.SetVariables(state.Variables, false); err != nil {
		return err
	}
	for _, hook := range s.options.Hooks {
		if hook.SetState == nil {
			continue
		}
		if err := hook.SetState(hook.Tensors(state.Variables)); err != nil {
			return err
		}
	}
	s.Position = state.Position
	return nil
}

// restart sets the initial values.
func (s *Stepper) restart() error {
	initial, err := newStore(s.Model.Architecture, s.Model.Settings)
	if err != nil {
		return err
	}
	if err := addBuffers(initial, s.options.Rule, s.Model); err != nil {
		return err
	}
	values, err := storeTensors(initial)
	if err != nil {
		return err
	}
	weights, err := s.Model.Variables()
	if err != nil {
		return err
	}
	if err := s.SetState(State{Variables: values}); err != nil || !s.Model.Settings.FrozenWeights {
		return err
	}
	return s.Model.SetVariables(weights, true)
}

// FindNotFinite looks for the cause of a loss that isn't finite. It repeats the training from where
// the stepper is up to a position, and then takes at most a number of steps. It returns the first
// parameter, layer or normalisation that isn't finite, "" if it doesn't happen again, and the
// position of that step. The variables are of no use afterwards.
func (s *Stepper) FindNotFinite(
	ctx context.Context, until Position, steps int,
) (place string, at Position, err error) {
	for before(s.Position, until) {
		if ctx.Err() != nil {
			return "", until, ctx.Err()
		}
		if _, err := s.take(1); err != nil {
			return "", until, err
		}
	}
	forward, names, err := s.observedPass()
	if err != nil {
		return "", until, err
	}
	for range steps {
		if ctx.Err() != nil {
			return "", until, ctx.Err()
		}
		at = s.Position
		if place, err = s.brokenPlace(forward, names); err != nil {
			return "", until, err
		}
		losses, err := s.take(1)
		if err != nil || math.IsNaN(losses.NLL) || math.IsInf(losses.NLL, 0) {
			return place, at, err
		}
	}
	return "", until, nil
}

func before(a, b Position) bool {
	return a.Epoch < b.Epoch || a.Epoch == b.Epoch && a.Step < b.Step
}

// observedPass prepares the forward pass of a step: it returns a number for each layer and
// normalisation, 0, or NaN if an output isn't finite. The first call fills in their names.
func (s *Stepper) observedPass() (forward *Program, names *[]string, err error) {
	names = new([]string)
	forward, err = s.Model.NewProgram("forward pass", func(args []*Node) []*Node {
		flags := []*Node(nil)
		*names = nil
		m := *s.Model
		m.Observe = func(name string, x *Node) {
			*names = append(*names, name)
			flags = append(flags, ReduceAllSum(MulScalar(ConvertDType(x, computeType), 0)))
		}
		step := newStepGraph(&m, args, s.imagesUsed(), s.options)
		step.Loss(nil)
		return flags
	})
	return forward, names, err
}

// brokenPlace names the first parameter that isn't finite, or the first layer or
// normalisation whose output in the next step isn't; "" if there is none.
func (s *Stepper) brokenPlace(forward *Program, names *[]string) (string, error) {
	variables, err := s.Model.Variables()
	if err != nil {
		return "", err
	}
	if name := safetensors.NotFinite(variables...); name != "" {
		return "the parameters " + name, nil
	}
	outputs, err := forward.Call(s.arguments(1))
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
