package nbbnn

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// WithOutsideEnsembles returns methods with the ensemble of the runs of each one after it, called
// "ens" and the method's name, if it has the test that its runs have: Ensemble.EvaluateOutside makes
// it. directory holds the directories of the ensembles, as for OpenEnsemble. methods is what
// CompareOutside returns for the runs, the data set and the evaluation. missing are the
// evaluations of the members' tests of those that lack it, for Ensemble.EvaluateOutside.
func WithOutsideEnsembles(
	directory string, methods score.OutsideMethods, runs []*Run, data string, evaluation Evaluation,
) (all score.OutsideMethods, missing []Evaluation, err error) {
	for _, method := range methods {
		all = append(all, method)
		if len(method.Runs) < 2 {
			continue
		}
		members := runsNamed(runs, method.Runs)
		ensemble, err := OpenEnsemble(directory, members...)
		if err != nil {
			return all, nil, err
		}
		own, err := lastOutside(members[0], data, evaluation)
		if err != nil {
			return all, nil, err
		}
		test, found, err := ensemble.outsideLike(own)
		if err != nil {
			return all, nil, err
		}
		if !found {
			missing = append(missing, evaluationOfOutside(own))
			continue
		}
		all = append(all, method.Ensemble(test, filepath.Base(ensemble.directory)))
	}
	return all, missing, nil
}

// outsideLike returns the ensemble's last test that is like that of a member.
func (e *Ensemble) outsideLike(own score.Outside) (test score.Outside, found bool, err error) {
	own.Samples *= len(e.members)
	return e.findOutside(func(o score.Outside) bool {
		o.Subset, o.Detections = own.Subset, own.Detections // 0 and the number of all are the same images
		return reflect.DeepEqual(o, own)
	})
}

// evaluationOfOutside returns the evaluation that made a run's test; see outsideKey.
func evaluationOfOutside(test score.Outside) Evaluation {
	e := Evaluation{Samples: test.Samples, Images: test.Subset, Seed: test.Seed}
	for _, part := range strings.Split(test.Suite, "/")[1:] {
		var scale float64
		_, isEpoch := fmt.Sscanf(part, "epoch%d", &e.Epoch)
		_, isScale := fmt.Sscanf(part, "scale%g", &scale)
		_, isBatch := fmt.Sscanf(part, "batch%d", &e.BatchStatistics)
		switch {
		case isScale == nil:
			e.LatentScale = ScaleLatents(scale)
		case isEpoch != nil && isBatch != nil:
			e.Latents = Latents(part)
		}
	}
	return e
}
