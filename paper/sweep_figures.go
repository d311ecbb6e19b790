package paper

import (
	"maps"
	"slices"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// Figure06 is Figure 6 of the paper: VGG16 on CIFAR-100 with noise on the outputs, the negative
// log-likelihood against gamma / K for several numbers of components K, on validation images, test
// images, and test images under mild and severe corruption.
var Figure06 = Figure{
	Number: 6,
	Title:  "More components allow a larger entropy coefficient, which helps under corruption",
	Headline: Headline{
		Shows: "NLL against γ/K by number of components", Claim: "the best γ beats γ = 0 on every split",
		Claimed: "The best γ beats γ = 0", Opposite: "γ = 0 beats the best γ of other seeds",
		Between: "between the best γ and γ = 0", Each: "comparisons",
	},
	Runs:    figure06Runs,
	Collect: sweepMeasurement([]sweep{componentSweep}, nbbnn.ValidationPart, sweepSplits...),
	Draw: func(r *Result) (*viz.Figure, error) {
		return drawSweeps(r, componentSweep.withControls(r), sweepSplits...)
	},
	Claims: []Claim{
		{
			Text: "the best γ beats γ = 0 on every split", Source: FromPaper, Levels: true,
			Effects: componentSweep.bestBeatsZero(sweepSplits...),
		},
		{
			Text: "the best γ is larger under severe corruption", Source: FromPaper, Levels: true,
			Effects: componentSweep.bestGrows(testSplit, severeSplit),
		},
		{
			Text: "K = 4 has a lower best NLL under corruption than K = 1", Source: FromPaper, Levels: true,
			Effects: componentSweep.bestIsLower([]comparison{{"K = 4", "K = 1"}}, mildSplit, severeSplit),
		},
		{
			Text: "the best γ beats γ = 0 on every split in temperature-scaled NLL", Source: Ours, Levels: true, Needs: temperature,
			Effects: componentSweep.in(ScaledNLL).bestBeatsZero(sweepSplits...),
		},
		{
			Text: "the best γ beats γ = 0 on every split in error", Source: Ours, Levels: true,
			Effects: componentSweep.in(Error).bestBeatsZero(sweepSplits...),
		},
		{
			Text: "K = 4 has a lower best temperature-scaled NLL under corruption than K = 1", Source: Ours, Levels: true, Needs: temperature,
			Effects: componentSweep.in(ScaledNLL).bestIsLower([]comparison{{"K = 4", "K = 1"}}, mildSplit, severeSplit),
		},
	},
}

// Figure07 is Figure 7 of the paper: VGG16 on CIFAR-100 with four components, the negative
// log-likelihood against gamma / K for noise on the inputs of the layers, on their outputs, and on
// both.
var Figure07 = Figure{
	Number: 7,
	Title:  "Noise on both sides of a layer needs a smaller entropy coefficient",
	Headline: Headline{
		Shows: "NLL against γ/K by the side of the layers that is noisy", Claim: "out and both have a lower best NLL under corruption than in",
		Claimed: "Noise on the outputs beats noise on the inputs alone", Opposite: "Noise on the inputs alone beats noise on the outputs",
		Between: "between noise on inputs and on outputs", Each: "comparisons",
	},
	Runs:    figure07Runs,
	Collect: sweepMeasurement([]sweep{modeSweep}, nbbnn.ValidationPart, sweepSplits...),
	Draw: func(r *Result) (*viz.Figure, error) {
		return drawSweeps(r, modeSweep.withControls(r), sweepSplits...)
	},
	Claims: append(modeClaims(modeSweep), []Claim{
		{
			Text: "the best γ beats γ = 0 on every split, in every mode", Source: FromPaper, Levels: true,
			Effects: modeSweep.bestBeatsZero(sweepSplits...),
		},
		{
			Text: "the best γ beats γ = 0 in temperature-scaled NLL, in every mode", Source: Ours, Levels: true, Needs: temperature,
			Effects: modeSweep.in(ScaledNLL).bestBeatsZero(sweepSplits...),
		},
		{
			Text: "out and both have a lower best temperature-scaled NLL than in", Source: Ours, Levels: true, Needs: temperature,
			Effects: modeSweep.in(ScaledNLL).bestIsLower([]comparison{{"out", "in"}, {"both", "in"}}, mildSplit, severeSplit),
		},
	}...),
}

// Figures 20 to 24 of the paper are Figures 6 and 7 for every network and data set: each mode with
// each number of components. We assume this order of the networks and data sets, which METHOD.md
// section 6 lists without numbers.
var (
	figure20 = sweepGridFigure(20, "VGG16 on CIFAR-10", nbbnn.PaperVGG16(dataset.CIFAR10))
	figure21 = sweepGridFigure(21, "VGG16 on CIFAR-100", nbbnn.PaperVGG16(dataset.CIFAR100))
	figure22 = sweepGridFigure(22, "ResNet18 on CIFAR-10", nbbnn.PaperResNet18(dataset.CIFAR10))
	figure23 = sweepGridFigure(23, "ResNet18 on CIFAR-100", nbbnn.PaperResNet18(dataset.CIFAR100))
	figure24 = sweepGridFigure(24, "PreActResNet18 on TinyImageNet", nbbnn.PaperPreActResNet18())
)

// sweepSplits are the images on which the sweeps are drawn, from left to right.
var sweepSplits = []split{validationSplit, testSplit, mildSplit, severeSplit}

// The sweeps of Figures 6 and 7: a curve for each number of components, and one for each mode.
var (
	componentSweep = sweep{group: ofComponents, published: figure06Curves}
	modeSweep      = sweep{group: ofMode}
)

// sweepGridFigure returns a figure with a row of panels for each mode and a curve for each number
// of components.
func sweepGridFigure(number int, subject string, published nbbnn.Config) Figure {
	var rows []sweep
	for _, mode := range allModes {
		rows = append(rows, sweep{
			group: ofComponents, title: string(mode), published: figure06Curves,
			only: func(c nbbnn.Config) bool { return c.Posterior.Mode == mode },
		})
	}
	overRows := func(effects func(sweep) func(*Result) []Effect) func(*Result) []Effect {
		return func(r *Result) (all []Effect) {
			for _, row := range rows {
				all = append(all, effects(row)(r)...)
			}
			return all
		}
	}
	four := sweep{group: ofMode, title: "K = 4", only: func(c nbbnn.Config) bool { return c.Posterior.Components == 4 }}
	return Figure{
		Number: number,
		Title:  "In every mode a suitable entropy coefficient beats none under corruption: " + subject,
		Headline: Headline{
			Shows: "NLL against γ/K in every mode", Subject: true, Claim: "the best γ beats γ = 0 on every split, in every mode",
			Claimed: "The best γ beats γ = 0", Opposite: "γ = 0 beats the best γ of other seeds",
			Between: "between the best γ and γ = 0", Each: "comparisons",
		},
		Runs:    func(scale Scale) Setup { return sweepGridRuns(scale, published) },
		Collect: sweepMeasurement(rows, nbbnn.ValidationPart, sweepSplits...),
		Draw: func(r *Result) (*viz.Figure, error) {
			return drawSweeps(r, rows, sweepSplits...)
		},
		Claims: slices.Concat([]Claim{
			{
				Text: "the best γ beats γ = 0 on every split, in every mode", Source: FromPaper, Levels: true,
				Effects: overRows(func(s sweep) func(*Result) []Effect { return s.bestBeatsZero(sweepSplits...) }),
			},
			{
				Text: "the best γ is larger under severe corruption, in every mode", Source: FromPaper, Levels: true,
				Effects: overRows(func(s sweep) func(*Result) []Effect { return s.bestGrows(testSplit, severeSplit) }),
			},
			{
				Text: "K = 4 has a lower best NLL under corruption than K = 1", Source: FromPaper, Levels: true,
				Effects: overRows(func(s sweep) func(*Result) []Effect {
					return s.bestIsLower([]comparison{{"K = 4", "K = 1"}}, mildSplit, severeSplit)
				}),
			},
		}, modeClaims(four)),
	}
}

// modeClaims are the paper's claims about a sweep with a curve for each mode.
func modeClaims(s sweep) []Claim {
	return []Claim{
		{
			Text: "the best γ is smaller for both sides than for either", Source: FromPaper, Levels: true,
			Effects: s.bestGammaIsLower([]comparison{{"both", "in"}, {"both", "out"}}, severeSplit),
		},
		{
			Text: "out and both have a lower best NLL under corruption than in", Source: FromPaper, Levels: true,
			Effects: s.bestIsLower([]comparison{{"out", "in"}, {"both", "in"}}, mildSplit, severeSplit),
		},
	}
}

// sweepRuns holds out validation images at every scale, and leaves the methods to the figure.
func sweepRuns(scale Scale, published nbbnn.Config) Setup {
	published.Data.Validation = 5000
	switch scale {
	case Smoke:
		config := smokeConfig(published)
		config.Data.Validation = 50
		return Setup{Config: config, Seeds: FirstSeeds(1), Evaluation: nbbnn.Evaluation{Suite: "first8", Samples: 4, Images: 32}}
	case Desk:
		return Setup{Config: deskConfig(published), Seeds: FirstSeeds(3), Evaluation: deskEvaluation()}
	case Paper:
		return Setup{Config: published, Seeds: FirstSeeds(5), Evaluation: nbbnn.Evaluation{Suite: "all19", Samples: 32}}
	}
	return Setup{}
}

// sweepMethods returns the grid of a scale for some modes: all numbers of components, or only the
// largest. The desk scale has the least grid on which the claims can be asked (METHOD.md section
// 6).
func sweepMethods(scale Scale, modes []nbbnn.Mode, onlyLargest bool) (methods []Method) {
	grid := map[Scale]map[int][]float64{
		Smoke: {1: {0, 4}, 2: {0, 4}},
		Desk:  {1: {0, 12, 20, 40}, 4: {0, 12, 20, 40}},
		Paper: {1: everyStep(publishedStep, 80), 2: everyStep(publishedStep, 60), 4: everyStep(publishedStep, 40)},
	}[scale]
	components := slices.Sorted(maps.Keys(grid))
	if onlyLargest && len(components) > 0 {
		components = components[len(components)-1:]
	}
	for _, k := range components {
		methods = append(methods, gammaGrid([]int{k}, modes, grid[k]...)...)
	}
	return methods
}

func figure06Runs(scale Scale) Setup {
	setup := sweepRuns(scale, nbbnn.PaperVGG16(dataset.CIFAR100))
	setup.Methods = sweepMethods(scale, outputs, false)
	return setup
}

// figure07Runs shares the runs of mode out with Figure06.
func figure07Runs(scale Scale) Setup {
	setup := sweepRuns(scale, nbbnn.PaperVGG16(dataset.CIFAR100))
	setup.Methods = sweepMethods(scale, allModes, true)
	return setup
}

// sweepGridRuns shares the runs of VGG16 on CIFAR-100 with Figures 6 and 7.
func sweepGridRuns(scale Scale, published nbbnn.Config) Setup {
	setup := sweepRuns(scale, published)
	setup.Methods = sweepMethods(scale, allModes, false)
	return setup
}
