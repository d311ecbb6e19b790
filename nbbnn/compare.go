package nbbnn

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// Cells returns what the run scored in an evaluation that is complete, without computing anything.
func (r *Run) Cells(evaluation Evaluation) (score.Cells, error) {
	e, err := newEvaluator(r.directory, "", r.fillEvaluation(evaluation))
	if err != nil {
		return nil, err
	}
	cells, missing := e.have()
	if missing > 0 && !r.Complete() {
		return nil, r.untrained()
	}
	if missing > 0 {
		return nil, fmt.Errorf("nbbnn: run %s misses %d of %d cells of %s with %d samples: Run.Evaluate or `%s` computes them",
			r.directory, missing, missing+len(cells), e.evaluation.label(), e.evaluation.Samples, evaluateCommand(r.directory, e.evaluation))
	}
	return cells, nil
}

// evaluateCommand is the command line that makes an evaluation of a run.
func evaluateCommand(run string, e Evaluation) string {
	words := []string{"nbbnn evaluate", run, "--suite", e.Suite, "--samples", strconv.Itoa(e.Samples)}
	for _, flag := range []struct {
		name, value string
		given       bool
	}{
		{"--images", strconv.Itoa(e.Images), e.Images != 0},
		{"--evaluation-seed", strconv.FormatUint(e.Seed, 10), e.Seed != 0},
		{"--part", string(e.Part), e.Part != TestPart},
		{"--latents", string(e.Latents), e.Latents != ""},
		{"--epoch", strconv.Itoa(e.Epoch), e.Epoch != 0},
		{"--corrupted", e.Corrupted, e.Corrupted != ""},
		{"--textures", e.Textures, e.Textures != ""},
	} {
		if flag.given {
			words = append(words, flag.name, flag.value)
		}
	}
	return strings.Join(words, " ")
}

// Compare groups runs that differ only in their seed into methods, in the order of their first runs. Every
// run must have all cells of the evaluation; suite may be that of the evaluation or a smaller one, and ""
// means that of the evaluation. The settings of a method are its Config, filled, with seed 0.
func Compare(runs []*Run, evaluation Evaluation, suite string) (score.Comparison, error) {
	scored := make([]score.Run, len(runs))
	for i, run := range runs {
		cells, err := run.Cells(evaluation)
		if err != nil {
			return score.Comparison{}, err
		}
		settings := run.config
		settings.Seed = 0
		scored[i] = score.Run{Name: filepath.Base(run.directory), Settings: settings, Seed: run.config.Seed, Cells: cells}
	}
	return score.Compare(cmp.Or(suite, evaluation.WithDefaults().Suite), scored...)
}
