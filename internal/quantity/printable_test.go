package quantity

import "testing"

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		`plain "text", α ± 1 µ` + "\u00a0日本": `plain "text", α ± 1 µ` + "\u00a0日本",
		"\x1b[31mred\x1b]0;owned\a":          `\x1b[31mred\x1b]0;owned\a`,
		"a\nb\r\tc\x00\x7f":                  `a\nb\r\tc\x00\x7f`,
		"\u009b31m C1":                       `\u009b31m C1`,
		"\x9b a byte, \xff":                  `\x9b a byte, \xff`,
		"\u202eright to left":                `\u202eright to left`,
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
	}
}
