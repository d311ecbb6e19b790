//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64))

package engine

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"k8s.io/klog/v2"
)

// builtWithXLA reports whether this program can load XLA plugins: it's built with cgo, on a system
// that go-xla knows, without the tag noxla.
const builtWithXLA = true

// openXLA opens a plugin, by its path or its name in one of the folders, and lets it compute
// something. It downloads nothing.
func openXLA(folders []string, plugin, options, reason string) (*Engine, error) {
	path, err := findPlugin(folders, plugin)
	if err != nil {
		return nil, err
	}
	if err := checkPluginFile(path); err != nil {
		return nil, fmt.Errorf("engine: the XLA plugin %s does not work here: %w, or use %s=go",
			path, err, backendVariable)
	}
	kind := kindOfPlugin(path)
	if kind == cudaPlugin {
		findCUDATools(path)
		options = withPrecision(options)
	}
	config := path
	if options != "" {
		config += "," + options
	}
	xla.EnableAutoInstall(false)
	defer silenceLog()()
	backend, err := recovered(func() (compute.Backend, error) { return xla.New(config) })
	if err == nil {
		err = tryOut(backend)
	}
	if err != nil {
		return nil, fmt.Errorf("engine: the XLA plugin %s does not work here: %s: %s", path,
			oneLine(err), cureOf(err))
	}
	engine := newEngine(backend, "xla:"+kind, reason)
	engine.plugin = kind
	return engine, nil
}

// silenceLog keeps go-xla's log off the terminal, where one error line of ours is enough, until the
// function that it returns is called.
func silenceLog() (restore func()) {
	flags := flag.NewFlagSet("log", flag.ContinueOnError)
	klog.InitFlags(flags)
	klog.SetOutput(io.Discard)
	set := func(toTerminal, threshold string) {
		for name, value := range map[string]string{"logtostderr": toTerminal,
			"stderrthreshold": threshold} {
			if err := flags.Set(name, value); err != nil {
				return // another version of the log, with more than is needed
			}
		}
	}
	set("false", "FATAL")
	return func() { set("true", "ERROR") }
}

// tryOut computes a small convolution and functions of its result: a plugin can open and then miss
// the compiler, the library of convolutions or the library of functions. Their sum equals the
// convolution's.
func tryOut(backend compute.Backend) (err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("it panics: %v", problem)
		}
	}()
	execution, err := graph.NewExec(backend, func(x *graph.Node) *graph.Node {
		kernel := graph.Reshape(graph.OnesLike(x), 2, 2, 1, 1)
		sum := graph.Reshape(graph.Convolve(x, kernel).NoPadding().Done())
		return graph.Add(sum, graph.Log(graph.Cos(graph.Sub(sum, sum))))
	})
	if err != nil {
		return err
	}
	outputs, err := execution.Call(tensors.FromFlatDataAndDimensions([]float32{1, 2, 3, 4}, 1, 2, 2,
		1))
	if err != nil {
		return err
	}
	if sum := tensors.ToScalar[float32](outputs[0]); sum != 10 {
		return errors.New("it computes wrongly")
	}
	return nil
}
