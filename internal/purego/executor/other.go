//go:build !amd64

package executor

import (
	"time"

	"github.com/gomlx/compute"
)

// Install changes nothing and returns a problem: there are no kernels for this architecture.
func Install(_ compute.Backend, choice Choice) (name, problem string) {
	if choice == Best {
		return "", "there are no kernels for this processor's architecture: its convolutions are slow"
	}
	return "", choice.whyNone()
}

// Execution is one execution of an operation of a graph.
type Execution struct {
	Name, Shape                string
	Begun                      time.Time
	Wall, InParallel, CoreTime time.Duration
}

// Observe reports nothing: there are no kernels for this architecture.
func Observe(func(Execution)) (stop func()) { return func() {} }
