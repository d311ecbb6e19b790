package score

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// Reading numbers must not link an engine.
func TestNoEngineIsLinked(t *testing.T) {
	output := testkit.Must(exec.Command("go", "list", "-deps", ".").Output())(t)
	for _, path := range strings.Fields(string(output)) {
		if strings.Contains(path, "gomlx") || strings.HasSuffix(path, "internal/engine") {
			t.Errorf("package score depends on %s", path)
		}
	}
}
