package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// gapLaw asks when noise on the nodes helps: what it wins under corruption, against the gap of the
// network without it, which follows from the network and the number of training images.
var gapLaw = Figure{
	Key:   "gap",
	Title: "What noise on the nodes wins under corruption, against the gap of the network without it",
	Headline: Headline{
		Shows:   "NLL under corruption that noise wins, against the gap of MAP",
		Claimed: "Noise wins more under corruption, the larger the gap of MAP", Opposite: "Noise wins less under corruption, the larger the gap of MAP",
		Between: "between large and small gaps in the NLL that noise wins",
		Names:   "The gap is the validation NLL minus the training NLL",
	},
	Runs:    gapRuns,
	Collect: gapMeasurement{tests{parts: []nbbnn.Part{nbbnn.ValidationPart}}},
	Draw:    drawGap,
	Claims: []Claim{
		gapClaim("γ = 16 lowers the NLL under corruption by more, the larger the gap of MAP", NLL, gapSlopes).asPrimary(0),
		gapClaim("γ = 16 lowers the NLL under corruption where the gap is smallest", NLL, atLeastGap),
		gapClaim("there is a gap, above zero, below which γ = 16 wins nothing", NLL, gapWithoutWin),
		gapClaim("γ = 16 lowers the NLL by more in each network, the larger its gap", NLL, gapSlopesOfNetworks),
		gapClaim("γ = 16 lowers the scaled NLL by more, the larger the gap of MAP", ScaledNLL, gapSlopes),
		gapClaim("γ = 16 lowers the error by more, the larger the gap of MAP", Error, gapSlopes),
	},
}

// gapGamma is the gamma of the claims and of the picture. Validation images choose it, too.
const gapGamma = 16

// gapNetworks are changes of the network of the scale, a ResNet18 of an eighth of its width.
var gapNetworks = []struct {
	name   string
	change func(*nbbnn.Network)
}{
	{"ResNet18", func(*nbbnn.Network) {}},
	{"wide ResNet18", func(n *nbbnn.Network) { n.Width *= 2 }},
	{"All-CNN-C", func(n *nbbnn.Network) { // without normalisation, in the form for narrow networks
		*n = nbbnn.Network{Name: "allcnnc", Width: 3 * n.Width, Precision: n.Precision}
	}},
}

// gapRuns has a row for each network and number of images, in the regime of the quick scale, or of Demo. Epochs
// and batch are the same for every number N of images, because the pull of the entropy, learning
// rate × steps × (1 + gamma) / N, is then the same: it's rate × epochs × (1 + gamma) / batch
// (METHOD.md 4.3). With equal steps instead, the rate would have to grow with N, and the largest N
// would be seen once.
func gapRuns(scale Scale) Setup {
	networks, factors, gammas := gapNetworks, []float64{0.5, 1, 2, 5, 10}, []float64{0, 4, gapGamma, 64}
	setup := sweepRuns(Quick, nbbnn.PaperResNet18(dataset.CIFAR10))
	switch scale {
	case Smoke:
		setup = demoRuns(scale)
		setup.Config.Data.Validation, setup.Seeds, setup.Methods = 50, FirstSeeds(1), nil
		networks, factors, gammas = networks[:1], factors[:2], []float64{0, gapGamma}
	case Quick:
		networks, factors = networks[:1], factors[:3] // half an hour, most of it shared with Figure 6
	case Desk:
		setup.Seeds = FirstSeeds(3)
	default:
		return Setup{}
	}
	methods := append([]Method{ordinary}, withGammas(1, gammas...)...)
	for _, network := range networks {
		for _, factor := range factors {
			for _, method := range methods {
				row := fmt.Sprintf("%s, images × %g", network.name, factor)
				setup.Methods = append(setup.Methods, method.inRow(row, func(c *nbbnn.Config) {
					network.change(&c.Network)
					onImages(c, factor)
				}))
			}
		}
	}
	return setup
}

// onImages changes a configuration to a multiple of the training images, at most all of them.
func onImages(config *nbbnn.Config, factor float64) {
	whole := config.Data
	whole.Train = 0
	images := int(factor*float64(config.Data.Train-config.Data.Validation)) + config.Data.Validation
	config.Data.Train = min(images, whole.Images().Size().Train)
}

// gapPoint is one network with one number of images. Its numbers are of each seed.
type gapPoint struct {
	row  string
	gap  []float64 // validation NLL minus training NLL of MAP, nats: clean test images share the chance of their choice with corrupted ones
	wins []float64 // a metric of the noisy network minus MAP's, mean of levels 1 to 5
}

// gapPoints returns the points of all networks.
func gapPoints(r *Result, metric string) (points []gapPoint) {
	for _, name := range r.rows() {
		row := r.row(name)
		wins := lower(metric, underCorruption, gammaName(gapGamma), mapName)(row)
		points = append(points, gapPoint{name, gapsOf(row.of(mapName), RunResult.validation), wins[0].Differences})
	}
	return points
}

// ofNetwork returns the points of a network.
func ofNetwork(points []gapPoint, network string) []gapPoint {
	return slices.DeleteFunc(slices.Clone(points), func(p gapPoint) bool { return !strings.HasPrefix(p.row, network+",") })
}

// gapLines returns each seed's least-squares line through the points: its value at a gap of zero,
// and its slope.
func gapLines(points []gapPoint) (zero, slope []float64) {
	for seed := range points[0].gap {
		x, y := make([]float64, len(points)), make([]float64, len(points))
		for i, p := range points {
			x[i], y[i] = p.gap[seed], p.wins[seed]
		}
		a, b := stat.LinearRegression(x, y, nil, false)
		zero, slope = append(zero, a), append(slope, b)
	}
	return zero, slope
}

// gapClaim compares the noise of gapGamma with none in a metric under corruption.
func gapClaim(text, metric string, effects func(points []gapPoint, unit string) []Effect) Claim {
	return weAsk(text, func(r *Result) []Effect {
		return effects(gapPoints(r, metric), unitOf(metricOf(metric)))
	}).needing(metric).of(mapName, gammaName(gapGamma))
}

// winsOfNoise begins the names of the effects.
var winsOfNoise = gammaName(gapGamma) + " - MAP, mean of levels 1 to 5, "

// gapSlopesOfNetworks is gapSlopes within each network, if there are several.
func gapSlopesOfNetworks(points []gapPoint, unit string) (effects []Effect) {
	for _, network := range gapNetworks {
		for _, e := range gapSlopes(ofNetwork(points, network.name), unit) {
			e.Name += " of " + network.name
			effects = append(effects, e)
		}
	}
	if len(effects) < 2 {
		return nil
	}
	return effects
}

// gapSlopes is the slope of what noise wins over all points.
func gapSlopes(points []gapPoint, unit string) []Effect {
	if len(points) < 2 {
		return nil
	}
	_, slope := gapLines(points)
	return []Effect{newEffect(winsOfNoise+"slope against the gap", unit+" a nat", belowZero, slope)}
}

// atLeastGap is what noise wins at the point with the smallest gap, in the mean over the seeds.
func atLeastGap(points []gapPoint, unit string) []Effect {
	least := slices.MinFunc(points, func(a, b gapPoint) int { return cmp.Compare(score.Summarise(a.gap).Mean, score.Summarise(b.gap).Mean) })
	return []Effect{newEffect(winsOfNoise+least.row, unit, belowZero, least.wins)}
}

// gapWithoutWin is the gap at which the line of each seed says that noise wins nothing.
func gapWithoutWin(points []gapPoint, _ string) []Effect {
	if len(points) < 2 {
		return nil
	}
	zero, slope := gapLines(points)
	for seed := range zero {
		if zero[seed] /= -slope[seed]; math.IsInf(zero[seed], 0) {
			zero[seed] = math.NaN() // a level line crosses nowhere
		}
	}
	return []Effect{newEffect(fmt.Sprintf("gap at which %s - MAP is zero", gammaName(gapGamma)), "nats", aboveZero, zero)}
}

// GapText says what noise can win in a network whose validation NLL is above its training NLL by a
// gap, nats. Its threshold lies in the interval that figure gap has found.
func GapText(nats float64) string {
	if nats < comparableGap {
		return fmt.Sprintf("gap %.2f nats from training to validation images: noise on the nodes, or more of it, has little to win here", nats)
	}
	return fmt.Sprintf("gap %.2f nats from training to validation images: noise on the nodes, or more of it (--gamma 16), may lower the NLL", nats)
}

// gapMeasurement tests each run as tests does. Its numbers are of a run: what the gap of its
// training is, what it scores and how wide its noise is.
type gapMeasurement struct{ tests }

// gapColumns are the numbers of a run.
var gapColumns = []string{"gap", "validation NLL", "clean NLL", "NLL, levels 1 to 5", "σ"}

// gapNumbers returns the values of gapColumns.
func gapNumbers(run RunResult) []float64 {
	numbers := gapsOf([]RunResult{run}, RunResult.validation)
	for _, on := range []split{validationSplit, testSplit, corruptedSplit} {
		numbers = append(numbers, on.of(metricOf(NLL), run))
	}
	return append(numbers, run.sigma())
}

// sigma is the geometric mean of the trained standard deviations, which the entropy of one
// component gives; 0 without latents.
func (r RunResult) sigma() float64 {
	config := r.Config().WithDefaults()
	latents := config.Latents(dataSize(config).Classes)
	if latents == 0 {
		return 0
	}
	return math.Exp(r.LastEpoch().Entropy/float64(latents) - unitEntropy)
}

// numbers has a line for each network, number of images and method.
func (gapMeasurement) numbers(r *Result) (n numbers) {
	for _, name := range r.rows() {
		row := r.row(name)
		for _, method := range row.methodNames() {
			data := row.of(method)[0].Config().Data
			network, _, _ := strings.Cut(name, ",")
			what := fmt.Sprintf("%s, %s", network, counted(data.Train-data.Validation, "image"))
			n.lines = append(n.lines, row.line(what, method, gapColumns, 3, row.series(method, gapNumbers)))
		}
	}
	return n
}

// drawGap draws what noise wins against the gap, a point for each seed and number of images, and the
// mean of the seeds' lines with its 95 % interval, extrapolated from the least gap measured to none.
// The slope and the crossing decide, each with an interval of its own.
func drawGap(r *Result) (*viz.Figure, error) {
	points, least, largest := gapPoints(r, NLL), math.Inf(1), 0.0
	var lines []viz.Line
	for _, network := range gapNetworks {
		line := viz.Line{Name: network.name, Points: true}
		for _, p := range ofNetwork(points, network.name) {
			line.X, line.Y = append(line.X, p.gap...), append(line.Y, p.wins...)
		}
		if len(line.X) > 0 {
			stat.SortWeighted(line.X, line.Y)
			lines, least, largest = append(lines, line), min(least, line.X[0]), max(largest, slices.Max(line.X))
		}
	}
	measured, before := meanGapLine(points, least, largest), meanGapLine(points, 0, least)
	before.Name, before.Dashed, before.Half = "extrapolated to smaller gaps", true, nil
	title := gammaName(gapGamma) + ", levels 1 to 5"
	if measured.Half != nil {
		title += "; band: 95 % interval of the line"
	}
	lines = append(lines, before, measured, viz.Line{Name: mapName, X: []float64{0, largest}, Y: []float64{0, 0}})
	figure, err := viz.Lines("gap of MAP (nats)", "NLL − that of MAP (nats)", lines)
	if err != nil {
		return nil, err
	}
	return figure.Titled(title), nil
}

// meanGapLine is the mean of gapLines between two gaps, with half of its interval if there are seeds
// enough for one.
func meanGapLine(points []gapPoint, from, to float64) viz.Line {
	line, places := viz.Line{Name: "mean of seeds", Colour: "#0067a8"}, floats.Span(make([]float64, 41), from, to)
	zero, slope := gapLines(points)
	if len(zero) == 1 {
		line.Name = "one seed"
	}
	for _, gap := range places {
		values := slices.Clone(zero)
		floats.AddScaled(values, gap, slope)
		e := newEffect("", "", belowZero, values)
		line.X, line.Y = append(line.X, gap), append(line.Y, e.Mean)
		if e.Interval != nil {
			line.Half = append(line.Half, e.Interval[1]-e.Mean)
		}
	}
	return line
}
