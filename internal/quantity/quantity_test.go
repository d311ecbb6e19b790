package quantity_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nbbnn/workbench/internal/quantity"
)

func TestQuantitiesReadWell(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{quantity.Thousands(0), "0"}, {quantity.Thousands(999.6), "1,000"}, {quantity.Thousands(1234567), "1,234,567"},
		{quantity.Span(45 * time.Second), "45 s"}, {quantity.Span(150 * time.Second), "2 min"}, {quantity.Span(200 * time.Minute), "3 h 20 min"},
		{quantity.Span(9 * 24 * time.Hour), "9 days"}, {quantity.Noun(0, "file"), "files"}, {quantity.Count(1, "step"), "1 step"}, {quantity.Count(1563, "step"), "1,563 steps"}, {quantity.CountOrAll(1, "image"), "1 image"}, {quantity.CountOrAll(0, "image"), "all images"},
		{quantity.Seconds(0.00725), "7.25 ms"}, {quantity.Seconds(0.123), "123 ms"}, {quantity.Seconds(1.234), "1.23 s"},
		{quantity.List(nil, 2), ""}, {quantity.List([]string{"a", "b"}, 2), "a, b"}, {quantity.List([]string{"a", "b", "c"}, 2), "a, b and 1 more"},
		{strings.Join(quantity.First([]string{"a", "b"}, 2), "; "), "a; b"}, {strings.Join(quantity.First([]string{"a", "b", "c"}, 2), "; "), "a; b; 1 more"},
		{quantity.Bytes(320e6), "320 MB"}, {quantity.Bytes(1.94e9), "1.9 GB"}, {quantity.Bytes(0), "not measured"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

// Only what an error of rounding adds is left out.
func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"0.04000000000000001": "0.04", "-0.30000000000000004": "-0.3", "1.1000000000000001e-07": "1.1e-07",
		"0.3333333333333333": "0.3333333333333333", "0.05": "0.05", "18446744073709551615": "18446744073709551615",
		"shapes10": "shapes10", "": "",
	} {
		if got := quantity.Plain(text); got != want {
			t.Errorf("Plain(%q) = %q, want %q", text, got, want)
		}
	}
}
