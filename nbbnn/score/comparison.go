package score

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/nbbnn/workbench/internal/fields"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/quantity"
)

// Comparison is several methods that were tested alike: methods x seeds x cells. Compare makes one
// from runs; callers may also fill it.
type Comparison struct {
	// of corruptions on which the methods are compared; the cells may be of a larger one
	Suite   string
	Methods []Method
	Classes int // of the data, for the line of guessing; 0 if unknown
	// name of the method from which pictures show the differences of all; "" for none
	Baseline string
	// on the images, below tables of the methods
	Notes []string
}

// Method is the runs of one method, which differ in nothing but the seed.
type Method struct {
	Name     string   // unique in the comparison
	Title    string   // of the way of training, for example "SWAG"; "" if it has none
	Colour   string   // of its curves, as "#0067a8"; "" means the name's
	Settings any      // common settings of the runs, without the seed; may be nil
	Seeds    []uint64 // in rising order
	Runs     []string // names of the runs, in the order of the seeds; may be nil
	Members  []uint64 // seeds of the members if the method is an ensemble; nil if it's runs
	Cells    []Cells  // [seeds], scores of the runs
	Costs    []Cost   // [seeds], costs of the runs; nil if unknown
	Origins  []Origin // [seeds]; nil if unknown
	// seeds whose runs hardly learnt: tables and pictures mark the method
	Unlearnt []uint64
}

// Run is one evaluated run as Compare takes it.
type Run struct {
	Name     string // of its directory
	Title    string // of the way of training, for example "SWAG"; "" if it has none
	Settings any    // of its training, comparable with ==, without the seed
	Seed     uint64
	Origin   Origin
	Cells    Cells
	Cost     Cost // the zero Cost if unknown
}

// Origin is the network that a run is or adds noise to.
type Origin struct {
	Weights string // checksum of a network whose weights were trained or imported; "" if unknown
	// checksum of the network under the noise; "" unless it was imported or isn't of the run's seed
	Parent string
	// whether all runs of the method are noise on that network, so that their seeds only change the
	// noise
	OnOne bool
}

// shares reports whether two runs of one seed are to be paired: noise on a network with that
// network, several noises on it with other noises on it, and others with each other.
func (o Origin) shares(other Origin) bool {
	switch {
	case o.Parent == other.Parent:
		return true
	case o.Parent == "":
		return o.Weights == other.Parent
	case other.Parent == "":
		return o.Parent == other.Weights
	}
	return !o.OnOne && !other.OnOne
}

// Pair returns the place of the method's run that is to be paired with run k of another; -1 if
// there is none.
func (m Method) Pair(other Method, k int) int {
	place := slices.Index(m.Seeds, other.Seeds[k])
	if place >= 0 && m.Origins != nil && other.Origins != nil &&
		!m.Origins[place].shares(other.Origins[k]) {
		return -1
	}
	return place
}

// Compare groups runs with equal settings into methods, in the order of their first runs, and names
// each method by the settings in which it differs from the others. It's an error if a method has a
// seed twice or a run lacks a cell of the suite. The suite Clean compares only the cells of clean
// images, which come first: all need one number of images, and each method one number of samples.
func Compare(suite string, runs ...Run) (Comparison, error) {
	c, err := group(suite, runs)
	if err == nil && suite == Clean {
		err = c.checkClean()
	} else if err == nil {
		_, err = c.Tables()
	}
	if err != nil {
		return Comparison{}, err
	}
	return c, nil
}

// checkClean checks the numbers of images and samples.
func (c Comparison) checkClean() error {
	for _, m := range c.Methods {
		for i, cells := range m.Cells {
			first, own := c.Methods[0], m.Cells[0][0]
			if want := first.Cells[0][0]; cells[0].Images != want.Images {
				return fmt.Errorf("score: run %s was tested on %d clean images and run %s on %d: "+
					"test them alike", m.run(i), cells[0].Images, first.run(0), want.Images)
			}
			if cells[0].Samples != own.Samples {
				return fmt.Errorf("score: run %s was tested with %d samples on clean images, run "+
					"%s of its method with %d: test them alike", m.run(i), cells[0].Samples,
					m.run(0), own.Samples)
			}
		}
	}
	return nil
}

// group groups runs with equal settings into named methods.
func group(suite string, runs []Run) (Comparison, error) {
	c := Comparison{Suite: suite}
	method := func(run Run) int {
		return slices.IndexFunc(c.Methods, func(m Method) bool {
			return m.Settings == run.Settings
		})
	}
	for _, run := range runs {
		if method(run) < 0 {
			c.Methods = append(c.Methods, Method{Title: run.Title, Settings: run.Settings})
		}
	}
	for _, run := range slices.SortedStableFunc(slices.Values(runs), func(a, b Run) int {
		return cmp.Compare(a.Seed, b.Seed)
	}) {
		m := &c.Methods[method(run)]
		if last := len(m.Seeds) - 1; last >= 0 && m.Seeds[last] == run.Seed {
			return Comparison{}, fmt.Errorf("score: run %s has the settings and the seed %d of "+
				"run %s: give each run once", run.Name, run.Seed, m.Runs[last])
		}
		m.Seeds, m.Runs = append(m.Seeds, run.Seed), append(m.Runs, run.Name)
		m.Cells, m.Costs = append(m.Cells, run.Cells), append(m.Costs, run.Cost)
		m.Origins = append(m.Origins, run.Origin)
	}
	titled := make([]fields.Titled, len(c.Methods))
	for i, m := range c.Methods {
		titled[i] = fields.Titled{Title: m.Title, Config: m.Settings}
	}
	for i, name := range fields.Names(titled) {
		c.Methods[i].Name = name
		if slices.Contains(c.Methods[i].Costs, Cost{}) {
			c.Methods[i].Costs = nil
		}
	}
	return c, nil
}

// Check returns an error unless every method has a unique name, on one line, and evaluated runs.
func (c Comparison) Check() error {
	if len(c.Methods) == 0 {
		return fmt.Errorf("score: 0 methods to compare: give at least one")
	}
	for _, m := range c.Methods {
		if len(m.Cells) == 0 || slices.ContainsFunc(m.Cells, func(cells Cells) bool {
			return len(cells) == 0
		}) {
			return fmt.Errorf("score: %s isn't evaluated yet: Run.Evaluate or `nbbnn evaluate` "+
				"computes its cells", m.Name)
		}
	}
	for i, m := range c.Methods {
		if strings.ContainsFunc(m.Name, unicode.IsControl) {
			return fmt.Errorf("score: a method is called %q: leave line breaks and other control "+
				"characters out", m.Name)
		}
		if slices.Contains(c.Names()[:i], m.Name) {
			return fmt.Errorf("score: two methods are called %q: give each a unique name",
				m.Name)
		}
	}
	return nil
}

// Names returns the names of the methods.
func (c Comparison) Names() []string {
	return quantity.Texts(c.Methods, func(m Method) string { return m.Name })
}

// greek replaces the Greek letters of pictures.
var greek = strings.NewReplacer(strings.Fields("β beta γ gamma λ lambda σ sigma")...)

// Method finds a method by its name, or if none has it by one that differs only in upper-case or
// Greek letters, as in pictures.
func (c Comparison) Method(name string) (Method, error) {
	at := slices.Index(c.Names(), name)
	if at < 0 {
		at = slices.IndexFunc(c.Names(), func(other string) bool {
			return strings.EqualFold(greek.Replace(other), greek.Replace(name))
		})
	}
	if at < 0 {
		return Method{}, fmt.Errorf("score: no method %q was compared%s: there are %s", name,
			nearest.Hint(name, c.Names()),
			strings.Join(quantity.Texts(c.Names(), strconv.Quote), ", "))
	}
	return c.Methods[at], nil
}

// Tables returns the table of levels of each method.
func (c Comparison) Tables() ([]LevelTable, error) {
	return eachMethod(c, func(m Method) (LevelTable, error) {
		return summariseLevels(c.Suite, m.Cells...)
	})
}

// CellSummaries returns the metrics of each method in every cell, over its seeds.
func (c Comparison) CellSummaries() ([][]CellSummary, error) {
	return eachMethod(c, func(m Method) ([]CellSummary, error) {
		return summariseCells(c.Suite, m.Cells...)
	})
}

// Bins returns the bins of each method and seed over all corruptions at the given levels,
// [methods][seeds]; without levels, at the severities 1 to 5.
func (c Comparison) Bins(levels ...int) ([][]Bins, error) {
	return eachMethod(c, func(m Method) (seeds []Bins, err error) {
		for _, cells := range m.Cells {
			part, err := cells.Of(c.Suite)
			if err != nil {
				return nil, err
			}
			bins, err := part.pool(levels...)
			if err != nil {
				return nil, err
			}
			seeds = append(seeds, bins)
		}
		return seeds, nil
	})
}

// eachMethod computes something of each method.
func eachMethod[T any](c Comparison, compute func(Method) (T, error)) ([]T, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	all := make([]T, len(c.Methods))
	for i, m := range c.Methods {
		var err error
		if all[i], err = compute(m); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Cost is the cost of a method's training and its predictions, in units that, except seconds, don't
// depend on the machine.
type Cost struct {
	// Parameters counts the numbers that predictions need: weights and posterior, every kept set of
	// weights, of all members of an ensemble; 0 if unknown.
	Parameters int `json:"parameters,omitempty"`
	// Epochs is the length of the training of a member; unknown without TrainingPasses.
	Epochs int `json:"epochs"`
	// TrainingPasses counts the forward and backward passes of each image in an epoch of all
	// members: the cost of training relative to SGD's; 0 if unknown, as of foreign weights.
	TrainingPasses int `json:"training_passes"`
	// PredictionPasses counts the forward passes for an image: samples times members.
	PredictionPasses int `json:"prediction_passes"`
	// TrainingSeconds is the time that the training of all members took on the machines where they
	// were trained; 0 if unknown.
	TrainingSeconds float64 `json:"training_seconds,omitempty"`
	// Posthoc means that the weights come from a trained parent, whose training isn't counted.
	Posthoc bool `json:"posthoc,omitempty"`
}

// Plus returns the cost of an ensemble with one more member. What is unknown of a part is unknown
// of both.
func (c Cost) Plus(member Cost) Cost {
	if c == (Cost{}) {
		return member
	}
	sum := Cost{
		Epochs:           max(c.Epochs, member.Epochs),
		TrainingPasses:   c.TrainingPasses + member.TrainingPasses,
		PredictionPasses: c.PredictionPasses + member.PredictionPasses,
		Posthoc:          c.Posthoc || member.Posthoc,
	}
	if c.Parameters > 0 && member.Parameters > 0 {
		sum.Parameters = c.Parameters + member.Parameters
	}
	if c.TrainingSeconds > 0 && member.TrainingSeconds > 0 {
		sum.TrainingSeconds = c.TrainingSeconds + member.TrainingSeconds
	}
	return sum
}

// Ensemble returns the ensemble of all runs of the method as a method with one run: its cells, the
// name of its directory, which may be "", the last seed, the seeds of its members, and the sum of
// the costs if they are known.
func (m Method) Ensemble(cells Cells, name string) Method {
	e := Method{
		Name: "ens " + m.Name, Title: m.Title, Settings: m.Settings,
		Seeds: m.Seeds[len(m.Seeds)-1:], Runs: []string{name}, Members: slices.Clone(m.Seeds),
		Cells: []Cells{cells},
	}
	var sum Cost
	for _, c := range m.Costs {
		sum = sum.Plus(c)
	}
	if sum != (Cost{}) {
		e.Costs = []Cost{sum}
	}
	return e
}

// Cost returns the cost of a run of the method: the passes and parameters of the first run, which
// all share, and the mean of the seconds; false if the costs of its runs aren't known.
func (m Method) Cost() (Cost, bool) {
	if len(m.Costs) == 0 {
		return Cost{}, false
	}
	mean, seconds := m.Costs[0], 0.0
	for _, c := range m.Costs {
		if c.TrainingSeconds == 0 {
			mean.TrainingSeconds = 0
			return mean, true
		}
		seconds += c.TrainingSeconds
	}
	mean.TrainingSeconds = seconds / float64(len(m.Costs))
	return mean, true
}
