//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64))

package engine

import (
	"flag"
	"fmt"
	"io"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"k8s.io/klog/v2"
)

// builtWithXLA says whether this program can load XLA plugins: it's built with cgo, on a system that go-xla knows, without
// the tag noxla.
const builtWithXLA = true

// openXLA opens a plugin, by its name or path, and lets it compute something. Nothing is ever downloaded.
func (s settings) openXLA(plugin, options, reason string) (*Engine, error) {
	path, err := s.findPlugin(plugin)
	if err != nil {
		return nil, err
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
		return nil, fmt.Errorf("engine: the XLA plugin %s does not work here: %s: use another, or %s=go", path, oneLine(err), backendVariable)
	}
	return newEngine(backend, "xla:"+kindOfPlugin(path), reason), nil
}

// silenceLog keeps go-xla's log off the terminal, where one error line of ours is enough, until the function that it returns
// is called.
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
