package paper

import (
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Result holds the results of a figure's runs.
type Result struct {
	Figure Figure
	Scale  Scale
	Setup  Setup
	Runs   []RunResult // in the order of Figure.Open

	LeftOut []string // runs of the figure that aren't drawn, with the reason

	evaluated bool   // Figure.Evaluate has filled in what the figure measures
	flags     string // that change the set-up of the scale, for example " --seeds 3"
}

// RunResult holds the results of one run.
type RunResult struct {
	Run
	History []nbbnn.Epoch // before training, then after each epoch

	// of a benchmark's run or ensemble; the zero Cost if unknown
	Cost  score.Cost
	Cells score.Cells // one for each corruption and severity
	// on the card of a record, whose cells have no bins; nil for others
	ECE *[score.LevelCount]float64
	// the same of the ensemble whose last member the run is; nil if it ends none
	Ensemble score.Cells
	Parts    map[nbbnn.Part]score.Cell // by part of the training images
	// to the image that Figure 4 shows: clean, then for each lambda
	answers []reply
	cross   crossTest         // on its own and the other methods' implicit corruptions
	Plane   []viz.PlaneShifts // of Figure 1: by test point, the first of which is drawn
	Clouds  []layerCloud      // by image, then by layer

	Components []componentScores // by severity, of the figure on components
	Exact      exactness         // of draws from the posterior of the latents

	engine string // that trained it, see engine.Trained; "" if it isn't known
	// by network without noise; each by image, draw and lambda
	Implicit map[string][]implicit.Corruption
	Stopped  []implicit.Corruption // changes that a stopped descent left, in Figure 4
}

// newResult reads the histories of trained runs.
func newResult(f Figure, scale Scale, setup Setup, runs []Run) (*Result, error) {
	result := &Result{Figure: f, Scale: scale, Setup: setup}
	for _, run := range runs {
		history, err := run.History()
		if err != nil {
			return nil, err
		}
		if len(history) == 0 {
			return nil, fmt.Errorf("paper: %s has no epochs in train.jsonl: remove the directory "+
				"and train again", run.Directory())
		}
		result.Runs = append(result.Runs, RunResult{Run: run, History: history})
	}
	return result, readCards(result)
}

// readCards reads which engines trained the runs, and refuses runs of one row of panels that were
// trained on different data.
func readCards(r *Result) error {
	first, names := map[string]nbbnn.Card{}, map[string]string{} // by row
	for i, run := range r.Runs {
		card, err := run.Card()
		if err != nil {
			return err
		}
		r.Runs[i].engine = engine.Trained(card.Engine)
		if names[run.Row] == "" {
			first[run.Row], names[run.Row] = card, run.Name()
		}
		if other := first[run.Row].Data; card.Data.Hash != other.Hash {
			return fmt.Errorf("paper: %s was trained on %s with the hash %.12s, %s on %s with "+
				"%.12s: remove the directory of one and train it again on the other's data",
				run.Name(), card.Data.Name, card.Data.Hash, names[run.Row], other.Name, other.Hash)
		}
	}
	return nil
}

// Test describes the figure's test: "first8: 8 corruptions x 5 levels + clean, 1000 images, 16
// samples, seeds 1 2". It is empty before Figure.Evaluate.
func (r *Result) Test() string {
	if !r.evaluated {
		return ""
	}
	return fmt.Sprintf("%s, %s", r.Figure.collect.describe(r.Setup), seedsText(r.Setup.Seeds))
}

// Tables returns the table of the whole figure for a terminal, and of a benchmark the cost of each
// method, if it's known.
func (r *Result) Tables() ([]viz.Table, error) {
	if err := r.checkMeasured(); err != nil {
		return nil, err
	}
	costs, err := costTable(r)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc([]viz.Table{r.Figure.collect.numbers(r).table(), costs},
		func(t viz.Table) bool { return len(t.Rows) == 0 }), nil
}

// checkMeasured returns an error for a result of Figure.Train, unless the figure measures nothing.
func (r *Result) checkMeasured() error {
	if r.evaluated || r.Figure.collect.operations(r.Setup, r.Setup.Config.WithDefaults()) == 0 {
		return nil
	}
	return fmt.Errorf("paper: figure %s isn't evaluated: call Figure.Evaluate first",
		r.Figure.Command())
}

// Draw draws the figure. Its title states the finding; below are the effect with its interval, the
// networks and the data.
func (r *Result) Draw() (*viz.Figure, error) { return r.headed(r.Figure.draw) }

// headed draws a picture with the figure's title.
func (r *Result) headed(draw func(*Result) (*viz.Figure, error)) (*viz.Figure, error) {
	if err := r.checkMeasured(); err != nil {
		return nil, err
	}
	figure, err := draw(r)
	if err != nil {
		return nil, err
	}
	verdicts := r.Verdicts()
	return figure.Headed(findingOf(r.Figure, r.Scale, verdicts), subtitles(r, verdicts)...), nil
}

// subject describes networks and data for captions: "All-CNN-C (width 24 of the published 96), all
// training images of CIFAR-10, 30 epochs, seeds 1 2 3".
func (r *Result) subject() string {
	config := r.Setup.Config.WithDefaults()
	data := r.Setup.ofMethods(func(m Method) string {
		return subjectData(r.Setup.config(m, 0).WithDefaults())
	})
	text := fmt.Sprintf("%s, %s, %s, %s", subjectNetwork(config), join(data),
		counted(config.Training.Epochs, "epoch"), seedsText(r.Setup.Seeds))
	if len(r.LeftOut) > 0 {
		text += fmt.Sprintf("; %s left out", counted(len(r.LeftOut), "run"))
	}
	return text
}

// Verdicts decides the figure's claims. A claim that can't be asked at the scale is left out: the
// scale lacks one of its methods or all of its rivals, or the runs have nothing to compare.
func (r *Result) Verdicts() (verdicts Verdicts) {
	for _, claim := range r.Figure.claims {
		part := r.about(claim)
		claim, possible := claim.among(part.methodNames())
		if !possible {
			continue
		}
		verdict, asked := decide(part, claim)
		if asked && !slices.ContainsFunc(verdicts, func(v Verdict) bool {
			return v.Claim == verdict.Claim
		}) {
			verdicts = append(verdicts, verdict)
		}
	}
	return verdicts
}

// Checks makes the figure's checks.
func (r *Result) Checks() []CheckResult {
	results := make([]CheckResult, len(r.Figure.checks))
	for i, check := range r.Figure.checks {
		results[i].Check = check.Text
		results[i].Passed, results[i].Total = check.Test(r)
	}
	return results
}

// about returns the part of the result that a claim is about. The smoke scale has one unnamed row
// for all.
func (r *Result) about(claim claim) *Result {
	if claim.Row == "" || slices.Equal(r.rows(), []string{""}) {
		return r
	}
	return r.row(claim.Row)
}

func (r *Result) rows() []string { return r.Setup.rows() }

// row returns the part of the result in one row of panels, with its data set.
func (r *Result) row(name string) *Result {
	part := r.only(func(method, row string) bool { return row == name })
	if len(part.Setup.Methods) > 0 {
		part.Setup.Config.Data = r.Setup.config(part.Setup.Methods[0], 0).Data
	}
	return part
}

// only returns the part of the result with the methods, in rows of panels, that are wanted.
func (r *Result) only(wanted func(method, row string) bool) *Result {
	part := *r
	part.Setup.Methods = slices.DeleteFunc(slices.Clone(r.Setup.Methods), func(m Method) bool {
		return !wanted(m.Name, m.Row)
	})
	part.Runs = slices.DeleteFunc(slices.Clone(r.Runs), func(run RunResult) bool {
		return !wanted(run.Method, run.Row)
	})
	return &part
}

// onlyMethods returns the part of the result with some methods, in their order.
func onlyMethods(r *Result, names ...string) *Result {
	part := r.only(func(method, _ string) bool { return slices.Contains(names, method) })
	slices.SortStableFunc(part.Setup.Methods, func(a, b Method) int {
		return slices.Index(names, a.Name) - slices.Index(names, b.Name)
	})
	return part
}

func (r *Result) methodNames() []string { return r.Setup.methodNames() }

func (r *Result) classes() int { return r.Setup.dataSize().Classes }

// of returns one method's runs, in the order of the seeds.
func (r *Result) of(method string) (runs []RunResult) {
	for _, run := range r.Runs {
		if run.Method == method {
			runs = append(runs, run)
		}
	}
	return runs
}

// series returns a curve of each of the method's runs, [seeds][points].
func (r *Result) series(method string, curve func(RunResult) []float64) (series [][]float64) {
	for _, run := range r.of(method) {
		series = append(series, curve(run))
	}
	return series
}

// EntropySummary returns the mean and the standard deviation over seeds of the entropy, nats, at
// the start and after each epoch.
func (r *Result) EntropySummary(method string) []score.Summary {
	return summarise(r.series(method, RunResult.Entropy))
}

// line returns the line of a method's runs, of which values are [seeds][places].
func (r *Result) line(what, method string, at []string, decimals int, values [][]float64) line {
	l := line{What: what, Curve: method, At: at, Values: values, decimals: decimals}
	for _, run := range r.of(method) {
		l.Seeds = append(l.Seeds, run.Seed)
	}
	return l
}

// entropies returns the lines of the entropy over training.
func (r *Result) entropies() (lines []line) {
	for _, name := range r.rows() {
		row := r.row(name)
		for _, method := range row.methodNames() {
			values := row.series(method, RunResult.Entropy)
			var epochs []string
			for epoch := range values[0] {
				epochs = append(epochs, fmt.Sprint(epoch))
			}
			lines = append(lines, row.line(withRow(name, "entropy (nats)"), method, epochs, 1,
				values))
		}
	}
	return lines
}

// latentsOf counts the latents of a filled configuration.
func latentsOf(c nbbnn.Config) int {
	return c.Network.Architecture(dataSize(c).Classes).Latents(c.Posterior.Mode)
}

// EntropyFigure draws the entropy of the posterior over training, one curve for each method.
func (r *Result) EntropyFigure() (*viz.Figure, error) {
	var curves []viz.Series
	for _, method := range r.methodNames() {
		config := r.of(method)[0].Config().WithDefaults()
		latents := latentsOf(config)
		if latents == 0 {
			continue // an ordinary network has no posterior
		}
		curve := seriesOf(method, r.series(method, RunResult.Entropy))
		curve.Latents, curve.Prior = latents, float64(latents)*(math.Log(config.Posterior.PriorStd)+
			unitEntropy)
		curves = append(curves, curve)
	}
	return viz.EntropyCurves(curves)
}

// unitEntropy is the entropy of a Gaussian with a standard deviation of one, nats.
var unitEntropy = 0.5 * math.Log(2*math.Pi*math.E)

// Entropy returns the entropy of the posterior, nats, at the start and after each epoch.
func (r RunResult) Entropy() []float64 {
	entropy := make([]float64, len(r.History))
	for i, epoch := range r.History {
		entropy[i] = epoch.Entropy
	}
	return entropy
}

// LastEpoch returns the last line of the history.
func (r RunResult) LastEpoch() nbbnn.Epoch { return r.History[len(r.History)-1] }

// trainingNLL returns the NLL of the last epoch, in nats; NaN for noise that isn't trained.
func (r RunResult) trainingNLL() float64 {
	if last := r.LastEpoch(); last.Epoch > 0 {
		return last.NLL
	}
	return math.NaN()
}
