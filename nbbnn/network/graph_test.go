package network

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/engine"
)

// run executes a graph on the chosen engine and returns its outputs as Go values.
func run(t testing.TB, build func(args []*Node) []*Node, args ...any) []any {
	t.Helper()
	e, err := engine.Open()
	if err != nil {
		t.Fatal(err)
	}
	exec, err := NewExec(e.Backend, build)
	if err != nil {
		t.Fatal(err)
	}
	outputs, err := exec.Call(args...)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]any, len(outputs))
	for i, output := range outputs {
		values[i] = output.Value()
	}
	return values
}
