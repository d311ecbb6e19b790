package quantity

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestQuantitiesReadWell(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{Thousands(0), "0"}, {Thousands(999.6), "1,000"}, {Thousands(1234567), "1,234,567"},
		{Span(45 * time.Second), "45 s"}, {Span(150 * time.Second), "2 min"},
		{Span(200 * time.Minute), "3 h 20 min"},
		{Span(9 * 24 * time.Hour), "9 days"}, {Span(math.MaxInt64), "290 years or more"},
		{Noun(0, "file"), "files"}, {Count(1, "step"), "1 step"},
		{Count(1563, "step"), "1,563 steps"}, {CountOrAll(1, "image"), "1 image"},
		{CountOrAll(0, "image"), "all images"},
		{Seconds(0.00725), "7.25 ms"}, {Seconds(0.123), "123 ms"}, {Seconds(1.234), "1.23 s"},
		{List(nil, 2), ""}, {List([]string{"a", "b"}, 2), "a, b"},
		{List([]string{"a", "b", "c"}, 2), "a, b and 1 more"},
		{strings.Join(First([]string{"a", "b"}, 2), "; "), "a; b"},
		{strings.Join(First([]string{"a", "b", "c"}, 2), "; "), "a; b; 1 more"},
		{Bytes(320e6), "320 MB"}, {Bytes(1.94e9), "1.9 GB"}, {Bytes(0), "not measured"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

// Only what an error of rounding adds is left out.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"0.04000000000000001": "0.04", "-0.30000000000000004": "-0.3",
		"1.1000000000000001e-07": "1.1e-07",
		"0.3333333333333333":     "0.3333333333333333", "0.05": "0.05",
		"18446744073709551615": "18446744073709551615",
		"shapes10":             "shapes10", "": "",
	} {
		if got := Plain(text); got != want {
			t.Errorf("Plain(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		`C:\new\x1b and \"`:                  `C:\new\x1b and \"`,
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

// A decomposed letter takes the column of the composed one, and letters of East Asia take two.
func TestPad(t *testing.T) {
	for text, want := range map[string]int{"cafe": 4, "caf\u00e9": 4, "cafe\u0301": 4,
		"zo\u0308\u0301": 2, "\u732b": 2, "\uff21": 2, "\u200b": 0, "": 0} {
		if got := Columns(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
		if got := Pad(text, 6); got != text+strings.Repeat(" ", 6-want) {
			t.Errorf("%q is padded to %q", text, got)
		}
	}
	if got := Pad("longer", 3); got != "longer" {
		t.Errorf("a longer text becomes %q", got)
	}
}

func TestSigned(t *testing.T) {
	for want, value := range map[string]float64{"+0.12": 0.12, "-1.50": -1.5, "0.00": -0.004,
		"-0.01": -0.005001, "NaN": math.NaN(), "-Inf": math.Inf(-1)} {
		if got := Signed(value, 2); got != want {
			t.Errorf("Signed(%g, 2) = %q, want %q", value, got, want)
		}
	}
}

func TestMeanStd(t *testing.T) {
	for _, test := range []struct {
		mean, std       float64
		seeds, decimals int
		want            string
	}{
		{0.4471, 0.0123, 5, 3, "0.447 ± 0.012"},
		{81.34, 0.26, 2, 1, "81.3 ± 0.3"},
		{0.4471, math.NaN(), 1, 3, "0.447"},
		{0.4471, 0, 0, 2, "0.45"},
	} {
		if got := MeanStd(test.mean, test.std, test.seeds, test.decimals); got != test.want {
			t.Errorf("MeanStd(%g, %g, %d, %d) is %q, want %q", test.mean, test.std, test.seeds,
				test.decimals, got, test.want)
		}
	}
}
