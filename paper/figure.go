package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Figure is a figure of the paper: what has to be run, how it's drawn, and what it claims.
type Figure struct {
	Number    int
	Title     string
	Methods   []Method
	Setup     func(Scale) Setup                  // the zero one for a scale that it doesn't know
	Published []Published                        // the paper's own curves, as far as they can be had
	Layout    func(*Result) (*viz.Figure, error) // draws the whole figure as the paper does

	PublishedRMS map[float64]float64 // by lambda, what the paper's implicit corruptions change; nil if the figure has none

	Claims []Claim
}

// Published is a curve of the paper: the mean and the standard deviation over its runs at the levels 0 to 5. It's drawn beside
// runs on the same data set, whatever their suite, and named with its own.
type Published struct {
	Data, Method, Metric string
	Corruptions          int // that the mean at levels 1 to 5 is over
	Mean, Std            [score.LevelCount]float64
}

// All returns the figures that can be made, in the paper's order.
func All() []Figure { return []Figure{Figure03, Figure04} }

// ByNumber returns the figure with the given number in the paper.
func ByNumber(number int) (Figure, error) {
	var known []string
	for _, figure := range All() {
		if figure.Number == number {
			return figure, nil
		}
		known = append(known, fmt.Sprint(figure.Number))
	}
	return Figure{}, fmt.Errorf("paper: figure %d can't be made yet: there are the figures %s", number, strings.Join(known, ", "))
}

// With returns the figure with further methods, for example Figure03.With(M(0.64)).
func (f Figure) With(methods ...Method) Figure {
	f.Methods = append(slices.Clone(f.Methods), methods...)
	return f
}

// Adjust returns the figure with a set-up that change has been applied to, whatever the scale.
func (f Figure) Adjust(change func(*Setup)) Figure {
	original := f.Setup
	f.Setup = func(scale Scale) Setup {
		setup := original(scale)
		change(&setup)
		return setup
	}
	return f
}

// methodNames are the names of the figure's curves.
func (f Figure) methodNames() (names []string) {
	for _, method := range f.Methods {
		names = append(names, method.Name)
	}
	return names
}

// Name is the beginning of the names of the figure's files, such as figure-03.
func (f Figure) Name() string { return fmt.Sprintf("figure-%02d", f.Number) }

// config returns the configuration of one run.
func (s Setup) config(method Method, seed uint64) nbbnn.Config {
	config := s.Config
	method.Change(&config)
	config.Seed = seed
	return config
}
