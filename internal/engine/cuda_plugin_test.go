//go:build linux && amd64 && cgo && !noxla

package engine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
	for _, want := range []string{path + " does not work here: ", "No visible GPU devices", "CUDA_VISIBLE_DEVICES"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
}

// The CUDA plugin accepts the size of each structure that go-xla passes to it. Without a GPU
// nothing more of its functions can be called. That the plugin checks sizes is seen by passing
// smaller ones.
func TestCUDAPluginAcceptsSizesOfStructures(t *testing.T) {
	check := structSizes(t, cudaPluginHere(t))
	said := check(0)
	version := regexp.MustCompile(`version 0\.(\d+)\n`).FindString(said)
	if version == "" || !strings.Contains(said, "PJRT_Client_Create: No visible GPU devices") {
		t.Errorf("the plugin wasn't called: %s", said)
	}
	t.Logf("PJRT API %s", strings.TrimSpace(version))
	for line := range strings.Lines(said) {
		if strings.Contains(line, "size") || strings.Contains(line, "are expected") {
			t.Error(strings.TrimSpace(line))
		}
	}
	smaller := check(16)
	for _, function := range []string{"Client_Create", "Client_Compile", "Client_BufferFromHostBuffer", "Buffer_ToHostBuffer", "LoadedExecutable_Execute", "Event_Await"} {
		if !strings.Contains(smaller, "PJRT_"+function+": Unexpected PJRT_") {
			t.Errorf("PJRT_%s takes a structure that is too small: %s", function, smaller)
		}
	}
	t.Setenv("OPTIONS_ONLY", "1")
	if said := check(16); !strings.Contains(said, "Unexpected PJRT_ExecuteOptions size") {
		t.Errorf("PJRT_LoadedExecutable_Execute takes options that are too small: %s", said)
	}
}

// structSizes compiles testdata/struct_sizes.c for the functions that go-xla calls. What it returns
// calls them with structures that are smaller by some bytes, and returns what the plugin said.
func structSizes(t *testing.T, plugin string) func(missing int) string {
	t.Helper()
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gomlx/go-xla").Output()
	if err != nil {
		t.Skipf("the source of go-xla isn't here: %v", err)
	}
	header, folder := filepath.Join(strings.TrimSpace(string(module)), "pjrt"), t.TempDir()
	var calls strings.Builder
	functions := calledFunctions(t, header)
	if len(functions) < 30 {
		t.Fatalf("go-xla calls %d functions (%q), want 30 or more", len(functions), functions)
	}
	for _, name := range functions {
		fmt.Fprintf(&calls, "CALL(%s)\n", name)
	}
	if err := os.WriteFile(filepath.Join(folder, "functions.h"), []byte(calls.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "struct_sizes")
	compile := exec.Command("cc", "-I", header, "-I", folder, "-o", program, filepath.Join("testdata", "struct_sizes.c"), "-ldl")
	if text, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return func(missing int) string {
		text, err := exec.Command(program, plugin, fmt.Sprint(missing)).Output()
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return string(text)
	}
}

// calledFunctions are the functions of PJRT that go-xla's source calls and that return errors.
func calledFunctions(t *testing.T, folder string) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	call := regexp.MustCompile(`(?:C\.call_|api->)(PJRT_\w+)\(`)
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range call.FindAllStringSubmatch(string(source), -1) {
			names = append(names, match[1])
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		return name == "PJRT_Error_Destroy" || name == "PJRT_Error_Message"
	})
}
