package paper

import (
	"context"

	"github.com/nbbnn/workbench/nbbnn"
)

// crossMeasurement searches the implicit corruptions of each run and tests the run on those of all
// methods.
type crossMeasurement struct{ implicitMeasurement }

// kept is where the cross-test of a run is kept. It depends on the other runs of the same seed and on
// the temperature of the run's tests.
func (m crossMeasurement) kept(s Setup, run *nbbnn.Run) kept {
	others := map[string]string{}
	for _, method := range s.Methods {
		others[method.Name] = s.config(method, run.Config().Seed).WithDefaults().RunName()
	}
	settings := s.filledImplicit()
	return kept{"cross", "test", []any{others, settings, settings.First, settings.Images, s.Evaluation.Samples, m.temperature(s, run)}}
}

// temperature returns the temperature of one of the run's tests under corruption; 0 if it has none.
// The test has as many samples, and all images of the cross-test, so that none of them is among
// those that the temperature was fitted to.
func (crossMeasurement) temperature(s Setup, run *nbbnn.Run) float64 {
	card, err := run.Card()
	if err != nil {
		return 0
	}
	settings := s.filledImplicit()
	for _, e := range card.Evaluations() {
		plain := e.Part == nbbnn.TestPart && e.IsPlain() && e.Samples == s.Evaluation.Samples
		if plain && e.Temperature > 0 && (e.Images == 0 || e.Images >= settings.First+settings.Images) {
			return e.Temperature
		}
	}
	return 0
}

func (m crossMeasurement) done(s Setup, run *nbbnn.Run) bool {
	return m.kept(s, run).isKept(run) && m.implicitMeasurement.done(s, run)
}

func (m crossMeasurement) operations(s Setup, config nbbnn.Config) float64 {
	settings := s.Implicit.WithDefaults(config.Posterior.Components)
	tested := nbbnn.Evaluation{Images: settings.Images, Samples: s.Evaluation.Samples}
	cells := 1 + len(s.Methods)*settings.Draws*len(settings.Lambda)
	return m.implicitMeasurement.operations(s, config) + testOperations(config, tested, cells)
}

func (m crossMeasurement) measure(ctx context.Context, r *Result, run int, progress nbbnn.Progress) (err error) {
	if err := m.implicitMeasurement.measure(ctx, r, run, progress); err != nil {
		return err
	}
	tested := &r.Runs[run]
	tested.Cross, err = keptOr(tested.Run.Run, m.kept(r.Setup, tested.Run.Run), func() (CrossTest, error) {
		return m.crossTest(ctx, r, *tested, m.temperature(r.Setup, tested.Run.Run), progress)
	})
	return err
}
