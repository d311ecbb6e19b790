package tidy

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// Lines are those of the standard library's CSV.
func TestAppendFields(t *testing.T) {
	fields := []string{"", "0.25", "fog,snow", `say "x"`, " padded", "two words", "a\nb", "γ = 4",
		"mine#1a2b"}
	var want strings.Builder
	w := csv.NewWriter(&want)
	testkit.NoError(t, w.Write(fields))
	w.Flush()
	if got := string(AppendFields(nil, "=1+1", "@SUM(1)", "-0.25", "+x",
		"-")); got != "'=1+1,'@SUM(1),-0.25,'+x,-" {
		t.Errorf("line %q, want texts with an apostrophe where a spreadsheet would compute", got)
	}
	if got := string(AppendFields(nil, fields...)) + "\n"; got != want.String() {
		t.Errorf("line %q, want %q", got, want.String())
	}
}
