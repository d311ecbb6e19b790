package paper

import (
	"maps"
	"slices"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// figure06 is Figure 6 of the paper: VGG16 on CIFAR-100 with noise on the outputs, the negative
// log-likelihood against gamma / K for several numbers of components K, on validation images, test
// images, and test images under mild and severe corruption.
var figure06 = Figure{
	Number:   6,
	Title:    "More components allow a larger entropy coefficient, which helps under corruption",
	headline: entropyHeadline("NLL against γ/K by number of components"),
	Runs:     gridRuns(nbbnn.Paper("vgg16", dataset.CIFAR100), outputs, false),
	collect:  sweepTests(componentSweep),
	draw:     componentSweep.draw,
	whole:    drawSweeps(componentSweep.withControls),
	claims:   figure06Claims,
}

func entropyHeadline(shows string) headline {
	return headline{
		Shows: shows, Claimed: "Entropy lowers the NLL under severe corruption",
		Opposite: "Entropy raises the NLL under severe corruption",
		Between:  "in NLL under severe corruption between γ chosen on validation images and γ = 0",
	}
}

// chosenHelps is the primary claim of the sweeps.
const chosenHelps = "γ chosen on validation images lowers the NLL under severe corruption"

// chosenBeatsTemperature compares the two cures of a network that is too sure. It was asked after
// the runs.
const chosenBeatsTemperature = "γ chosen on validation images has a lower NLL under severe " +
	"corruption than one temperature"

// chosenContrast names its effect, the mean over the curves.
const chosenContrast = "severe, γ chosen on validation images - γ 0"

// chosenFamily returns the same effect in any metric.
func chosenFamily(metric string, clean bool) contrast {
	images := severeSplit
	if clean {
		images = testSplit
	}
	return componentSweep.in(metric).chosen(images).averaged(chosenContrast)
}

// alikeMargin is the difference in NLL, nats, up to which two optima on clean images are alike. The
// paper's differ by 0.016.
const alikeMargin = 0.03

// componentPairs compares the largest number of components with a single one.
var componentPairs = []comparison{{"K = 4", "K = 1"}}

// figure06Claims are the claims about gamma (entropy helps, its cost, neither is only a
// temperature) and about the number of components.
var figure06Claims = []claim{
	paperSays(chosenHelps, componentSweep.chosen(severeSplit).averaged(chosenContrast)).asPrimary(
		-1.05).beside(chosenFamily),
	paperSays(chosenHelps+", for each K", componentSweep.chosen(severeSplit)),
	paperSays("the best γ beats γ = 0 on every split", componentSweep.best()),
	paperSays("beyond the best γ of clean images, entropy helps under severe corruption",
		componentSweep.beyondBest(severeSplit)),
	paperSays("beyond the best γ of clean images, entropy costs on clean images",
		componentSweep.beyondBest(testSplit).claimed(aboveZero, 0)),
	weAsk("γ chosen on validation images lowers the scaled NLL under severe corruption",
		componentSweep.in(ScaledNLL).chosen(severeSplit).averaged(chosenContrast)).needing(
		ScaledNLL),
	weAsk(chosenBeatsTemperature, componentSweep.chosenAgainstTemperature(severeSplit).averaged(
		"severe, γ chosen on validation images - γ 0 with one temperature")).needing(
		ScaledNLL).exploratory(),
	weAsk(chosenBeatsTemperature+", for each K",
		componentSweep.chosenAgainstTemperature(severeSplit)).needing(ScaledNLL).exploratory(),
	weAsk("γ chosen on validation images adds robustness: with one temperature each it loses less "+
		"from clean to severe images", chosenFamily(ScaledNLL, false).minus("severe - clean, "+
		"γ chosen on validation images - γ 0", chosenFamily(ScaledNLL, true))).needing(
		ScaledNLL).exploratory(),
	weAsk("γ chosen on validation images lowers the error under severe corruption",
		componentSweep.in(Error).chosen(severeSplit).averaged(chosenContrast)),
	weAsk("γ chosen on validation images lowers the NLL under every family of severe corruption",
		componentSweep.chosenInFamilies()),
	paperSays("the best γ grows with the number of components",
		componentSweep.bestGammaDiffers(true, componentPairs, testSplit)),
	paperSays("K = 4 has a lower best NLL under corruption than K = 1",
		componentSweep.bestIsLower(componentPairs, mildSplit, severeSplit)).exploratory(),
	paperSays("the best NLL on clean images is alike for all K",
		componentSweep.bestIsLower(componentPairs, testSplit).claimed(nearZero, alikeMargin)),
}

// figure07 is Figure 7 of the paper: VGG16 on CIFAR-100 with four components, the negative
// log-likelihood against gamma / K for noise on the inputs of the layers, on their outputs, and on
// both.
var figure07 = Figure{
	Number: 7,
	Title:  "Noise on both sides of a layer needs a smaller entropy coefficient",
	headline: headline{
		Shows:    "NLL against γ/K by the side of the layers that is noisy",
		Claimed:  "Noise on the outputs beats noise on the inputs alone",
		Opposite: "Noise on the inputs alone beats noise on the outputs",
		Between:  "between noise on inputs and on outputs",
	},
	Runs:    gridRuns(nbbnn.Paper("vgg16", dataset.CIFAR100), allModes, true),
	collect: sweepTests(modeSweep),
	draw:    modeSweep.draw,
	whole:   drawSweeps(modeSweep.withControls),
	claims:  figure07Claims,
}

// figure07Claims begin with the primary one.
var figure07Claims = []claim{
	modeClaims(modeSweep)[0].asPrimary(0),
	modeClaims(modeSweep)[1],
	paperSays("the best γ beats γ = 0 on every split, in every mode", modeSweep.best()),
	weAsk("out and both have a lower best scaled NLL under severe corruption than in",
		modeSweep.in(ScaledNLL).bestIsLower(inputPairs, severeSplit)).needing(ScaledNLL),
}

// inputPairs compares the modes with noise on the outputs with that without.
var inputPairs = []comparison{{"out", "in"}, {"both", "in"}}

// Figures 20 to 24 of the paper are Figures 6 and 7 for every network and data set: each mode with
// each number of components.
var (
	figure20 = sweepGridFigure(20, "VGG16 on CIFAR-10", nbbnn.Paper("vgg16", dataset.CIFAR10))
	figure21 = sweepGridFigure(21, "VGG16 on CIFAR-100", nbbnn.Paper("vgg16", dataset.CIFAR100))
	figure22 = sweepGridFigure(22, "ResNet18 on CIFAR-10", nbbnn.Paper("resnet18", dataset.CIFAR10))
	figure23 = sweepGridFigure(23, "ResNet18 on CIFAR-100",
		nbbnn.Paper("resnet18", dataset.CIFAR100))
	figure24 = sweepGridFigure(24, "PreActResNet18 on TinyImageNet",
		nbbnn.Paper("preactresnet18", dataset.TinyImageNet))
)

// sweepSplits are the images on which the sweeps are drawn, from left to right.
var sweepSplits = []split{validationSplit, testSplit, mildSplit, severeSplit}

// The sweeps of Figures 6 and 7: a curve for each number of components, and one for each mode.
var (
	componentSweep = sweep{group: ofComponents, published: published.Figure6}
	modeSweep      = sweep{group: ofMode}
)

// sweepTests measures sweeps on images that are held out, and under corruption.
func sweepTests(sweeps ...sweep) tests {
	return tests{sweeps: sweeps, parts: []nbbnn.Part{nbbnn.ValidationPart}, splits: sweepSplits}
}

// modeRows returns the sweeps of Figures 20 to 24, one for each mode.
func modeRows() (rows []sweep) {
	for _, mode := range allModes {
		rows = append(rows, sweep{
			group: ofComponents, title: string(mode), published: published.Figure6,
			only: func(c nbbnn.Config) bool { return c.Posterior.Mode == mode },
		})
	}
	return rows
}

// inEveryMode returns the effects of all modes.
func inEveryMode(of func(sweep) contrast) contrast {
	var modes []contrast
	for _, row := range modeRows() {
		modes = append(modes, of(row))
	}
	return together(modes...)
}

// sweepGridFigure returns a figure with a row of panels for each mode and a curve for each number
// of components.
func sweepGridFigure(number int, subject string, published nbbnn.Config) Figure {
	headline := entropyHeadline("NLL against γ/K in every mode")
	headline.Subject = true
	return Figure{
		Number: number,
		Title: "In every mode a suitable entropy coefficient beats none under corruption: " +
			subject,
		headline: headline,
		Runs:     gridRuns(published, allModes, false),
		collect:  sweepTests(modeRows()...),
		draw:     drawSweeps(func(*Result) []sweep { return modeRows() }),
		claims:   gridClaims,
	}
}

// gridClaims belong to Figures 20 to 24.
var gridClaims = append([]claim{
	paperSays(chosenHelps+", in every mode", inEveryMode(func(s sweep) contrast {
		return s.chosen(severeSplit)
	}).averaged(chosenContrast)).asPrimary(0),
	paperSays("the best γ beats γ = 0 on every split, in every mode", inEveryMode(sweep.best)),
	paperSays("beyond the best γ of clean images, entropy helps under severe corruption, in "+
		"every mode",
		inEveryMode(func(s sweep) contrast { return s.beyondBest(severeSplit) })),
	paperSays("K = 4 has a lower best NLL under corruption than K = 1",
		inEveryMode(func(s sweep) contrast {
			return s.bestIsLower(componentPairs, mildSplit, severeSplit)
		})).exploratory(),
}, modeClaims(sweep{group: ofMode, title: "K = 4", only: func(c nbbnn.Config) bool {
	return c.Posterior.Components == 4
}})...)

// modeClaims returns the paper's claims about a sweep with a curve for each mode.
func modeClaims(s sweep) []claim {
	return []claim{
		paperSays("out and both have a lower best NLL under severe corruption than in",
			s.bestIsLower(inputPairs, severeSplit).averaged(
				"best NLL, mean of out and both - in, severe")).exploratory(),
		paperSays("the best γ is smaller for both sides than for either",
			s.bestGammaDiffers(false, []comparison{{"both", "in"}, {"both", "out"}}, severeSplit)),
	}
}

// sweepRuns holds out validation images at every scale, and leaves the methods to the figure. Below
// the paper's scale all sweeps have one network and data set, ResNet18 on CIFAR-10, so they share
// their runs.
func sweepRuns(scale Scale, published nbbnn.Config) Setup {
	published.Data.Validation = 5000
	setup := Setup{Config: published, Seeds: quantity.FirstSeeds(5)}
	switch scale {
	case Smoke:
		setup.Config, setup.Seeds = smokeConfig(published), quantity.FirstSeeds(1)
		setup.Config.Data.Validation = 50
		setup.Evaluation = nbbnn.Evaluation{Suite: "first8", Samples: 4, Images: 32}
	case Quick:
		setup.Config, setup.Evaluation, setup.OwnImages = quickConfig(published), quickEvaluation(),
			true
	case Desk:
		setup.Config, setup.Evaluation, setup.OwnImages = deskConfig(published), deskEvaluation(),
			true
	case Paper:
		setup.Evaluation = nbbnn.Evaluation{Suite: "all19", Samples: 32}
	}
	return setup
}

// sweepMethods returns the grid of a scale for some modes: all numbers of components, or only the
// largest. Below the paper's scale it is the least grid on which the claims can be asked: geometric
// in gamma, around the best.
func sweepMethods(scale Scale, modes []nbbnn.Mode, onlyLargest bool) (methods []Method) {
	grid := map[Scale]map[int][]float64{
		Smoke: {1: {0, 4}, 2: {0, 4}},
		Quick: {1: {0, 8, 16, 32, 64}, 4: {0, 4, 8, 16, 32}},
		Desk:  {1: {0, 8, 16, 32, 64}, 4: {0, 4, 8, 16, 32}},
		Paper: {1: everyStep(80), 2: everyStep(60), 4: everyStep(40)},
	}[scale]
	components := slices.Sorted(maps.Keys(grid))
	if onlyLargest && len(components) > 0 {
		components = components[len(components)-1:]
	}
	for _, k := range components {
		methods = append(methods, gammaGrid(k, modes, grid[k]...)...)
	}
	return methods
}

// gridRuns returns the runs of a network and data set on the grid of a scale. Figures 6 and 7 are
// parts of Figure 21, and share their runs of mode out with the most components.
func gridRuns(published nbbnn.Config, modes []nbbnn.Mode, onlyLargest bool) func(Scale) Setup {
	return func(scale Scale) Setup {
		setup := sweepRuns(scale, published)
		setup.Methods = sweepMethods(scale, modes, onlyLargest)
		return setup
	}
}

// drawSweeps returns a row of panels for each sweep, a panel for each split, with one legend for
// all. The panels of one metric and split have the same vertical range, so that the sweeps can be
// compared.
func drawSweeps(of func(*Result) []sweep) func(*Result) (*viz.Figure, error) {
	return func(r *Result) (*viz.Figure, error) {
		var b board
		alike := map[string][]*viz.Figure{} // by metric and split
		for _, s := range of(r) {
			b.row()
			for _, on := range sweepSplits {
				panel, err := s.panel(r, on)
				if err != nil {
					return nil, err
				}
				b.add(panel, nil)
				alike[s.metric+on.name] = append(alike[s.metric+on.name], panel)
			}
		}
		for _, panels := range alike {
			shareRange(panels...)
		}
		return b.arranged(viz.SharedGrid)
	}
}

// draw draws the NLL of clean and of severely corrupted images, and under severe corruption the
// controls. All likelihoods have one vertical range.
func (s sweep) draw(r *Result) (*viz.Figure, error) {
	b := board{rows: [][]*viz.Figure{nil}}
	b.add(s.panel(r, testSplit))
	for i, row := range s.withControls(r) {
		if i == 1 {
			b.row()
		}
		b.add(row.panel(r, severeSplit))
	}
	if panels := slices.Concat(b.rows...); b.err == nil {
		shareRange(panels[:len(panels)-1]...)
	}
	return b.arranged(viz.SharedGrid)
}

// panel draws the sweep on one split.
func (s sweep) panel(r *Result, on split) (*viz.Figure, error) {
	panel, err := viz.GammaCurves(metricOf(s.metric).Name, s.drawn(r, on))
	if err != nil {
		return nil, err
	}
	return panel.Titled(s.named(on.name)), nil
}

// drawn returns the curves of the sweep on one split as pictures take them.
func (s sweep) drawn(r *Result, on split) (drawn []viz.Series) {
	for _, c := range s.curves(r, on) {
		curve := c.drawn(c.group, r.classes())
		curve.Paper = publishedAt(s.paper(c)[on.name], c.gamma)
		drawn = append(drawn, curve)
	}
	return drawn
}

// publishedAt returns the paper's curve at our gammas; nil if one of them wasn't published.
func publishedAt(theirs sweepCurve, gammas []float64) (nll []float64) {
	for _, gamma := range gammas {
		place := slices.Index(theirs.gamma, gamma)
		if place < 0 {
			return nil
		}
		nll = append(nll, theirs.values[place][0])
	}
	return nll
}
