package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// noiseFree is a network without noise, whose logits an implicit corruption brings to a draw's.
type noiseFree struct {
	name    string
	latents network.Latents // "" for the mean of the logits over draws
}

// noiseFrees are the networks without noise of the paper's text, which the verdicts use, of the
// authors' talk, and of implicit.Settings by default.
var (
	expected   = noiseFree{"E[f]", ""}
	ones       = noiseFree{"Z = 1", network.OneLatents}
	meanZ      = noiseFree{"mean Z", network.MeanLatents}
	noiseFrees = []noiseFree{expected, ones, meanZ}
)

// settings returns the search of a set-up with the network.
func (n noiseFree) settings(s Setup) implicit.Settings {
	if n.latents != "" {
		s.Implicit.Expected, s.Implicit.Latents = 0, n.latents
	}
	return s.Implicit
}

// changes returns the corruptions of a run that were found with the network.
func (n noiseFree) changes(r RunResult) []implicit.Corruption { return r.Implicit[n.name] }

// implicitMeasurement searches the implicit corruptions of each run, with each network without
// noise.
type implicitMeasurement struct{}

func (implicitMeasurement) validate(s Setup, config nbbnn.Config) error {
	settings := s.Implicit.WithDefaults(config.Posterior.Components)
	if err := checkImages(config, settings.First, settings.Images); err != nil {
		return err
	}
	return settings.Validate(config.Posterior.Components)
}

// describe returns "implicit corruptions of 1 image, 2 draws, λ 0.03 0.1 0.3, E[f] over 64 draws".
func (implicitMeasurement) describe(s Setup) string {
	settings := s.filledImplicit()
	text := fmt.Sprintf("implicit corruptions of %s, %s, λ %s", counted(settings.Images, "image"),
		counted(settings.Draws, "draw"), quantity.Spaced(settings.Lambda))
	if settings.Expected > 0 {
		text += fmt.Sprintf(", %s over %s", expected.name, counted(settings.Expected, "draw"))
	}
	return text
}

func (implicitMeasurement) operations(s Setup, config nbbnn.Config) (operations float64) {
	for _, n := range noiseFrees {
		operations += implicitOperations(config,
			n.settings(s).WithDefaults(config.Posterior.Components))
	}
	return operations
}

func (implicitMeasurement) done(s Setup, run *nbbnn.Run) bool {
	return !slices.ContainsFunc(noiseFrees, func(n noiseFree) bool {
		return !run.HasImplicitCorruptions(n.settings(s))
	})
}

func (implicitMeasurement) measure(ctx context.Context, r *Result, run int,
	progress nbbnn.Progress) (err error) {
	measured := &r.Runs[run]
	measured.Implicit = map[string][]implicit.Corruption{}
	for _, n := range noiseFrees {
		if measured.Implicit[n.name], err = measured.ImplicitCorruptions(ctx, n.settings(r.Setup),
			progress); err != nil {
			return err
		}
	}
	return nil
}

// measuresGradients reports whether the searches measured the gradients at their ends. Descent
// doesn't: its gradients are 0 on file.
func measuresGradients(r *Result) bool {
	return r.Setup.filledImplicit().Method != implicit.Descent
}

// smallGradient is the size of the gradient at a minimiser, of that without a change, up to
// rounding and to how closely a search looks at the kinks around it.
const smallGradient = 1e-3

// numbers has for each lambda the root mean square of the change in pixels of 0 to 1, with each
// network without noise, its norm in the space of the search and the distance of the logits from
// their target, means over images and draws. The CSV file has a row for each search, with the
// relative norms of the gradient at the change and of the shortest mean of nearby gradients.
func (implicitMeasurement) numbers(r *Result) numbers {
	lambdas := strings.Fields(quantity.Spaced(r.Setup.filledImplicit().Lambda))
	n := numbers{at: "λ",
		rows: [][]string{
			strings.Split(
				"method,noise_free,seed,image,draw,lambda,rms,norm,distance,steps,gradient,subgradient", ",")}}
	add := func(measure, ending string, changes func(RunResult) []implicit.Corruption,
		value func(implicit.Corruption) float64) {
		for _, method := range r.methodNames() {
			l := r.line(measure, method, lambdas, 4, ofLambda(r, method, changes, value))
			l.Curve += ending
			n.lines = append(n.lines, l)
		}
	}
	const size = "rms change"
	for _, of := range noiseFrees {
		add(size, ", "+of.name, of.changes, implicit.Corruption.RMS)
	}
	if r.Runs[0].Stopped != nil {
		add(size, ", stopped", stopped, implicit.Corruption.RMS)
	}
	if published := publishedSizes(r); published != nil {
		n.lines = append(n.lines, line{What: size, At: lambdas, Paper: published, decimals: 3})
	}
	add("norm", "", expected.changes, func(c implicit.Corruption) float64 { return c.Norm })
	add("distance", "", expected.changes, implicit.Corruption.Distance)
	for _, run := range r.Runs {
		for _, of := range noiseFrees {
			for _, c := range of.changes(run) {
				n.rows = append(n.rows, csvRow(run.Method, of.name, run.Seed, c.Image, c.Draw,
					fmt.Sprint(c.Lambda), c.RMS(), c.Norm, c.Distance(), c.Steps, c.Gradient,
					c.Subgradient))
			}
		}
	}
	return n
}

// publishedSizes returns the paper's sizes of the changes, if it has them for all lambdas.
func publishedSizes(r *Result) (sizes []float64) {
	for _, lambda := range r.Setup.filledImplicit().Lambda {
		size, found := publishedRMS[lambda]
		if !found {
			return nil
		}
		sizes = append(sizes, size)
	}
	return sizes
}

// ofLambda returns a number of a method's implicit corruptions, its mean over images and draws for
// each lambda, [seeds][lambdas].
func ofLambda(r *Result, method string, changes func(RunResult) []implicit.Corruption,
	measure func(implicit.Corruption) float64) [][]float64 {
	lambdas := len(r.Setup.filledImplicit().Lambda)
	return r.series(method, func(run RunResult) []float64 {
		means := make([]float64, lambdas)
		for i, corruption := range changes(run) {
			means[i%lambdas] += measure(corruption) * float64(lambdas) / float64(len(changes(run)))
		}
		return means
	})
}

// reply is the likeliest class of an image under the mean predictive, with its probability.
type reply struct {
	Class       string  `json:"class"`
	Probability float64 `json:"probability"`
	Right       bool    `json:"right"`
}

// String returns "horse 98 %", with a question mark after a wrong class.
func (a reply) String() string {
	mark := ""
	if !a.Right {
		mark = "?"
	}
	return fmt.Sprintf("%s%s %.0f %%", a.Class, mark, 100*a.Probability)
}

// answeredMeasurement is implicitMeasurement with the answers to the first image, clean and with
// the corruptions of its first draw.
type answeredMeasurement struct{ implicitMeasurement }

// kept returns the place of a run's answers.
func (answeredMeasurement) kept(s Setup) kept {
	settings := s.filledImplicit()
	return kept{"implicit", "answers", []any{settings, settings.First, s.Evaluation.Samples}}
}

func (m answeredMeasurement) operations(s Setup, config nbbnn.Config) float64 {
	left := stoppedDescent(s.Implicit).WithDefaults(config.Posterior.Components)
	return m.implicitMeasurement.operations(s, config) + implicitOperations(config, left)
}

func (m answeredMeasurement) done(s Setup, run *nbbnn.Run) bool {
	return m.kept(s).isKept(run) && m.implicitMeasurement.done(s, run) &&
		run.HasImplicitCorruptions(stoppedDescent(s.Implicit))
}

func (m answeredMeasurement) measure(ctx context.Context, r *Result, run int,
	progress nbbnn.Progress) (err error) {
	if err := m.implicitMeasurement.measure(ctx, r, run, progress); err != nil {
		return err
	}
	measured := &r.Runs[run]
	if measured.Stopped, err = measured.ImplicitCorruptions(ctx, stoppedDescent(r.Setup.Implicit),
		progress); err != nil {
		return err
	}
	measured.answers, err = keptOr(measured.Run.Run, m.kept(r.Setup), func() ([]reply, error) {
		return answersTo(ctx, r.Setup, *measured)
	})
	return err
}

// answersTo predicts the first image and the corruptions of its first draw. All of them are
// predicted by the same draws of the latents.
func answersTo(ctx context.Context, s Setup, run RunResult) (answers []reply, err error) {
	data, err := s.testImages(ctx, s.Implicit.First+1)
	if err != nil {
		return nil, err
	}
	shown := expected.changes(run)[:len(s.filledImplicit().Lambda)]
	images := [][]float32{implicit.Corruption{
		Clean: shown[0].Clean, Change: make([]float32, len(shown[0].Change)),
	}.Corrupted()}
	for _, c := range shown {
		images = append(images, c.Corrupted())
	}
	for _, image := range images { // one at a time: draws depend on the place of an image
		prediction, err := run.PredictValues(ctx, image, shown[0].Height, shown[0].Width,
			s.Evaluation.Samples)
		if err != nil {
			return nil, err
		}
		class, probability := likeliest(prediction.Image(0), prediction.Classes)
		right := class == int(data.Test.Labels[s.Implicit.First])
		answers = append(answers, reply{data.Classes[class], probability, right})
	}
	return answers, nil
}

// likeliest returns the class with the largest mean probability, from log-probabilities
// [samples, classes].
func likeliest(logProbabilities []float32, classes int) (class int, probability float64) {
	for c, l := range score.MeanPredictive(npy.Float64s(logProbabilities), classes) {
		if p := math.Exp(l); p > probability {
			class, probability = c, p
		}
	}
	return class, probability
}

// ImplicitFigure draws an implicit corruption for each lambda of one of the figure's images under
// one of its draws, both counted from 0. run counts from 0 in the order of Figure.Open. Several
// runs are drawn below each other and enlarged alike.
func (r *Result) ImplicitFigure(image, draw int, runs ...int) (*viz.Figure, error) {
	pictures := make([]viz.Implicit, len(runs))
	for i, run := range runs {
		var err error
		if pictures[i], err = implicitPicture(r, run, image, draw, expected.changes); err != nil {
			return nil, err
		}
	}
	return viz.ImplicitCorruptions(pictures...)
}

// ImplicitTable returns for each lambda the size of the changes and the distance of the logits from
// their target: means over the seeds of the means over images and draws, with standard deviations.
func (r *Result) ImplicitTable() (viz.Table, error) {
	if !r.evaluated || len(expected.changes(r.Runs[0])) == 0 {
		return viz.Table{}, fmt.Errorf("paper: figure %s has no implicit corruptions: choose one "+
			"of the figures on them and call Figure.Evaluate", r.Figure.Command())
	}
	table := implicitMeasurement{}.numbers(r).table()
	table.Caption = r.Test()
	return table, nil
}

// implicitPicture returns what ImplicitFigure draws of one run.
func implicitPicture(r *Result, run, image, draw int,
	changes func(RunResult) []implicit.Corruption) (picture viz.Implicit, err error) {
	if run < 0 || run >= len(r.Runs) {
		return picture, fmt.Errorf("paper: run %d of %d: count from 0", run, len(r.Runs))
	}
	if len(expected.changes(r.Runs[run])) == 0 {
		return picture, fmt.Errorf("paper: figure %s has no implicit corruptions yet: "+
			"Figure.Evaluate finds them", r.Figure.Command())
	}
	picture.Name = r.Runs[run].Name()
	for _, c := range changes(r.Runs[run]) {
		if c.Image != r.Setup.Implicit.First+image || c.Draw != draw {
			continue
		}
		picture.Height, picture.Width, picture.Image = c.Height, c.Width, unit(c.Clean)
		picture.Lambda = append(picture.Lambda, c.Lambda)
		picture.Masks = append(picture.Masks, npy.Float64s(c.Change))
	}
	if image == 0 && draw == 0 {
		for _, answer := range r.Runs[run].answers {
			picture.Answers = append(picture.Answers, answer.String())
		}
	}
	if picture.Image == nil {
		return picture, fmt.Errorf("paper: no implicit corruptions of image %d, draw %d: count "+
			"both from 0", image, draw)
	}
	return picture, nil
}

// unit maps bytes to 0 to 1.
func unit(pixels []uint8) []float64 {
	values := make([]float64, len(pixels))
	for i, pixel := range pixels {
		values[i] = float64(pixel) / math.MaxUint8
	}
	return values
}
