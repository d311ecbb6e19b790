//go:build linux && amd64 && cgo && !noxla

package engine

import (
	"strings"
	"testing"
)

// cudaPluginHere returns the path of the CUDA plugin, and skips the test, with a message, if
// there's none or a GPU that would answer.
func cudaPluginHere(t *testing.T) string {
	t.Helper()
	s := settingsFromEnvironment()
	path, err := findPlugin(s.plugins, cudaPlugin)
	if err != nil {
		t.Skipf("XLA's CUDA plugin was not tested: `make test-cuda` brings it: %v", err)
	}
	if s.gpu {
		t.Skip("there is a GPU here: `go test -run XLAAgrees ./internal/trial` tests its plugin")
	}
	return path
}

// Without a GPU the error is one line that says so and names a cure.
func TestCUDAPluginWithoutAGPU(t *testing.T) {
	path := cudaPluginHere(t)
	t.Setenv(flagsVariable, "")
	_, err := openXLA(nil, path, "", "test")
	if err == nil || strings.ContainsRune(err.Error(), '\n') {
		t.Fatalf("%v, want an error of one line", err)
	}
	for _, want := range []string{path + " does not work here: ", "No visible GPU devices",
		"CUDA_VISIBLE_DEVICES"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
}
