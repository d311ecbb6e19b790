package engine

import (
	"runtime"
	"sync"

	"github.com/gomlx/compute"
)

// Engine is the backend on which every graph of the process runs.
type Engine struct {
	Backend compute.Backend // shared: never finalised
	Name    string          // "go (AVX2 kernels)", "go", "xla:cuda", "xla:cpu", ...
	Cores   int             // processor cores in use
	Advice  []string        // what is missing for a faster engine, one line each, with the cure
	Reason  string          // why this one was chosen

	kernels bool // it's the pure-Go engine, with kernels
}

// Open returns the engine of this process. The first call chooses and opens it, the others return the same one, or the same
// error: one line that names the cure.
func Open() (*Engine, error) { return open() }

var open = sync.OnceValues(func() (*Engine, error) { return settingsFromEnvironment().choose() })

// newEngine describes an opened backend.
func newEngine(backend compute.Backend, name, reason string) *Engine {
	return &Engine{Backend: backend, Name: name, Cores: runtime.GOMAXPROCS(0), Reason: reason}
}
