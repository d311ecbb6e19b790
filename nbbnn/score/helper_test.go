package score

import (
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

var near = testkit.Near

// checkError checks that an error is one line of this package with a certain text.
func checkError(t testing.TB, what string, err error, want string) {
	t.Helper()
	testkit.Error(t, what, err, want)
	if err != nil && !strings.HasPrefix(err.Error(), "score: ") {
		t.Errorf("%s: error is %v, want one of package score", what, err)
	}
}

// oracle reads one of the numeric oracles for metrics.
func oracle[T any](t testing.TB, name string) T {
	t.Helper()
	return testkit.Oracle[T](t, "metrics", name)
}
