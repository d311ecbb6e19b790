//go:build !(cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64)))

package engine

import "fmt"

// builtWithXLA is false: this program can't load XLA plugins.
const builtWithXLA = false

// openXLA returns an error that explains why there is no XLA.
func openXLA(_ []string, plugin, _, _ string) (*Engine, error) {
	return nil, fmt.Errorf("engine: no XLA for %s: %s (in a notebook: begin the first cell with "+
		"the line %%env GOFLAGS=-mod=readonly), or use %s=go", plugin, withoutXLA, backendVariable)
}
