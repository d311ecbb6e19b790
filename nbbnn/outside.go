package nbbnn

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// EvaluateOutside is Run.EvaluateOutside for the average of the members' probabilities, with
// evaluation.Samples samples of each.
func (e *Ensemble) EvaluateOutside(ctx context.Context, data string, evaluation Evaluation) (score.Outside, error) {
	evaluation, err := e.fillEvaluation(evaluation)
	if err != nil {
		return score.Outside{}, err
	}
	if err := checkOutside(data, evaluation); err != nil {
		return score.Outside{}, err
	}
	content, err := e.settle()
	if err != nil {
		return score.Outside{}, err
	}
	if err := e.write(content); err != nil {
		return score.Outside{}, err
	}
	each := evaluation.Samples
	evaluation.Samples *= len(e.members)
	v, err := newEvaluator(ctx, e.directory, e.owner, filepath.Base(e.directory), evaluation)
	if err != nil {
		return score.Outside{}, err
	}
	return v.evaluateOutside(ctx, data, e.members[0].config.Data, func() error {
		for _, member := range e.members {
			if err := v.openRun(ctx, member, each); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkOutside refuses settings that a test of images from outside can't have.
func checkOutside(data string, e Evaluation) error {
	if e.Part != TestPart || e.Corrupted != "" {
		return fmt.Errorf("nbbnn: images from outside go with clean test images, not with part %q or corrupted images %q: leave those out", e.Part, e.Corrupted)
	}
	return dataset.Config{Name: data}.CheckName()
}

// evaluateOutside returns the test that the directory has, or predicts both sets of images. open
// loads the networks.
func (e *evaluator) evaluateOutside(ctx context.Context, data string, own Data, open func() error) (score.Outside, error) {
	unlock, err := lockDirectory(e.directory)
	if err != nil {
		return score.Outside{}, err
	}
	defer unlock()
	e.keeps = true
	if err := open(); err != nil {
		return score.Outside{}, stopped(err)
	}
	other, hash, err := e.openOutside(ctx, data, own)
	if err != nil {
		return score.Outside{}, stopped(err)
	}
	test := score.Outside{Key: e.outsideKey(), Data: data, Hash: hash, Inside: e.images.Count(), Images: other.Count()}
	if kept, found, err := e.findOutside(test); found || err != nil {
		return kept, err
	}
	inside, err := e.predict(ctx, e.images)
	if err != nil {
		return score.Outside{}, stopped(err)
	}
	outside, err := e.predict(ctx, other)
	if err != nil {
		return score.Outside{}, stopped(err)
	}
	if test.Detections, err = score.Detect(inside, outside); err != nil {
		return score.Outside{}, err
	}
	return test, score.AddOutside(e.directory, e.owner, test)
}

// openOutside opens the test images of the other data set and takes as many of both as are asked
// for, or as both have.
func (e *evaluator) openOutside(ctx context.Context, data string, own Data) (images dataset.Images, hash string, err error) {
	opened, err := dataset.Open(ctx, dataset.Config{Name: data, TrainCount: 1, Seed: own.Seed})
	if err != nil {
		return images, "", err
	}
	images = opened.Test
	if images.Height != e.images.Height || images.Width != e.images.Width {
		return images, "", fmt.Errorf("nbbnn: %s has images of %d x %d pixels, the run's data set %s of %d x %d: name a data set with images of that size",
			data, images.Height, images.Width, own.Name, e.images.Height, e.images.Width)
	}
	if data == own.Name {
		return images, "", fmt.Errorf("nbbnn: the run was trained on %s, so its images aren't from outside: name another data set", data)
	}
	count := min(images.Count(), e.images.Count())
	if count == 0 {
		return images, "", fmt.Errorf("nbbnn: %s has no test images: name another data set", data)
	}
	return images.Slice(0, count), opened.Hash, e.takeFirst(count)
}

// outsideKey identifies the test in outside.csv.
func (e *evaluator) outsideKey() score.Key {
	key := e.evaluation.key()
	key.Suite = Evaluation{Suite: score.Clean, Latents: e.evaluation.Latents, Epoch: e.evaluation.Epoch}.label()
	return key
}

// findOutside returns the test of the same images that the directory keeps.
func (e *evaluator) findOutside(test score.Outside) (kept score.Outside, found bool, err error) {
	tests, err := score.ReadOutside(e.directory, e.owner)
	at := slices.IndexFunc(tests, func(o score.Outside) bool { return o.Key == test.Key && o.Data == test.Data && o.Hash == test.Hash })
	if at < 0 || err != nil {
		return test, false, err
	}
	return tests[at], true, nil
}

// CompareOutside groups runs that differ only in their seed into methods and summarises their tests
// of the test images of another data set. The evaluation is that of EvaluateOutside; without Samples
// it's each run's last test of that data set.
func CompareOutside(runs []*Run, data string, evaluation Evaluation) ([]score.OutsideMethod, error) {
	var scored []score.Run
	var tests []score.Outside
	first := firstRuns{}
	for _, run := range runs {
		test, err := lastOutside(run, data, evaluation)
		if err != nil {
			return nil, err
		}
		tests = append(tests, test)
		scored = append(scored, first.scored(run))
	}
	return score.CompareOutside(scored, tests)
}

// lastOutside returns the run's last test of a data set with the settings that aren't zero.
func lastOutside(r *Run, data string, evaluation Evaluation) (score.Outside, error) {
	owner, err := r.owner()
	if err != nil {
		return score.Outside{}, err
	}
	tests, err := score.ReadOutside(r.directory, owner)
	if err != nil {
		return score.Outside{}, err
	}
	if evaluation.Samples > 0 {
		evaluation.Samples = r.fillEvaluation(evaluation).Samples
	}
	for _, test := range slices.Backward(tests) {
		asked := score.Key{
			Suite: test.Suite, Samples: cmp.Or(evaluation.Samples, test.Samples),
			Subset: cmp.Or(evaluation.Images, test.Subset), Seed: cmp.Or(evaluation.Seed, test.Seed),
		}
		if test.Data == data && test.Key == asked {
			return test, nil
		}
	}
	return score.Outside{}, fmt.Errorf("nbbnn: run %s has no such test of %s from outside: `nbbnn evaluate %s --outside %s` makes one", r.directory, data, r.directory, data)
}
