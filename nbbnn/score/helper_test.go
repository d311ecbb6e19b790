package score

import (
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

var near = testkit.Near

// checkError checks that an error is one line of this package with a certain text.
func checkError(t testing.TB, what string, err error, want string) {
	t.Helper()
	testkit.ErrorOf(t, what, err, want, "score")
}

// oracle reads one of the numeric oracles for metrics.
func oracle[T any](t testing.TB, name string) T {
	t.Helper()
	return testkit.Oracle[T](t, "metrics", name)
}
