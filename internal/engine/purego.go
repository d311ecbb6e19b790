package engine

import (
	"errors"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"

	"github.com/nbbnn/workbench/internal/kernel/executor"
)

// sequential makes the pure-Go backend execute the operations of a graph one after the other, each on all cores: its
// default can deadlock when many large products are ready at the same time.
const sequential = "ops_sequential"

// openGo opens the pure-Go backend with a configuration, by default sequential, and brings the kernels to it.
func (s settings) openGo(config, reason string) (*Engine, error) {
	choice, err := executor.ParseChoice(s.kernels)
	if err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	if config == "" {
		config = sequential
	}
	backend, err := recovered(func() (compute.Backend, error) { return gobackend.New(config) })
	if err != nil {
		return nil, fmt.Errorf("engine: the pure-Go backend does not start with %q: %s: unset %s", config, oneLine(err), backendVariable)
	}
	engine := newEngine(backend, "go", reason)
	kernels, problem := executor.Install(backend, choice)
	if kernels != "" {
		engine.Name = fmt.Sprintf("go (%s kernels)", kernels)
	}
	if problem != "" {
		engine.Advice = append(engine.Advice, problem)
	}
	return engine, nil
}

// hasKernels says whether an engine is the pure-Go one with kernels.
func hasKernels(e *Engine) bool { return e.Name != "go" }

// recovered opens a backend. A panic of the library becomes an error.
func recovered(open func() (compute.Backend, error)) (backend compute.Backend, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			backend, err = nil, fmt.Errorf("it panics: %v", problem)
		}
	}()
	backend, err = open()
	if err == nil && backend == nil {
		err = errors.New("it gives no backend")
	}
	return backend, err
}
