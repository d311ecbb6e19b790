package paper

import (
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/viz"
)

// figure01 is Figure 1 of the paper, a sketch there: a shift of the input becomes a shift of the
// last layer's outputs, which noise with a high entropy covers. Here it is drawn from two networks
// with two inputs and three classes. Predictions depend only on the differences of the three
// outputs, which are points in a plane, so nothing is left out. The networks are trained in
// seconds, at every scale alike.
var figure01 = Figure{
	Number: 1,
	Title:  "Noise with a high entropy covers what a shift of the input does to the outputs",
	Headline: Headline{
		Shows:   "Outputs under noise and under shifts of the input",
		Claimed: "Wider noise covers more of the shifted inputs", Opposite: "Wider noise covers fewer of the shifted inputs",
		Between: "in what narrow and wide noise cover",
	},
	Runs:    figure01Runs,
	Collect: planeMeasurement{},
	Draw:    figure01Draw,
	Claims: []Claim{
		weAsk("high entropy covers more of the shifted inputs", averaged("high - low, mean of all lengths", coversMore)).asPrimary(0),
	},
}

// planeNetwork is the name of the network of Figure 1.
const planeNetwork = "plane"

func init() {
	defaults := network.Defaults{Width: 16, InitStd: 0.3, Epochs: 60, Batch: 20, LearningRate: 0.05}
	if err := network.Define(planeNetwork, planeLayers, defaults); err != nil {
		panic(err)
	}
}

// planeLayers has two hidden layers and an output for each class. It takes images of one pixel.
func planeLayers(b *network.Builder) network.Value {
	hidden := b.Image().Dense(network.Dense{Features: b.Width()}).ReLU()
	hidden = hidden.Dense(network.Dense{Features: b.Width()}).ReLU()
	return hidden.Dense(network.Dense{Features: b.Classes()})
}

// The methods of Figure 1.
const (
	narrowNoise = "low entropy, σ = 0.1"
	wideNoise   = "high entropy, σ = 0.4"
)

func figure01Runs(scale Scale) Setup {
	setup := Setup{Seeds: FirstSeeds(5), Methods: []Method{M(0.1), M(0.4)}}
	setup.Methods[0].Name, setup.Methods[1].Name = narrowNoise, wideNoise
	setup.Config = nbbnn.Config{
		Network: nbbnn.Network{Name: planeNetwork, Width: 16}, Data: nbbnn.Data{Name: dataset.Pinwheel},
		Training: nbbnn.Training{Epochs: 60, Batch: 20, Samples: 4, LearningRate: 0.05, PosteriorLearningRate: 0.01, NoAugmentation: true},
	}
	switch scale {
	case Smoke:
		setup.Seeds = FirstSeeds(2)
	case Quick, Desk, Paper:
	default:
		return Setup{}
	}
	return setup
}

// figure01Draw draws the first run of each method.
func figure01Draw(r *Result) (*viz.Figure, error) {
	var shifts []viz.PlaneShifts
	for i, method := range r.methodNames() {
		shifts = append(shifts, r.Runs[i].Plane.shifts(method))
	}
	return viz.ShiftPanels(shifts...)
}

// coversMore compares for each length the share of shifted inputs whose output is in the ellipse.
func coversMore(r *Result) []Effect {
	covered := func(run RunResult) []float64 { return run.Plane.covered() }
	return pairedEffects("high - low", "points", aboveZero, r.series(wideNoise, covered), r.series(narrowNoise, covered), shiftNames())
}
