//go:build !amd64

package executor

import "github.com/gomlx/compute"

// Install changes nothing: there are no kernels for this architecture. problem says so.
func Install(_ compute.Backend, choice Choice) (name, problem string) {
	if choice == Best {
		return "", "there are no kernels for this processor's architecture: its convolutions are slow"
	}
	return "", choice.whyNone()
}
