package executor

import (
	"testing"

	"github.com/gomlx/compute/support/backendtest"

	"github.com/nbbnn/workbench/internal/purego/kernel"
)

// Upstream's own tests of a backend pass with the kernels of every set. They pass on the stock
// backend, too, so there's no list of exceptions.
func TestBackendPassesUpstreamsTests(t *testing.T) {
	needKernels(t)
	defer Install(backend, Best)
	for _, set := range kernel.Available() {
		t.Run(set.Name, func(t *testing.T) {
			installed.kernels = set
			set.Use()
			calls := installed.calls.Load()
			backendtest.RunAll(t, backend, nil)
			if installed.calls.Load() == calls {
				t.Error("the kernels were not called")
			}
		})
	}
}
