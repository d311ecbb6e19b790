package report

import (
	"slices"
	"testing"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// Methods are ordered by the value of what differs, and one number is an axis, also if another
// setting repeats it.
func TestOrderedAndAxis(t *testing.T) {
	type settings struct {
		Network string  `json:"network"`
		Gamma   float64 `json:"gamma"`
		Init    float64 `json:"init_std"`
		Prior   float64 `json:"prior_std"`
	}
	for _, test := range []struct {
		name    string
		methods []settings
		order   []int
		axis    string
	}{
		{"gamma", []settings{{"a", 16, 1, 1}, {"a", 0, 1, 1}, {"a", 4, 1, 1}}, []int{1, 2, 0},
			"gamma"},
		{"a prior that follows the start", []settings{{"a", 0, 3, 3}, {"a", 0, 1, 1}}, []int{1, 0},
			"init std"},
		{"two numbers", []settings{{"a", 2, 3, 1}, {"a", 0, 4, 1}, {"a", 0, 3, 1}}, []int{2, 1, 0},
			""},
		{"a name", []settings{{"b", 0, 1, 1}, {"a", 0, 1, 1}}, []int{1, 0}, ""},
		{"nothing", []settings{{"a", 0, 1, 1}}, []int{0}, ""},
	} {
		c := score.Comparison{Suite: "first8"}
		for _, s := range test.methods {
			c.Methods = append(c.Methods, score.Method{Settings: s})
		}
		var want []any
		for _, place := range test.order {
			want = append(want, test.methods[place])
		}
		var got []any
		for _, m := range Ordered(c).Methods {
			got = append(got, m.Settings)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the order is %v, want %v", test.name, got, want)
		}
		name, values, found := axisOf(c)
		if name != test.axis || found != (test.axis != "") || found &&
			len(values) != len(c.Methods) {
			t.Errorf("%s: the axis is %q %v (%v), want %q", test.name, name, values, found,
				test.axis)
		}
	}
	if _, _, found := axisOf(score.Comparison{Methods: make([]score.Method, 2)}); found {
		t.Error("methods without settings have an axis")
	}
}
