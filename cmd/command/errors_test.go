package command

import (
	"testing"
)

func TestQuote(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"runs/9f3c2a/config.json", "runs/9f3c2a/config.json"},
		{"my runs", "'my runs'"},
		{"", "''"},
		{"it's", `'it'\''s'`},
		{"a$b", "'a$b'"},
		{"~/runs", "'~/runs'"},
		{"Läufe", "Läufe"},
	} {
		if got := quote(c.word); got != c.want {
			t.Errorf("Quote(%q) is %s, want %s", c.word, got, c.want)
		}
	}
}
