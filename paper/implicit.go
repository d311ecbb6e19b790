package paper

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/viz"
)

// implicitMeasurement searches the implicit corruptions of each run.
type implicitMeasurement struct{}

func (implicitMeasurement) validate(s Setup, config nbbnn.Config) error {
	settings := s.Implicit.WithDefaults(config.Posterior.Components)
	if test := dataSize(config).Test; settings.First+settings.Images > test {
		return fmt.Errorf("paper: the test images %d to %d are asked for, the runs have %d: lower the numbers", settings.First, settings.First+settings.Images-1, test)
	}
	return settings.Validate(config.Posterior.Components)
}

// describe is such as "implicit corruptions of 1 image, 2 draws, λ 0.03 0.1 0.3".
func (implicitMeasurement) describe(s Setup) string {
	settings := s.filledImplicit()
	return fmt.Sprintf("implicit corruptions of %s, %s, λ %s", counted(settings.Images, "image"), counted(settings.Draws, "draw"), numbersText(settings.Lambda))
}

func (implicitMeasurement) operations(s Setup, config nbbnn.Config) float64 {
	return implicitOperations(config, s.Implicit.WithDefaults(config.Posterior.Components))
}

func (implicitMeasurement) done(s Setup, run *nbbnn.Run) bool {
	return run.HasImplicitCorruptions(s.Implicit)
}

func (implicitMeasurement) measure(ctx context.Context, r *Result, run int, progress nbbnn.Progress) (err error) {
	r.Runs[run].Implicit, err = r.Runs[run].ImplicitCorruptions(ctx, r.Setup.Implicit, progress)
	return err
}

// measuresGradients reports whether the searches measured the gradients at their ends. Descent
// doesn't: its gradients are 0 on file.
func measuresGradients(r *Result) bool { return r.Setup.filledImplicit().Method != implicit.Descent }

// smallGradient is the size of the gradient at a minimiser, of that without a change, up to
// rounding and to how closely a search looks at the kinks around it.
const smallGradient = 1e-3

// table is ImplicitTable without its caption: a terminal has a line of its own for that.
func (implicitMeasurement) table(r *Result) (viz.Table, error) {
	table, err := r.ImplicitTable()
	table.Caption = ""
	return table, err
}

// report has a row for each search in the table of the CSV file: the root mean square of the change in
// pixels of 0 to 1, its norm in the space of the search, the distance of the logits from their target, and
// the relative norms of the gradient at the change and of the shortest mean of those nearby.
func (implicitMeasurement) report(r *Result, report *Report) error {
	report.csv = [][]string{{"method", "seed", "image", "draw", "lambda", "rms", "norm", "distance", "steps", "gradient", "subgradient"}}
	for _, run := range r.Runs {
		for _, c := range run.Implicit {
			report.csv = append(report.csv, csvRow(run.Method, run.Seed, c.Image, c.Draw, fmt.Sprint(c.Lambda), c.RMS(), c.Norm, c.Distance(), c.Steps, c.Gradient, c.Subgradient))
		}
	}
	settings := r.Setup.filledImplicit()
	report.Samples, report.Images = settings.Draws, settings.Images
	return nil
}

// ofLambda returns a number of a method's implicit corruptions, its mean over images and draws for
// each lambda, [seeds][lambdas].
func ofLambda(r *Result, method string, changes func(RunResult) []implicit.Corruption, measure func(implicit.Corruption) float64) [][]float64 {
	lambdas := len(r.Setup.filledImplicit().Lambda)
	return r.series(method, func(run RunResult) []float64 {
		means := make([]float64, lambdas)
		for i, corruption := range changes(run) {
			means[i%lambdas] += measure(corruption) * float64(lambdas) / float64(len(changes(run)))
		}
		return means
	})
}

func float64s(values []float32) []float64 {
	result := make([]float64, len(values))
	for i, value := range values {
		result[i] = float64(value)
	}
	return result
}
