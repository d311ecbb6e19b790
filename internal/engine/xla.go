//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64))

package engine

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"k8s.io/klog/v2"
)

// builtWithXLA says whether this program can load XLA plugins: it's built with cgo, on a system
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
		return nil, fmt.Errorf("engine: the XLA plugin %s does not work here: %w, or use %s=go", path, err, backendVariable)
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
		return nil, fmt.Errorf("engine: the XLA plugin %s does not work here: %s%s: %s", path, told(err), versions(path), cureOf(err))
	}
	engine := newEngine(backend, "xla:"+kind, reason)
	engine.plugin = kind
	return engine, nil
}

// told returns the message of go-xla or of the plugin in one line, without the plugin's path, which
// is in front of it already.
func told(err error) string {
	_, says, found := strings.Cut(oneLine(err), ` for backend "xla": `)
	if !found {
		says = oneLine(err)
	}
	return strings.TrimSuffix(says, ".")
}

// madeFor is the minor version of the plugins' interface, PJRT API 0.x, that go-xla v0.4.13 was
// made for.
const madeFor = 104

// versions names a plugin's version of the interface where it differs much from the one that this
// program was made for.
func versions(path string) string {
	plugin, err := pjrt.GetPlugin(path)
	if err != nil {
		return ""
	}
	major, minor := plugin.Version()
	if major == 0 && minor >= oldest && minor <= madeFor+20 {
		return ""
	}
	return fmt.Sprintf(" (it has PJRT API %d.%d, this program was made for 0.%d)", major, minor, madeFor)
}

// oldest is the minor version of the oldest plugin that was seen to work.
const oldest = 81

// silenceLog keeps go-xla's log off the terminal, where one error line of ours is enough, until the
// function that it returns is called.
func silenceLog() (restore func()) {
	flags := flag.NewFlagSet("log", flag.ContinueOnError)
	klog.InitFlags(flags)
	klog.SetOutput(io.Discard)
	set := func(toTerminal, threshold string) {
		for name, value := range map[string]string{"logtostderr": toTerminal, "stderrthreshold": threshold} {
			if err := flags.Set(name, value); err != nil {
				return // another version of the log: it says more than is needed
			}
		}
	}
	set("false", "FATAL")
	return func() { set("true", "ERROR") }
}

// tryOut computes a small convolution and functions of its result: a plugin can open and then miss
// the compiler, the library of convolutions or that of functions. Their sum is the convolution's.
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
	outputs, err := execution.Call(tensors.FromFlatDataAndDimensions([]float32{1, 2, 3, 4}, 1, 2, 2, 1))
	if err != nil {
		return err
	}
	if sum := tensors.ToScalar[float32](outputs[0]); sum != 10 {
		return errors.New("it computes wrongly")
	}
	return nil
}

// ProgramText returns the StableHLO program that XLA compiles in a call of compile. go-xla has no
// function for it but prints it to its log at level 2.
func ProgramText(compile func() error) (string, error) {
	var log bytes.Buffer
	if err := withLog(&log, compile); err != nil {
		return "", err
	}
	const title = "StableHLO program:\n"
	_, text, found := strings.Cut(log.String(), title)
	end := strings.Index(text, "\n}\n")
	if !found || end < 0 {
		return "", errors.New("engine: XLA compiled no program: this needs an engine with XLA, and a graph that isn't compiled yet")
	}
	return text[:end+len("\n}\n")], nil
}

// withLog lets go-xla write what it does to a buffer in the meantime.
func withLog(log *bytes.Buffer, do func() error) error {
	flags := flag.NewFlagSet("log", flag.ContinueOnError)
	klog.InitFlags(flags)
	defer silenceLog()()
	klog.SetOutput(log)
	if err := flags.Set("v", "2"); err != nil {
		return err
	}
	err := do()
	klog.Flush()
	return errors.Join(err, flags.Set("v", "0"))
}
