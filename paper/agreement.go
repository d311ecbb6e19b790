package paper

import (
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Runs of one figure are refused if they can't be compared: the error names the first difference.

// checkAgreement refuses runs that were trained on different data, and runs of one curve that were
// trained by different schedules.
func checkAgreement(r *Result) error {
	if err := checkData(r); err != nil {
		return err
	}
	first := map[string]RunResult{} // by curve
	for _, run := range r.Runs {
		curve := Method{Name: run.Method, Row: run.Row}.title()
		if _, found := first[curve]; !found {
			first[curve] = run
		}
		if err := sameSchedule(first[curve], run); err != nil {
			return err
		}
	}
	return nil
}

// checkData refuses runs of one row of panels that were trained on different data.
func checkData(r *Result) error {
	first, names := map[string]nbbnn.Card{}, map[string]string{} // by row
	for _, run := range r.Runs {
		card, err := run.Card()
		if err != nil {
			return err
		}
		if names[run.Row] == "" {
			first[run.Row], names[run.Row] = card, run.Name()
		}
		if other := first[run.Row].Data; card.Data.Hash != other.Hash {
			return fmt.Errorf("paper: %s was trained on %s with the hash %.12s, %s on %s with %.12s: remove the directory of one and train it again on the other's data",
				run.Name(), card.Data.Name, card.Data.Hash, names[run.Row], other.Name, other.Hash)
		}
	}
	return nil
}

// sameSchedule compares the learning rates, the annealing and gamma that two histories record. They
// may differ although the configurations are equal: a history can come from an import or from an
// older program.
func sameSchedule(first, run RunResult) error {
	if len(first.History) != len(run.History) {
		return fmt.Errorf("paper: %s was trained for %d epochs, %s for %d: remove the directory of one and train it again",
			run.Name(), len(run.History)-1, first.Name(), len(first.History)-1)
	}
	for i, epoch := range run.History {
		firstRate, rate := comparableRates(first, run, i)
		for _, q := range []struct {
			name string
			a, b float64
		}{
			{"learning rate", firstRate, rate},
			{"learning rate of the posterior", first.History[i].PosteriorLearningRate, epoch.PosteriorLearningRate},
			{"β", first.History[i].Beta, epoch.Beta},
			{"γ", first.History[i].Gamma, epoch.Gamma},
		} {
			if q.a != q.b {
				return fmt.Errorf("paper: %s was trained with the %s %g in epoch %d, %s with %g: remove the directory of one and train it again",
					run.Name(), q.name, q.b, epoch.Epoch, first.Name(), q.a)
			}
		}
	}
	return nil
}

// comparableRates returns the learning rates of an epoch that two histories record, or the same
// twice if one of them says nothing of it.
func comparableRates(first, run RunResult, epoch int) (a, b float64) {
	a, b = first.History[epoch].LearningRate, run.History[epoch].LearningRate
	if a != b && (recordedUsualRate(first, epoch) || recordedUsualRate(run, epoch)) {
		return b, b
	}
	return a, b
}

// recordedUsualRate reports whether a history has the rate of MAP for a method with a schedule of
// its own, as earlier versions recorded it.
func recordedUsualRate(run RunResult, epoch int) bool {
	config := run.Config()
	usual, _, _ := config.Training.Rates(epoch - 1)
	name := config.Method.Name
	return (name == baseline.SWAG || name == baseline.CSGHMC) && run.History[epoch].LearningRate == usual
}

// sameTest refuses runs that were tested with another number of samples, on another number of
// images or under other corruptions than the first.
func sameTest(first, run RunResult) error {
	if len(first.Cells) == 0 || len(run.Cells) == 0 {
		return nil
	}
	a, b := first.Cells[0], run.Cells[0]
	if !sameSamples(first, run) {
		return fmt.Errorf("paper: %s was tested with %d samples, %s with %d: evaluate both in the same way", run.Name(), b.Samples, first.Name(), a.Samples)
	}
	if a.Images != b.Images {
		return fmt.Errorf("paper: %s was tested with %d images, %s with %d: evaluate both in the same way", run.Name(), b.Images, first.Name(), a.Images)
	}
	if name, of, other := extraCorruption(first, run); name != "" {
		return fmt.Errorf("paper: %s was tested under %s, %s wasn't: evaluate both on one suite", of.Name(), name, other.Name())
	}
	for part, cell := range run.Parts {
		if before, found := first.Parts[part]; found && (cell.Images != before.Images || cell.Samples != before.Samples) {
			return fmt.Errorf("paper: %s was tested on the part %q with %d samples of %d images, %s with %d of %d: evaluate both in the same way",
				run.Name(), part, cell.Samples, cell.Images, first.Name(), before.Samples, before.Images)
		}
	}
	return nil
}

// extraCorruption names a corruption and severity under which only one of two runs was tested.
func extraCorruption(a, b RunResult) (name string, of, other RunResult) {
	for _, pair := range [][2]RunResult{{a, b}, {b, a}} {
		for _, cell := range pair[0].Cells {
			same := func(c score.Cell) bool { return c.Condition() == cell.Condition() }
			if !slices.ContainsFunc(pair[1].Cells, same) {
				return fmt.Sprintf("%s %d", cell.Corruption, cell.Severity), pair[0], pair[1]
			}
		}
	}
	return "", a, b
}

// sameSamples reports whether two runs took as many samples as one test asks of them: a method
// whose weights alone predict takes one, since all would be the same.
func sameSamples(a, b RunResult) bool {
	asked := max(a.Cells[0].Samples, b.Cells[0].Samples)
	took := func(run RunResult) bool {
		if run.Run.Run == nil {
			return run.Cells[0].Samples == asked
		}
		return run.Cells[0].Samples == samplesOf(run.Config(), asked)
	}
	return took(a) && took(b)
}

// samplesOf returns the number of samples that a run takes of those that a test asks for.
func samplesOf(config nbbnn.Config, asked int) int {
	config = config.WithDefaults()
	if config.Posterior.Mode != nbbnn.Deterministic {
		return asked
	}
	return config.Method.Samples(asked)
}
