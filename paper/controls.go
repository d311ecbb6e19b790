package paper

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/nbbnn"
)

// Two controls ask what a lower negative log-likelihood means. One temperature, fitted to held-out
// clean images, takes away the advantage of a network that is merely less overconfident. A network
// at the epoch where it fitted its training images as well as the other did at the end takes away
// the advantage of having fitted less.

// temperature is what claims on the temperature-scaled likelihood need. It names the first run that
// was tested without one, and the command that adds it.
func temperature(r *Result, methods []string) string {
	for _, method := range methods {
		for _, run := range r.of(method) {
			if run.scaled() {
				continue
			}
			test := unscaled(r, run)
			if testsEveryImage(test, run) {
				return run.Name() + " has no clean images left for a temperature: it holds none out, and every test image is tested"
			}
			return fmt.Sprintf("%s was tested without a temperature: `%s` adds it", run.Name(), evaluateCommand(test, run))
		}
	}
	return ""
}

// testsEveryImage reports whether a test leaves no clean images to which a temperature can be
// fitted.
func testsEveryImage(e nbbnn.Evaluation, run RunResult) bool {
	config := run.Config().WithDefaults()
	return e.Part == nbbnn.TestPart && config.Data.Validation == 0 && (e.Images == 0 || e.Images >= dataSize(config).Test)
}

// unscaled returns the first of a run's tests that has no temperature.
func unscaled(r *Result, run RunResult) nbbnn.Evaluation {
	for _, part := range slices.Sorted(maps.Keys(run.Parts)) {
		if !run.Parts[part].IsScaled() {
			return sweepTests{}.evaluation(r.Setup, part)
		}
	}
	return r.Setup.Evaluation
}

// evaluateCommand is the command that computes a test of a run. It names the run without its folder,
// so that results that are shared name no folder of somebody's machine.
func evaluateCommand(e nbbnn.Evaluation, run RunResult) string {
	command := fmt.Sprintf("nbbnn evaluate %s --suite %s --samples %d", filepath.Base(run.Directory()), e.Suite, e.Samples)
	for _, flag := range []struct {
		name  string
		value uint64
	}{{"images", uint64(e.Images)}, {"epoch", uint64(e.Epoch)}, {"evaluation-seed", e.Seed}} {
		if flag.value > 0 {
			command += fmt.Sprintf(" --%s %d", flag.name, flag.value)
		}
	}
	if e.Part != nbbnn.TestPart {
		command += " --part " + string(e.Part)
	}
	return command
}

// equalError compares a metric of one method, at the end of training, with that of another at the
// epoch where its training error was nearest to the first's at the end.
func equalError(name, method, other string) func(*Result) []Effect {
	return func(r *Result) []Effect {
		a, err := r.levels(method, name)
		if err != nil {
			return nil
		}
		var b [][]float64
		for seed, run := range r.of(other) {
			early, _, err := atEqualError(r, r.of(method)[seed], run)
			if err != nil {
				return nil
			}
			levels, err := early.Metric(name)
			if err != nil {
				return nil
			}
			b = append(b, levels)
		}
		return pairedEffects(fmt.Sprintf("%s - %s at the same training error", method, other), "nats", BelowZero, a, b, levelNames())
	}
}

// checkpoints is what equalError needs of the second of two methods: a checkpoint of the epoch, and
// its test. It says how to get the first that is missing.
func checkpoints(r *Result, methods []string) string {
	for seed, run := range r.of(methods[1]) {
		_, evaluation, err := atEqualError(r, r.of(methods[0])[seed], run)
		var unevaluated *nbbnn.UnevaluatedError
		switch {
		case errors.As(err, &unevaluated):
			return fmt.Sprintf("`%s` tests %s at the epoch of the same training error", evaluateCommand(evaluation, run), run.Name())
		case err != nil:
			return err.Error()
		}
	}
	return ""
}

// atEqualError returns a run as it was at the epoch where its training error was nearest to that of
// another run at the end, and the test of that epoch.
func atEqualError(r *Result, goal, run RunResult) (early RunResult, evaluation nbbnn.Evaluation, err error) {
	evaluation = r.Setup.Evaluation
	want := goal.LastEpoch().Error
	nearest := slices.MinFunc(run.History[1:], func(a, b nbbnn.Epoch) int {
		return cmp.Compare(math.Abs(a.Error-want), math.Abs(b.Error-want))
	})
	evaluation.Epoch = nearest.Epoch
	kept, err := run.KeptEpochs()
	if err != nil {
		return early, evaluation, err
	}
	if evaluation.Epoch != run.LastEpoch().Epoch && !slices.Contains(kept, evaluation.Epoch) {
		return early, evaluation, fmt.Errorf("needs --keep-every: %s has no checkpoint of epoch %d, whose training error is nearest to that of %s",
			run.Name(), evaluation.Epoch, goal.Name())
	}
	early = run
	early.Cells, err = run.Run.Cells(evaluation)
	return early, evaluation, err
}
