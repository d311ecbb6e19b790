package score

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

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

// Reading numbers must not link an engine.
func TestNoEngineIsLinked(t *testing.T) {
	output := testkit.Must(exec.Command("go", "list", "-deps", ".").Output())(t)
	for _, path := range strings.Fields(string(output)) {
		if strings.Contains(path, "gomlx") || strings.HasSuffix(path, "internal/engine") {
			t.Errorf("package score depends on %s", path)
		}
	}
}
