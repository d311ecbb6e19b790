package paper

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

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

// evaluateCommand is the command that computes a test of a run. It names the run without its
// folder, so that results that are shared name no folder of somebody's machine.
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

// sameError is how far two training errors may be apart to count as the same: half a point.
const sameError = 0.005

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
			early, _, err := matchError(r.of(method)[seed], run).cells(r)
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

// checkpoints is what equalError needs of the second of two methods: an epoch with the same error,
// a checkpoint of it, and its test. It says how to get the first that is missing.
func checkpoints(r *Result, methods []string) string {
	for seed, run := range r.of(methods[1]) {
		match := matchError(r.of(methods[0])[seed], run)
		if !match.close() {
			return fmt.Sprintf("no epoch within %g points: %s", 100*sameError, match)
		}
		_, evaluation, err := match.cells(r)
		var unevaluated *nbbnn.UnevaluatedError
		switch {
		case errors.As(err, &unevaluated):
			return fmt.Sprintf("`%s` tests %s at the epoch of the same training error: %s", evaluateCommand(evaluation, run), run.Name(), match)
		case err != nil:
			return err.Error()
		}
	}
	return ""
}

// matches says which epochs equalError compares.
func matches(r *Result, methods []string) string {
	var texts []string
	for seed, run := range r.of(methods[1]) {
		texts = append(texts, matchError(r.of(methods[0])[seed], run).String())
	}
	return fmt.Sprintf("training errors within %g points: %s", 100*sameError, strings.Join(texts, ", "))
}

// errorMatch is the epoch of a run whose training error is nearest to that of another run, the
// goal, at its end.
type errorMatch struct {
	goal, run RunResult
	epoch     nbbnn.Epoch
}

// matchError finds the epoch.
func matchError(goal, run RunResult) errorMatch {
	want := goal.LastEpoch().Error
	return errorMatch{goal, run, slices.MinFunc(run.History[1:], func(a, b nbbnn.Epoch) int {
		return cmp.Compare(math.Abs(a.Error-want), math.Abs(b.Error-want))
	})}
}

// close reports whether the errors are the same within the tolerance.
func (m errorMatch) close() bool {
	return math.Abs(m.epoch.Error-m.goal.LastEpoch().Error) <= sameError
}

// String is such as "M16 seed 1 has 15.3 % at epoch 27, M32 seed 1 has 15.2 % at the end".
func (m errorMatch) String() string {
	return fmt.Sprintf("%s has %.2f %% at epoch %d, %s has %.2f %% at the end",
		m.run.Name(), 100*m.epoch.Error, m.epoch.Epoch, m.goal.Name(), 100*m.goal.LastEpoch().Error)
}

// cells returns the run as it was at the epoch, and the test of that epoch.
func (m errorMatch) cells(r *Result) (early RunResult, evaluation nbbnn.Evaluation, err error) {
	evaluation = r.Setup.Evaluation
	evaluation.Epoch = m.epoch.Epoch
	kept, err := m.run.KeptEpochs()
	if err != nil {
		return early, evaluation, err
	}
	if evaluation.Epoch != m.run.LastEpoch().Epoch && !slices.Contains(kept, evaluation.Epoch) {
		return early, evaluation, fmt.Errorf("needs --keep-every: %s, where %g points count as the same; no checkpoint of that epoch was kept: `%s` trains the run again with all of them; then move kept/%s to the place of runs/%[4]s",
			m, 100*sameError, keepCommand(r, m.run), filepath.Base(m.run.Directory()))
	}
	early = m.run
	early.Cells, err = m.run.Run.Cells(evaluation)
	return early, evaluation, err
}

// keepCommand is the command that trains a run again, in another folder, with a checkpoint of each
// epoch. The weights are the same.
func keepCommand(r *Result, run RunResult) string {
	name := filepath.Base(run.Directory())
	if r.Setup.KeepEvery == 1 {
		return fmt.Sprintf("nbbnn figure %d --scale %s --run %s --runs kept", r.Figure.Number, r.Scale, name)
	}
	return fmt.Sprintf("nbbnn train --config runs/%s/config.json --keep-every 1 --runs kept", name)
}
