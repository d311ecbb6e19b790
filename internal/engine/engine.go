package engine

import (
	"runtime"
	"sync"

	"github.com/gomlx/compute"
)

// Engine is the backend on which every graph of the process runs.
type Engine struct {
	Backend compute.Backend // shared: never finalised
	Name    string          // "go (AVX2 kernels)", "go (portable kernels)", "go", "xla:cuda", "xla:cpu", ...
	Cores   int             // processor cores in use
	Advice  []string        // what is missing for a faster engine, one line each, with the cure
	Reason  string          // why this one was chosen

	kernels  bool   // it's the pure-Go engine, with kernels
	assembly bool   // and they are in assembly
	plugin   string // the XLA plugin, "cuda", "cpu" or its file's name; "" for the pure-Go engine
}

// IsXLA says whether the engine is an XLA plugin.
func (e *Engine) IsXLA() bool { return e.plugin != "" }

// IsDevice says whether the engine computes on a device beside the processor, which the processor
// should seldom wait for.
func (e *Engine) IsDevice() bool { return e.plugin != "" && e.plugin != cpuPlugin }

// HasKernels says whether the engine computes with kernels of internal/purego.
func (e *Engine) HasKernels() bool { return e.kernels }

// Open returns the engine of this process. The first call chooses and opens it, the others return
// the same one, or the same error: one line that names the cure.
func Open() (*Engine, error) { return open() }

var open = sync.OnceValues(func() (*Engine, error) { return settingsFromEnvironment().choose() })

// OpenNamed opens the engine that a value of GOMLX_BACKEND names, beside the one of this process.
// Tensors can't be shared between the two. The pure-Go engine gets the same kernels as ever.
func OpenNamed(backend string) (*Engine, error) {
	s := settingsFromEnvironment()
	s.backend = backend
	return s.choose()
}

// newEngine describes an opened backend.
func newEngine(backend compute.Backend, name, reason string) *Engine {
	return &Engine{Backend: backend, Name: name, Cores: runtime.GOMAXPROCS(0), Reason: reason}
}
