package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"

	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/purego/executor"
	"github.com/nbbnn/workbench/internal/purego/kernel"
)

// sequential makes the pure-Go backend execute the operations of a graph one after the other, each
// on all cores: several at once, which is its default, wait for each other forever when all cores
// have begun one that wants more cores.
const sequential = "ops_sequential"

// inOrder makes the pure-Go backend execute operations in the order in which the graph was built.
// Its default leaves the gradients of all kernels to the end of a training step, because little
// depends on them, and so keeps all that they need until then.
const inOrder = "creation_order"

// goConfiguration returns the configuration of the pure-Go backend: sequential, inOrder and the
// user's options, of which the last counts.
func goConfiguration(options string) (string, error) {
	named := strings.Split(options, ",")
	switch {
	case slices.Contains(named, "ops_parallel"):
		return "", fmt.Errorf("engine: %s names ops_parallel, with which GoMLX's pure-Go backend "+
			"can wait for itself forever: leave it out", backendVariable)
	case !slices.Contains(named, sequential):
		options = sequential + "," + options
	}
	return strings.TrimSuffix(inOrder+","+options, ","), nil
}

// openGo opens the pure-Go backend with a user's options and installs the chosen kernels in it.
func openGo(choice executor.Choice, config, reason string) (*Engine, error) {
	config, err := goConfiguration(config)
	if err != nil {
		return nil, err
	}
	backend, err := recovered(func() (compute.Backend, error) { return gobackend.New(config) })
	if err != nil {
		return nil, fmt.Errorf("engine: the pure-Go backend does not start with %q: %s: unset %s",
			config, oneLine(err), backendVariable)
	}
	kernels, problem := executor.Install(backend, choice)
	engine := newEngine(backend, goName(kernels, level()), reason)
	engine.assembly = kernels != "" && kernels != kernel.Portable
	if problem != "" {
		engine.Advice = append(engine.Advice, problem)
	}
	return engine, nil
}

// goName returns the engine's name with everything its results depend on: the kernels and the
// processor level the program was built for, "" for the lowest.
func goName(kernels, level string) string {
	var details []string
	if kernels != "" {
		details = append(details, kernels+" kernels")
	}
	if level != "" {
		details = append(details, "GOAMD64="+level)
	}
	if len(details) == 0 {
		return "go"
	}
	return "go (" + strings.Join(details, ", ") + ")"
}

// level returns the value of GOAMD64 with which the program was built, "" for v1 and v2: from v3 on
// the compiler fuses multiplications with additions, which changes the last digits.
func level() string {
	if value := machine.BuildSetting("GOAMD64"); value >= "v3" {
		return value
	}
	return ""
}

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
