package engine

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/gomlx/compute"

	"github.com/nbbnn/workbench/internal/engine/early"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/purego/executor"
)

// Engine is the backend on which every graph of the process runs.
type Engine struct {
	Backend compute.Backend // shared: never finalised
	// "go (AVX2 kernels)", "go (portable kernels)", "go", "xla:cuda", "xla:cpu", ...
	Name   string
	Cores  int      // processor cores in use
	Advice []string // obstacles to a faster engine, one line each, with the cure
	Reason string   // why this one was chosen

	assembly bool   // it's the pure-Go engine, with kernels in assembly
	plugin   string // the XLA plugin, "cuda", "cpu" or its file's name; "" for the pure-Go engine
}

// IsXLA reports whether the engine is an XLA plugin.
func (e *Engine) IsXLA() bool { return e.plugin != "" }

// IsDevice reports whether the engine computes on a device apart from the processor, which should
// seldom wait for it.
func (e *Engine) IsDevice() bool { return e.plugin != "" && e.plugin != cpuPlugin }

// Open returns the engine of this process. The first call chooses and opens it, the others return
// the same one, or the same error: one line that names the cure.
func Open() (*Engine, error) { return open() }

var open = sync.OnceValues(func() (*Engine, error) { return settingsFromEnvironment().choose() })

// ImportedFrom begins the name of the engine of imported weights.
const ImportedFrom = "imported from "

// Trained returns the part of a card's engine text on which the weights depend. The kernels for
// AVX2 and AVX-512 give the same bits.
func Trained(card string) string {
	each := strings.Split(strings.NewReplacer("AVX2", "AVX", "AVX-512", "AVX").Replace(card),
		", then ")
	return strings.Join(slices.Compact(each), ", then ")
}

// Seeds finds networks of one seed that different engines trained, whose random numbers and
// roundings differ.
type Seeds map[uint64][2]string // the first network of a seed and its engine

// Add describes a mismatch if another engine trained the seed's first network; "" if none did, or
// trained is "".
func (s Seeds) Add(seed uint64, name, trained string) string {
	first, seen := s[seed]
	switch {
	case !seen && trained != "":
		s[seed] = [2]string{name, trained}
		return ""
	case trained == "" || first[1] == trained:
		return ""
	}
	return fmt.Sprintf("%s was trained by %s, %s by %s: train one of them again on the other's "+
		"engine", first[0], first[1], name, trained)
}

// HasEqualBits reports whether the engine of a card belongs to the engines that compute the same
// bits.
func HasEqualBits(card string) bool { return Trained(card) == "go (AVX kernels)" }

// OpenNamed opens the engine that a value of GOMLX_BACKEND names, next to the process's own. The
// two can't share tensors. The pure-Go engine gets the usual kernels.
func OpenNamed(backend string) (*Engine, error) {
	s := settingsFromEnvironment()
	s.backend = backend
	return s.choose()
}

// newEngine describes an opened backend.
func newEngine(backend compute.Backend, name, reason string) *Engine {
	return &Engine{Backend: backend, Name: name, Cores: runtime.GOMAXPROCS(0), Reason: reason}
}

// Environment variables of GoMLX and of go-xla.
const (
	backendVariable = "GOMLX_BACKEND"
	pluginsVariable = early.Plugins
)

func init() { early.Restore() } // go-xla is initialised by now

// settings are the user's choice of the engine, and the machine's plugins and GPU.
type settings struct {
	backend string          // GOMLX_BACKEND; empty for the fastest that is present
	kernels executor.Choice // NBBNN_KERNELS, perhaps mistyped: choose checks it
	plugins []string        // folders with XLA plugins
	gpu     bool            // an NVIDIA GPU is present
}

func settingsFromEnvironment() settings {
	s := settings{
		backend: os.Getenv(backendVariable),
		kernels: executor.Choice(os.Getenv(executor.Setting)),
		plugins: pluginFolders(),
	}
	s.gpu = hasGPU("/dev", s.plugins)
	return s
}

// xlaNames are the names under which GoMLX knows XLA.
var xlaNames = strings.Fields("xla stablehlo hlo shlo")

// choose opens the engine that the user names, or the fastest that is present.
func (s settings) choose() (*Engine, error) {
	if _, err := executor.ParseChoice(string(s.kernels)); err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	if s.backend == "" {
		return s.fastest()
	}
	name, config, _ := strings.Cut(s.backend, ":")
	reason := fmt.Sprintf("%s is %s", backendVariable, s.backend)
	switch {
	case name == "go":
		return openGo(s.kernels, config, reason)
	case slices.Contains(xlaNames, name):
		return s.openNamedXLA(config, reason)
	}
	return nil, fmt.Errorf("engine: %s is %q%s: use go, xla:cpu, xla:cuda or "+
		"xla:/path/to/plugin.so, or unset it for the fastest present",
		backendVariable, s.backend, nearest.Hint(name, append([]string{"go"}, xlaNames...)))
}

// fastest tries XLA on a GPU, then the pure-Go engine with kernels in assembly, then XLA on the
// processor, which takes about twice as long, then the pure-Go engine without assembly. If the user
// chose the portable kernels or none, it's the pure-Go engine with them.
func (s settings) fastest() (*Engine, error) {
	var advice []string
	if s.gpu {
		engine, err := openXLA(s.plugins, cudaPlugin, "", "the GPU is the fastest")
		if err == nil {
			return engine, nil
		}
		advice = append(advice, oneLine(err))
	}
	engine, err := openGo(s.kernels, "", "no GPU engine is present, and kernels in assembly are "+
		"faster than XLA on a processor")
	if err != nil {
		return nil, err
	}
	switch {
	case s.kernels == executor.Off, s.kernels == executor.Portable:
		engine.Reason = fmt.Sprintf("no GPU engine is present, and %s is %s", executor.Setting,
			s.kernels)
	case !engine.assembly:
		engine = s.withoutAssembly(engine)
	}
	engine.Advice = append(engine.Advice, advice...)
	return engine, nil
}

// withoutAssembly chooses between the pure-Go engine without kernels in assembly and XLA on the
// processor.
func (s settings) withoutAssembly(pureGo *Engine) *Engine {
	engine, err := openXLA(s.plugins, cpuPlugin, "", "the pure-Go engine has no kernels in "+
		"assembly here, and XLA on the processor is faster")
	if err == nil {
		engine.Advice = pureGo.Advice
		return engine
	}
	pureGo.Reason = "no other engine is present"
	pureGo.Advice = append(pureGo.Advice, oneLine(err))
	return pureGo
}

// openNamedXLA opens the plugin of a configuration: cpu, cuda, the path of a plugin, or nothing for
// any that this machine can use; then options.
func (s settings) openNamedXLA(config, reason string) (*Engine, error) {
	plugin, options, _ := strings.Cut(config, ",")
	if plugin != "" {
		engine, err := openXLA(s.plugins, plugin, options, reason)
		if err != nil && plugin == cudaPlugin && !s.gpu {
			err = fmt.Errorf("engine: %s; %s", withoutGPU, strings.TrimPrefix(oneLine(err),
				"engine: "))
		}
		return s.adviseKernels(engine), err
	}
	plugins := []string{cpuPlugin}
	if s.gpu {
		plugins = []string{cudaPlugin, cpuPlugin}
	}
	var problems []string
	for _, plugin := range plugins {
		engine, err := openXLA(s.plugins, plugin, options, reason)
		if err == nil {
			return s.adviseKernels(engine), nil
		}
		problems = append(problems, strings.TrimPrefix(oneLine(err), "engine: "))
	}
	return nil, fmt.Errorf("engine: %s", strings.Join(problems, "; "))
}

// adviseKernels adds advice if assembly kernels would be faster than the engine the user asked for.
// The engine may be nil.
func (s settings) adviseKernels(e *Engine) *Engine {
	if e != nil && e.Name == "xla:"+cpuPlugin && s.kernels.IsAssembly() {
		e.Advice = append(e.Advice, "the pure-Go engine with its kernels is about twice as fast "+
			"here: unset "+backendVariable)
	}
	return e
}

// oneLine puts an error on one line.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
