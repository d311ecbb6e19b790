package network

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/testkit"
)

// run executes a graph on the chosen engine and returns its outputs as Go values.
func run(t testing.TB, build func(args []*Node) []*Node, args ...any) []any {
	t.Helper()
	e := testkit.Must(engine.Open())(t)
	exec := testkit.Must(NewExec(e.Backend, build))(t)
	outputs := testkit.Must(exec.Call(args...))(t)
	values := make([]any, len(outputs))
	for i, output := range outputs {
		values[i] = output.Value()
	}
	return values
}
