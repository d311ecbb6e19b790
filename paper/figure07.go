package paper

import (
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// Figure07 is Figure 7 of the paper: VGG16 on CIFAR-100 with four components, the negative
// log-likelihood against gamma / K for noise on the inputs of the layers, on their outputs, and on
// both.
var Figure07 = Figure{
	Number:  7,
	Title:   "Noise on both sides of a layer needs a smaller entropy coefficient",
	Runs:    figure07Runs,
	Collect: sweepMeasurement(modeSweep, nbbnn.ValidationPart, validationSplit, testSplit, mildSplit, severeSplit),
	Draw: func(r *Result) (*viz.Figure, error) {
		return modeSweep.draw(r, nil, validationSplit, testSplit, mildSplit, severeSplit)
	},
	Claims: []Claim{
		{
			Text: "the best γ is smaller for both sides than for either", Source: FromPaper, Levels: true,
			Effects: modeSweep.bestGammaIsLower([]comparison{{"both", "in"}, {"both", "out"}}, severeSplit),
		},
		{
			Text: "out and both have a lower best NLL under corruption than in", Source: FromPaper, Levels: true,
			Effects: modeSweep.bestIsLower([]comparison{{"out", "in"}, {"both", "in"}}, mildSplit, severeSplit),
		},
	},
}

// modeSweep has a curve for each mode.
var modeSweep = sweep{ofMode}

// figure07Runs shares the runs of mode out with Figure06.
func figure07Runs(scale Scale) Setup {
	setup := figure06Runs(scale)
	switch scale {
	case Smoke:
		setup.Methods = gammaGrid([]int{2}, allModes, 0, 4)
	case Desk:
		setup.Methods = gammaGrid([]int{4}, allModes, 0, 12, 20, 40)
	case Paper:
		setup.Methods = gammaGrid([]int{4}, allModes, everyStep(publishedStep, 40)...)
	}
	return setup
}
