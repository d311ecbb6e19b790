package score

import (
	"os/exec"
	"strings"
	"testing"
)

// Reading numbers must not link an engine.
func TestNoEngineIsLinked(t *testing.T) {
	output, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(output)) {
		if strings.Contains(path, "gomlx") || strings.HasSuffix(path, "internal/engine") {
			t.Errorf("package score depends on %s", path)
		}
	}
}
