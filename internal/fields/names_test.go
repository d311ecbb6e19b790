package fields

import (
	"strings"
	"testing"
)

type section struct {
	Name string `json:"name"`
	Size int    `json:"size"`
}

// config stands for the settings of a training.
type config struct {
	Network section `json:"network"`
	Data    section `json:"data"`
	Rate    float64 `json:"learning_rate"`
	Plain   bool    `json:"no_augmentation"`
	Seed    uint64  `json:"seed"`
	Method  struct {
		Start int `json:"start"`
	} `json:"method"`
	Weights string `json:"weights,omitempty"`
}

func TestNames(t *testing.T) {
	first, second := strings.Repeat("1a", 32), strings.Repeat("2b", 32)
	for _, c := range []struct {
		name string
		list []Titled
		want string
	}{
		{"one", []Titled{{"MAP", config{Network: section{Name: "vgg16"}}}}, "MAP"},
		{"nothing is known", []Titled{{}, {}}, "method 1; method 2"},
		{"titles", []Titled{{"MAP", config{}}, {"SWAG", config{}}}, "MAP; SWAG"},
		{"one title, no fields", []Titled{{"MAP", config{Weights: first}},
			{"MAP", config{Weights: second}}}, "weights " + first + "; weights " + second},
		{"a checksum isn't needed", []Titled{{"MAP", config{Rate: 1, Weights: first}},
			{"MAP", config{Rate: 2, Weights: second}}}, "learning rate 1; learning rate 2"},
		{"a data set", []Titled{{"", config{Data: section{Name: "a"}}},
			{"", config{Data: section{Name: "b"}}}}, "data a; data b"},
		{"a switch", []Titled{{"MAP", config{Plain: true}}, {"MAP", config{}}},
			"MAP, no augmentation; MAP"},
		{"an empty text", []Titled{{"MAP", config{}}, {"MAP", config{Network: section{Name: "a"}}},
			{"SAM", config{}}}, "MAP; MAP, network a; SAM"},
		{"an empty text of one title",
			[]Titled{{"MAP", config{}}, {"MAP", config{Network: section{Name: "a"}}}},
			"MAP; MAP, network a"},
		{"rounding", []Titled{{"", config{Rate: 0.04000000000000001}}, {"", config{Rate: 1}}},
			"learning rate 0.04; learning rate 1"},
		{"close", []Titled{{"", config{Rate: 0.04000000000000001}}, {"", config{Rate: 0.04}}},
			"learning rate 0.04000000000000001; learning rate 0.04"},
		{"seeds", []Titled{{"MAP", config{Seed: 1, Rate: 1}}, {"MAP", config{Seed: 2, Rate: 2}}},
			"learning rate 1; learning rate 2"},
	} {
		if got := strings.Join(Names(c.list), "; "); got != c.want {
			t.Errorf("%s: the names are %q, want %q", c.name, got, c.want)
		}
	}
}

// Three fields are enough for a name: the method's come first, and the data's last.
func TestLongNames(t *testing.T) {
	a := config{Network: section{"vgg16", 8}, Data: section{"a", 1}, Rate: 1}
	b := config{Network: section{"allcnnc", 9}, Data: section{"b", 2}, Rate: 2}
	b.Method.Start = 3
	want := "start 0, network vgg16, size 8 and 3 more; start 3, network allcnnc, size 9 and 3 more"
	if got := strings.Join(Names([]Titled{{"", a}, {"", b}}), "; "); got != want {
		t.Errorf("the names are %q, want %q", got, want)
	}
	c := a
	c.Data.Size = 7 // the names differ in nothing but the last field
	names := Names([]Titled{{"", a}, {"", b}, {"", c}})
	if names[0] == names[2] || !strings.HasSuffix(names[2], "data a, size 7") ||
		names[1] != "start 3, network allcnnc, size 9 and 3 more" {
		t.Errorf("the names are %q", names)
	}
}
