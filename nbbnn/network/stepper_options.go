package network

import (
	"fmt"
	"strings"
)

// StepperOptions choose how a Stepper trains. The zero value is the training of the paper.
type StepperOptions struct {
	// Rule is the update rule; the zero value means the usual one of the settings.
	Rule Rule
	// Schedule returns the rates of an epoch, counted from 0; nil means Training.Rates, with a
	// posterior's rate that falls if the weights are frozen. A rule with a rate for each step gives
	// that of the first, for the record of a training.
	Schedule func(epoch int) (theta, phi, beta float64)
	// Hooks are called after steps and epochs.
	Hooks []Hook
	// Order returns the indices of the images in the order of an epoch; nil means a random
	// permutation.
	Order func(epoch int) []int32
	// StepsPerCall is the number of steps in one call of the engine; 0 means 1, or several if the
	// device draws the noise.
	StepsPerCall int
}

// Hook collects something while a network is trained, such as averages of the weights. Any of its
// functions may be nil. A hook may read the stepper's variables; it must not change them.
type Hook struct {
	// Name is that of its state in checkpoints: letters, digits and underscores.
	Name string
	// AfterCall runs after every call of Step: one step, or several on a device.
	AfterCall func(s *Stepper, losses Losses) error
	// AfterEpoch runs after the last step of an epoch; Position is at the next epoch then.
	AfterEpoch func(s *Stepper) error
	// State returns what a checkpoint keeps of the hook.
	State func() ([]Tensor, error)
	// SetState continues from such a state; nil tensors start again.
	SetState func(state []Tensor) error
}

// Tensors returns the tensors of the hook among the variables of a State, with the names that it gave
// them.
func (h Hook) Tensors(variables []Tensor) (own []Tensor) {
	for _, tensor := range variables {
		if name, found := strings.CutPrefix(tensor.Name, hookPrefix+h.Name+"."); found {
			tensor.Name = name
			own = append(own, tensor)
		}
	}
	return own
}

// Position says how far a training is.
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

// Error says at which epoch and step, counted from 1, and what to try.
func (e NotFiniteError) Error() string {
	return fmt.Sprintf("nbbnn: the loss is %v at epoch %d, step %d: try a lower learning rate",
		e.Losses.NLL, e.Position.Epoch+1, e.Position.Step+1)
}
