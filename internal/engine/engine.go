package engine

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend" // registers the pure-Go backend, "go"
)

// Engine is the backend on which every graph of the process runs.
type Engine struct {
	Backend compute.Backend // shared: never finalised
	Name    string          // "go (AVX2 kernels)", "xla:cuda", "xla:cpu", ...
	Cores   int             // processor cores in use
	Advice  []string        // what is missing for a faster engine, one line each, with the cure
	Reason  string          // why this one was chosen
}

// Open returns the engine of this process. The first call chooses and opens it, the others return the same one.
func Open() (*Engine, error) { return open() }

var open = sync.OnceValues(openGo)

// openGo opens the pure-Go backend. It executes the operations of a graph one after the other, each on all cores:
// its default configuration can deadlock when many large products are ready at the same time.
func openGo() (*Engine, error) {
	backend, err := compute.NewWithConfig("go:ops_sequential")
	if err != nil {
		return nil, fmt.Errorf("engine: the pure-Go backend does not start: %w", err)
	}
	return &Engine{Backend: backend, Name: "go", Cores: runtime.GOMAXPROCS(0), Reason: "the only one"}, nil
}
