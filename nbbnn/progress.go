package nbbnn

import "github.com/nbbnn/workbench/nbbnn/progress"

// Progress takes the updates of some work: one after every step of a training and after every cell of an evaluation.
// It is called by the goroutine that works, so it should return soon. nil ignores them.
type Progress = progress.Func

// Update is the state of some work.
type Update = progress.Update

// curves returns the terms of the objective that a run has recorded, by epoch. The state before training has no NLL.
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
