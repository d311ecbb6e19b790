package nbbnn

import (
	"time"

	"github.com/nbbnn/workbench/nbbnn/progress"
)

// Progress takes the updates of some work: one after every step of a training and after every cell
// of an evaluation. It is called by the goroutine that works, so it should return soon. nil ignores
// them.
type Progress = progress.Func

// Update is the state of some work.
type Update = progress.Update

// curves returns the terms of the objective that a run has recorded, by epoch. The state before
// training has no NLL.
func curves(history []Epoch) []progress.Curve {
	nll, crossEntropy, entropy := progress.Curve{Name: "NLL"}, progress.Curve{Name: "cross-entropy"}, progress.Curve{Name: "entropy"}
	for _, epoch := range history {
		if epoch.Epoch > 0 {
			nll.Values = append(nll.Values, epoch.NLL)
		}
		crossEntropy.Values = append(crossEntropy.Values, epoch.CrossEntropy)
		entropy.Values = append(entropy.Values, epoch.Entropy)
	}
	return []progress.Curve{nll, crossEntropy, entropy}
}

// recordedCurves returns the terms of the objective of the complete epochs. It reads the record
// once an epoch; one that can't be read draws no curves.
func (t *trainer) recordedCurves() []progress.Curve {
	if t.curves == nil || t.curvesEpoch != t.state.Epoch {
		history, _ := t.run.History()
		t.curves, t.curvesEpoch = curves(history), t.state.Epoch
	}
	return t.curves
}

// report reports how far the training is, after every step.
func (t *trainer) report() {
	if t.options.Progress == nil {
		return
	}
	epochs, steps := t.run.config.Training.Epochs, float64(t.state.Step)
	rows := steps * float64(t.run.config.Training.Batch*t.run.config.Training.Samples)
	t.latest = Update{
		Phase: "train",
		Run:   t.run.config.RunName(),
		Done:  t.state.Epoch*t.stepper.Steps() + t.state.Step,
		Total: epochs * t.stepper.Steps(),
		Rate:  float64(t.stepsHere*t.run.config.Training.Batch) / time.Since(t.started).Seconds(),

		Epoch:   t.state.Epoch + 1,
		Epochs:  epochs,
		Loss:    t.state.NLL / steps,
		Entropy: t.entropy,
		Error:   t.state.Wrong / rows,
		Curves:  t.recordedCurves(),
	}
	t.options.Progress(t.latest)
}

// reportEnd repeats the latest update with the curves of all epochs.
func (t *trainer) reportEnd() {
	if t.latest.Total == 0 {
		return
	}
	t.latest.Curves, t.latest.Entropy = t.recordedCurves(), t.entropy
	t.options.Progress.Report(t.latest)
}

// record summarises the epoch that has just ended; Epoch 0 is the state before training.
func (t *trainer) record() (Epoch, error) {
	crossEntropy, entropy, err := t.terms()
	if err != nil {
		return Epoch{}, err
	}
	training, steps := t.run.config.Training, float64(max(1, t.state.Step))
	nll := t.state.NLL / steps
	thetaRate, phiRate, beta := t.stepper.Rates(t.state.Epoch)
	if t.run.config.Posthoc.isSet() {
		thetaRate = 0
	}
	return Epoch{
		Epoch:                 t.state.Epoch + 1,
		LogLikelihood:         -nll * float64(t.images()),
		CrossEntropy:          crossEntropy,
		Entropy:               entropy,
		KL:                    crossEntropy - entropy,
		Beta:                  beta,
		Gamma:                 t.run.config.Objective.Gamma,
		LearningRate:          thetaRate,
		PosteriorLearningRate: phiRate,
		NLL:                   nll,
		Error:                 t.state.Wrong / (steps * float64(training.Batch*training.Samples)),
		Seconds:               t.state.Seconds,
	}, nil
}
