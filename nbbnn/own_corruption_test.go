package nbbnn

import (
	"strings"
	"testing"

	"github.com/nbbnn/workbench/corrupt"
)

// Cells of registered corruptions are kept under the fingerprint of their functions, so that those
// of a changed function are other cells. Suites of the nineteen keep their names.
func TestOwnCorruptionsHaveCellsOfTheirOwn(t *testing.T) {
	suite, err := corrupt.SuiteByName("cbar10")
	if err != nil {
		t.Fatal(err)
	}
	if got := (Evaluation{Suite: "cbar10"}).label(); got != "cbar10#"+suite.Fingerprint() {
		t.Errorf("cells of cbar10 are kept under %q, want its name and its fingerprint %s", got, suite.Fingerprint())
	}
	if got := (Evaluation{Suite: "all19"}).label(); got != "all19" {
		t.Errorf("cells of all19 are kept under %q, want all19", got)
	}
	notes := Evaluation{Suite: "fog,ripple"}.notes()
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "the corruption ripple is registered with fingerprint ") {
		t.Errorf("got notes %q, want one about ripple", notes)
	}
}
