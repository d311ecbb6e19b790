package paper

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/nbbnn"
)

// One control asks what a lower negative log-likelihood means: one temperature, fitted to held-out
// clean images, takes away the advantage of a network that is merely less overconfident.

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
			return r.Setup.partEvaluation(part, run.Seed)
		}
	}
	return r.Setup.evaluation(run.Seed)
}

// evaluateCommand is the command that computes a test of a run. It names the run without its
// folder, so that results that are shared name no folder of somebody's machine.
func evaluateCommand(e nbbnn.Evaluation, run RunResult) string {
	command := fmt.Sprintf("nbbnn evaluate %s --suite %s --samples %d", filepath.Base(run.Directory()), e.Suite, e.Samples)
	for _, flag := range []struct {
		name  string
		value uint64
	}{{"images", uint64(e.Images)}, {"first", uint64(e.First)}, {"epoch", uint64(e.Epoch)}, {"evaluation-seed", e.Seed}} {
		if flag.value > 0 {
			command += fmt.Sprintf(" --%s %d", flag.name, flag.value)
		}
	}
	if e.Part != nbbnn.TestPart {
		command += " --part " + string(e.Part)
	}
	return command
}
