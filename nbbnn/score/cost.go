package score

import "slices"

// Cost is the cost of a method's training and its predictions, in units that don't depend on the
// machine but for the seconds.
type Cost struct {
	// Parameters is how many numbers predictions need: weights and posterior, every set of weights
	// that is kept, and those of all members of an ensemble; 0 if unknown.
	Parameters int `json:"parameters,omitempty"`
	// Epochs is the length of the training of a member; unknown without TrainingPasses.
	Epochs int `json:"epochs"`
	// TrainingPasses is how many forward and backward passes of each image an epoch of all members
	// takes: the cost of training relative to SGD's; 0 if unknown, as of weights from elsewhere.
	TrainingPasses int `json:"training_passes"`
	// PredictionPasses is how many forward passes predict an image: samples times members.
	PredictionPasses int `json:"prediction_passes"`
	// TrainingSeconds is the time that the training of all members took on the machines where they
	// were trained; 0 if unknown.
	TrainingSeconds float64 `json:"training_seconds,omitempty"`
	// Posthoc says that the weights are those of a trained parent, whose training isn't counted.
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
// name of its directory, which may be "", the last seed, the seeds of its members, and the sum of the
// costs if they are known.
func (m Method) Ensemble(cells Cells, name string) Method {
	e := Method{
		Name: "ens " + m.Name, Title: m.Title, Settings: m.Settings,
		Seeds: m.Seeds[len(m.Seeds)-1:], Runs: []string{name}, Members: slices.Clone(m.Seeds), Cells: []Cells{cells},
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

// Cost returns what a run of the method costs: the passes and parameters of the first run, which
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
