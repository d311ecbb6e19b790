package network

import "fmt"

// StepperOptions choose how a Stepper trains. The zero value is the training of the paper.
type StepperOptions struct {
	Rule         Rule                                       // update rule; the zero value means Nesterov
	Schedule     func(epoch int) (theta, phi, beta float64) // rates of an epoch, counted from 0; nil means Training.Rates
	Hooks        []Hook                                     // called after steps and epochs
	Order        func(epoch int) []int32                    // indices of the images in the order of an epoch; nil means a random permutation
	StepsPerCall int                                        // steps of one call of the engine; 0 means 1, or many if the device draws the noise
}

// Hook collects something while a network is trained, such as averages of the weights. Any of its functions may be nil. A
// hook may read the stepper's variables; it must not change them.
type Hook struct {
	Name       string                                // of its state in checkpoints; letters, digits and underscores
	AfterCall  func(s *Stepper, losses Losses) error // after every call of Step: one step, or many on a device
	AfterEpoch func(s *Stepper) error                // after the last step of an epoch; Position is at the next one
	State      func() ([]Tensor, error)              // what a checkpoint keeps of the hook
	SetState   func(state []Tensor) error            // continues from such a state; nil tensors begin again
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

// NotFiniteError is the error of a step whose loss is infinite or NaN. The variables are of no use then.
type NotFiniteError struct {
	Position Position // before the call
	Losses   Losses
}

func (e NotFiniteError) Error() string {
	return fmt.Sprintf("nbbnn: the loss is %v at epoch %d, step %d: try a lower learning rate", e.Losses.NLL, e.Position.Epoch+1, e.Position.Step+1)
}
