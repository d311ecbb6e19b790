package paper

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/estimate"
	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
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
	headline: headline{
		Shows:    "Outputs under noise and under shifts of the input",
		Claimed:  "Wider noise covers more of the shifted inputs",
		Opposite: "Wider noise covers fewer of the shifted inputs",
		Between:  "in what narrow and wide noise cover",
	},
	Runs:    figure01Runs,
	collect: planeMeasurement{},
	draw:    figure01Draw,
	claims: []claim{
		weAsk("high entropy covers more of the shifted inputs",
			contrast(coversMore).averaged("high - low, mean of all lengths")).asPrimary(0),
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
	setup := Setup{Seeds: quantity.FirstSeeds(5), Methods: []Method{M(0.1), M(0.4)}}
	setup.Methods[0].Name, setup.Methods[1].Name = narrowNoise, wideNoise
	setup.Config = nbbnn.Config{
		Network:  nbbnn.Network{Name: planeNetwork},
		Data:     nbbnn.Data{Name: dataset.Pinwheel},
		Training: nbbnn.Training{PosteriorLearningRate: 0.01, NoAugmentation: true},
	}
	if scale == Smoke {
		setup.Seeds = quantity.FirstSeeds(2)
	}
	return setup
}

// figure01Draw draws the first run of each method.
func figure01Draw(r *Result) (*viz.Figure, error) {
	var shifts []viz.PlaneShifts
	for i, method := range r.methodNames() {
		first := r.Runs[i].Plane[0]
		first.Name = method
		shifts = append(shifts, first)
	}
	return viz.ShiftPanels(shifts...)
}

// coversMore compares for each length the share of shifted inputs whose output is in the ellipse.
func coversMore(r *Result) []Effect {
	return pairedEffects("high - low", "points", aboveZero, r.series(wideNoise, RunResult.covered),
		r.series(narrowNoise, RunResult.covered), quantity.Texts(planeLengths,
			func(length float64) string { return fmt.Sprintf("at shifts of %g", length) }))
}

// Numbers of Figure 1.
const (
	planeStarts     = 8    // test points
	planeDraws      = 1000 // of the outputs for each
	planeDirections = 48   // of shifts of each length
	planeSteps      = 64   // of the square in each direction, for the predictions
	planeSamples    = 64   // of the predictions
	shownDraws      = 4096 // of the mean outputs that are drawn
)

// planeLengths are the shifts' lengths, in sides of the square.
var planeLengths = []float64{0.04, 0.08, 0.16}

// newPlane computes from a trained run the outputs for the test points and their shifts. The first
// point is drawn, with the training points and the probabilities over the square. Inputs are
// coordinates of 0 to 1, which bytes keep in 256 steps.
func newPlane(ctx context.Context, s Setup, run Run,
	progress nbbnn.Progress) (starts []viz.PlaneShifts, err error) {
	data, err := dataset.Open(ctx, s.Config.WithDefaults().Data.Images())
	if err != nil {
		return nil, err
	}
	m, err := run.Model(ctx)
	if err != nil {
		return nil, err
	}
	for i := range planeStarts {
		ofMean := meanDraws
		if i == 0 {
			ofMean = shownDraws
		}
		start, err := newPlaneShifts(ctx, m, planePoint(data.Test, i), ofMean, progress)
		if err != nil {
			return nil, err
		}
		starts = append(starts, start)
	}
	first := &starts[0]
	for i, label := range data.Train.Labels {
		first.Points, first.Labels = append(first.Points, planePoint(data.Train, i)),
			append(first.Labels, int(label))
	}
	first.Probability, err = planeProbabilities(ctx, run)
	return starts, err
}

// newPlaneShifts computes the outputs for a test point and its shifts, with ofMean draws for each
// mean.
func newPlaneShifts(ctx context.Context, m *network.Model, point [2]float64, ofMean int,
	progress nbbnn.Progress) (viz.PlaneShifts, error) {
	start := viz.PlaneShifts{Start: point, Lengths: planeLengths}
	points := [][2]float64{point}
	for _, length := range planeLengths {
		for direction := range planeDirections {
			points = append(points, planeShift(point, length, direction))
		}
		start.Circles = append(start.Circles, points[len(points)-planeDirections:])
	}
	images := planeImages(points...)
	settings := implicit.LayerDraws{Draws: planeDraws, Progress: progress}
	draws, err := implicit.LayerOutputs(ctx, m, settings, images.Slice(0, 1))
	if err != nil {
		return start, err
	}
	settings.Draws, settings.Seed = ofMean, 1
	means, err := implicit.MeanLayerOutputs(ctx, m, settings, images)
	if err != nil {
		return start, err
	}
	start.Draws, start.Clean = pairs(draws), pairs(means[:1])[0]
	for i := range planeLengths {
		start.Outputs = append(start.Outputs, pairs(means[1+i*planeDirections:][:planeDirections]))
	}
	return start, nil
}

func planePoint(images dataset.Images, i int) [2]float64 {
	return [2]float64{float64(images.Pixels[3*i]) / 255, float64(images.Pixels[3*i+1]) / 255}
}

// planeShift returns a point that is shifted in one of the directions. Outside of the square it is
// moved to the edge: the picture shows the inputs that the network gets.
func planeShift(start [2]float64, length float64, direction int) [2]float64 {
	sin, cos := math.Sincos(2 * math.Pi * float64(direction) / planeDirections)
	return [2]float64{insideSquare(start[0] + length*cos), insideSquare(start[1] + length*sin)}
}

func insideSquare(coordinate float64) float64 { return max(0, min(1, coordinate)) }

// planeImages returns points as images of one pixel.
func planeImages(points ...[2]float64) dataset.Images {
	images := dataset.Images{Height: 1, Width: 1, Labels: make([]uint8, len(points))}
	for _, point := range points {
		for _, value := range point {
			images.Pixels = append(images.Pixels, uint8(math.Round(255*insideSquare(value))))
		}
		images.Pixels = append(images.Pixels, 0)
	}
	return images
}

// pairs returns the differences of three outputs as points of viz.PlaneShifts.
func pairs(outputs [][]float64) (points [][2]float64) {
	for _, o := range outputs {
		points = append(points, [2]float64{float64(float32((o[0] - o[1]) / math.Sqrt2)),
			float64(float32((2*o[2] - o[0] - o[1]) / math.Sqrt(6)))})
	}
	return points
}

// planeProbabilities predicts the classes over the square.
func planeProbabilities(ctx context.Context, run Run) (rows [][][]float64, err error) {
	var points [][2]float64
	for row := range planeSteps {
		for column := range planeSteps {
			points = append(points, [2]float64{(float64(column) + 0.5) / planeSteps,
				(float64(row) + 0.5) / planeSteps})
		}
	}
	prediction, err := run.PredictImages(ctx, planeImages(points...), planeSamples)
	if err != nil {
		return nil, err
	}
	for i := range points {
		if i%planeSteps == 0 {
			rows = append(rows, nil)
		}
		var probabilities []float64
		draws := npy.Float64s(prediction.Image(i))
		for _, l := range score.MeanPredictive(draws, prediction.Classes) {
			probabilities = append(probabilities, math.Round(1e4*math.Exp(l))/1e4)
		}
		last := len(rows) - 1
		rows[last] = append(rows[last], probabilities)
	}
	return rows, nil
}

// covered returns for each length the percentage of shifts whose output is in the 99 % ellipse of
// the draws, over all starts.
func (r RunResult) covered() []float64 {
	covered := make([]float64, len(planeLengths))
	for _, start := range r.Plane {
		ellipse, err := viz.NewEllipse(start.Draws)
		if err != nil {
			continue // the draws don't vary, and cover nothing
		}
		for i, circle := range start.Outputs {
			for _, output := range circle {
				if ellipse.Inside(output) {
					covered[i] += 100 / float64(len(r.Plane)*len(circle))
				}
			}
		}
	}
	return covered
}

// planeMeasurement computes the clouds of Figure 1.
type planeMeasurement struct{}

func (planeMeasurement) validate(Setup, nbbnn.Config) error { return nil }

func (planeMeasurement) describe(Setup) string {
	return fmt.Sprintf("outputs for %d test points and %d shifts of each", planeStarts,
		planeDirections*len(planeLengths))
}

func (planeMeasurement) operations(s Setup, config nbbnn.Config) float64 {
	passes := planeSteps*planeSteps*planeSamples +
		planeStarts*(planeDraws+meanDraws*(1+planeDirections*len(planeLengths)))
	return 2 * estimate.MultiplyAdds(config) * float64(passes)
}

// planeKept is the place of the numbers.
var planeKept = kept{"clouds", "plane", 2}

func (planeMeasurement) done(_ Setup, run *nbbnn.Run) bool { return planeKept.isKept(run) }

func (planeMeasurement) measure(ctx context.Context, r *Result, run int,
	progress nbbnn.Progress) (err error) {
	measured := &r.Runs[run]
	measured.Plane, err = keptOr(measured.Run.Run, planeKept, func() ([]viz.PlaneShifts, error) {
		return newPlane(ctx, r.Setup, measured.Run, progress)
	})
	return err
}

// numbers has the percentage of shifts that the ellipse covers.
func (planeMeasurement) numbers(r *Result) numbers {
	n := numbers{at: "length"}
	for _, method := range r.methodNames() {
		covered := r.line("% of shifts covered", method,
			strings.Fields(quantity.Spaced(planeLengths)),
			1, r.series(method, RunResult.covered))
		n.lines = append(n.lines, covered)
	}
	return n
}
