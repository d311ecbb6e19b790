package lab

import (
	"os/exec"
	"strings"
	"testing"
)

// Cells that only read numbers or draw link no engine, and only this package knows the notebook's
// kernel.
func TestLightPackagesLinkNoEngine(t *testing.T) {
	const module = "github.com/nbbnn/workbench/"
	for _, c := range []struct{ pkg, without string }{
		{"lab", "gomlx"}, {"viz", "gomlx"}, {"corrupt", "gomlx"}, {"dataset", "gomlx"},
		{"internal/progress", "gomlx"}, {"nbbnn/score", "gomlx"},
		{"viz", "gonb"}, {"nbbnn", "gonb"}, {"paper", "gonb"}, {"cmd/nbbnn", "gonb"},
	} {
		out, err := exec.Command("go", "list", "-deps", module+c.pkg).Output()
		if err != nil {
			t.Fatalf("go list -deps %s: %v", c.pkg, err)
		}
		for _, name := range strings.Fields(string(out)) {
			if strings.Contains(name, "/"+c.without+"/") {
				t.Errorf("%s imports %s", c.pkg, name)
				break
			}
		}
	}
}
