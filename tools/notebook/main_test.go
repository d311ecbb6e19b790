package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/commandline"
)

func TestRefusesWrongSources(t *testing.T) {
	for _, c := range []struct {
		args []string
		want int
		text string
	}{
		{[]string{"check"}, commandline.Misused, "no source given"},
		{[]string{"verify", "a.ipynb"}, commandline.Misused, "a.ipynb is no source"},
		{[]string{"check", "missing.md"}, commandline.Failed, "missing.md"},
		{[]string{"chek"}, commandline.Misused, `did you mean "check"?`},
	} {
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), c.args, &stdout, &stderr)
		if status != c.want || !strings.Contains(stderr.String(), c.text) {
			t.Errorf("%v: exit status %d and %q, want %d and %q", c.args, status, stderr.String(),
				c.want, c.text)
		}
	}
}
