package nbbnn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// EvaluateOutside tests how well a trained run tells clean test images of its own data set from
// those of another one, such as dataset.CIFAR100 for a run on CIFAR-10: out-of-distribution
// detection by the uncertainty of its predictions (score.Detect). The other images must have the
// size of its own. Of the evaluation, Samples, Images, Seed, Latents and Epoch count; Images is
// that of each of the two, and 0 means as many as both have. The test is kept in outside.csv in the
// run's directory, and the same call reads it again. progress counts images. The error of a
// cancelled test wraps ErrStopped.
func (r *Run) EvaluateOutside(ctx context.Context, data string, evaluation Evaluation, progress Progress) (score.Outside, error) {
	evaluation = r.FillEvaluation(evaluation)
	if err := check.First(r.checkEvaluation(evaluation), checkOutside(data, evaluation)); err != nil {
		return score.Outside{}, err
	}
	if !r.Complete() {
		return score.Outside{}, r.untrained()
	}
	e, err := r.evaluator(ctx, evaluation)
	if err != nil {
		return score.Outside{}, err
	}
	e.progress = progress
	return e.evaluateOutside(ctx, data, r.config.Data, func() error { return e.openRun(ctx, r, evaluation.Samples) })
}

// EvaluatedOutside reports whether the run has the test of EvaluateOutside, without a look at the
// images of the other data set.
func (r *Run) EvaluatedOutside(data string, evaluation Evaluation) bool {
	owner, err := r.owner()
	return err == nil && keepsOutside(r.directory, owner, data, outsideKey(r.FillEvaluation(evaluation)))
}

// keepsOutside reports whether a directory has a test of a data set.
func keepsOutside(directory, owner, data string, key score.Key) bool {
	tests, err := score.ReadOutside(directory, owner)
	return err == nil && slices.ContainsFunc(tests, func(test score.Outside) bool { return test.Key == key && test.Data == data })
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
	test := score.Outside{Key: outsideKey(e.evaluation), Data: data, Hash: hash, Inside: e.images.Count(), Images: other.Count()}
	if kept, found, err := e.findOutside(test); found || err != nil {
		return kept, err
	}
	all := test.Inside + test.Images
	inside, err := e.predictReported(ctx, e.images, own.Name, 0, all)
	if err != nil {
		return score.Outside{}, stopped(err)
	}
	outside, err := e.predictReported(ctx, other, data, test.Inside, all)
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
	return images.Slice(0, count), opened.Hash, e.take(0, count)
}

// predictReported predicts the images of a data set and reports the progress of the whole test.
// Each network has predicted the first before of all images already.
func (e *evaluator) predictReported(ctx context.Context, images dataset.Images, data string, before, all int) (score.Prediction, error) {
	networks := len(e.predictors)
	report := func(done int) {
		done += before * networks
		e.progress.Report(Update{
			Phase: "test", Run: e.name, Corruption: data, Done: done, Total: all * networks,
			Rate: float64(done) / time.Since(e.started).Seconds(),
		})
	}
	report(0)
	for i, p := range e.predictors {
		if single, is := p.(*network.Predictor); is {
			single.Progress = func(done int) { report(i*images.Count() + done) }
		}
	}
	prediction, err := e.predict(ctx, images)
	if err == nil {
		report(networks * images.Count())
	}
	return prediction, err
}

// outsideKey identifies the test of a filled evaluation in outside.csv.
func outsideKey(evaluation Evaluation) score.Key {
	key := evaluation.key()
	key.Suite = Evaluation{Suite: score.Clean, Latents: evaluation.Latents, Epoch: evaluation.Epoch}.label()
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
// of the test images of another data set. The evaluation is that of EvaluateOutside; without
// Samples it's each run's last test of that data set.
func CompareOutside(runs []*Run, data string, evaluation Evaluation) (score.OutsideMethods, error) {
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
		evaluation.Samples = r.FillEvaluation(evaluation).Samples
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
