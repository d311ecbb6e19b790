// Package methods trains and predicts with the methods of package baseline. A method is an update
// rule, a schedule and hooks for the Stepper of package network, and says which weights predict.
// There is no training loop here.
//
// Apply fills the options of a method and gives its settings to the network. Training returns how
// the Stepper trains it.
package methods

import "github.com/nbbnn/workbench/nbbnn/baseline"

// Method is baseline's.
type Method = baseline.Method
