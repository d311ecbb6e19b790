package engine

import (
	"runtime"
	"strings"

	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/purego/executor"
)

// Report describes this machine and its engines, for `nbbnn doctor`.
type Report struct {
	Processor  string      `json:"processor"`         // architecture and vector instructions
	Cores      int         `json:"cores"`             // in use
	GPU        bool        `json:"gpu"`               // an NVIDIA GPU is present
	Candidates []Candidate `json:"candidates"`        // in the order in which Open prefers them
	Chosen     *Engine     `json:"-"`                 // what Open returns; nil with Problem
	Problem    string      `json:"problem,omitempty"` // why Open fails, with the cure
}

// Candidate is an engine that may be present.
type Candidate struct {
	Name   string `json:"name"`   // "xla:cuda", "go", "xla:cpu"
	Found  bool   `json:"found"`  // it's there; only opening it proves that it works
	Detail string `json:"detail"` // where it is, or why it's not there and the cure
}

// Inspect looks at the machine, opens the engine that Open would and downloads nothing.
func Inspect() Report {
	s := settingsFromEnvironment()
	report := Report{Processor: machine.Instructions(), Cores: runtime.GOMAXPROCS(0), GPU: s.gpu}
	engine, err := Open()
	if err != nil {
		report.Problem = oneLine(err)
	}
	report.Chosen = engine
	report.Candidates = s.candidates()
	return report
}

// candidates returns the engines in the order in which Open prefers them.
func (s settings) candidates() []Candidate {
	gpu, pureGo, processor := s.gpuCandidate(), Candidate{Name: "go", Found: true,
		Detail: "part of this program"}, s.inspectPlugin(cpuPlugin)
	if s.kernels.IsAssembly() || s.kernels == executor.Portable || s.kernels == executor.Off {
		return []Candidate{gpu, pureGo, processor}
	}
	return []Candidate{gpu, processor, pureGo}
}

// gpuCandidate is XLA on a GPU: the plugin, and the GPU.
func (s settings) gpuCandidate() Candidate {
	candidate := s.inspectPlugin(cudaPlugin)
	if !s.gpu {
		candidate.Found = false
		candidate.Detail = withoutGPU
	}
	return candidate
}

const withoutGPU = "no NVIDIA GPU, or no driver for it, on this machine"

// withoutXLA says so of this program, with the cure.
const withoutXLA = "this program is built without XLA: build it with cgo and without the tag " +
	"noxla, as `make build` in a clone does"

// inspectPlugin looks for a plugin's file.
func (s settings) inspectPlugin(name string) Candidate {
	candidate := Candidate{Name: "xla:" + name}
	path, err := findPlugin(s.plugins, name)
	switch {
	case !builtWithXLA:
		candidate.Detail = withoutXLA
	case err != nil:
		candidate.Detail = strings.TrimPrefix(oneLine(err), "engine: ")
	default:
		candidate.Found, candidate.Detail = true, path
	}
	return candidate
}
