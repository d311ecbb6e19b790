package nbbnn

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// EvaluateOutside tests how well a trained run or ensemble tells clean test images of its own data
// set from another one's, for example dataset.CIFAR100's for a run on CIFAR-10: out-of-distribution
// detection by the uncertainty of its predictions (score.Detect). The other images must have the
// size of its own. Of the evaluation, Samples, Images, Seed, Latents, LatentScale, BatchStatistics
// and Epoch count; Images counts each of the two, and 0 means as many as both have. The test is
// kept in outside.csv in the directory, and the same call reads it again. progress counts images.
// The error of a cancelled test wraps ErrStopped.
func (t tested) EvaluateOutside(ctx context.Context, data string, evaluation Evaluation,
	progress Progress) (test score.Outside, err error) {
	s, err := t.of()
	if err != nil {
		return test, err
	}
	if evaluation.Part != TestPart || evaluation.Corrupted != "" || evaluation.Test != "" {
		return test, fmt.Errorf("nbbnn: images from outside go with clean test images, not with "+
			"part %q, corrupted images %q or the test images of %q: leave those out",
			evaluation.Part, evaluation.Corrupted, evaluation.Test)
	}
	if err := cmp.Or(s.check(evaluation), dataset.Config{Name: data}.CheckName(),
		s.untrained()); err != nil {
		return test, err
	}
	e, err := s.plainEvaluator(ctx, evaluation)
	if err != nil {
		return test, err
	}
	unlock, err := e.lock()
	if err != nil {
		return test, err
	}
	defer unlock()
	e.progress, e.keeps = progress, true
	test, err = e.testOutside(ctx, data)
	return test, stopped(err)
}

// EvaluatedOutside reports whether EvaluateOutside has kept its test, without looking at the images
// of the other data set.
func (t tested) EvaluatedOutside(data string, evaluation Evaluation) bool {
	s, err := t.of()
	if err != nil {
		return false
	}
	filled, err := s.fill(evaluation)
	if err != nil {
		return false
	}
	_, found, err := s.findOutside(func(o score.Outside) bool {
		return o.Key == outsideKey(filled) && o.Data == data
	})
	return found && err == nil
}

// findOutside returns the last test that fits.
func (s subject) findOutside(fits func(score.Outside) bool) (test score.Outside, found bool,
	err error) {
	tests, err := score.ReadOutside(placeOf(s.directory), s.owner)
	if err != nil {
		return test, false, err
	}
	for _, test := range slices.Backward(tests) {
		if fits(test) {
			return test, true, nil
		}
	}
	return test, false, nil
}

// testOutside returns the test that the directory has, or predicts both sets of images.
func (e *evaluator) testOutside(ctx context.Context, data string) (test score.Outside, err error) {
	if err := e.open(ctx); err != nil {
		return test, err
	}
	own := e.members[0].config.Data
	other, hash, err := e.openOutside(ctx, data, own)
	if err != nil {
		return test, err
	}
	test = score.Outside{Key: outsideKey(e.evaluation), Data: data, Hash: hash,
		Inside: e.images.Count(), Images: other.Count()}
	isSame := func(o score.Outside) bool {
		return o.Key == test.Key && o.Data == data && o.Hash == hash
	}
	if kept, found, err := e.findOutside(isSame); found || err != nil {
		return kept, err
	}
	all := test.Inside + test.Images
	inside, err := e.predictReported(ctx, e.images, own.Name, 0, all)
	if err != nil {
		return test, err
	}
	outside, err := e.predictReported(ctx, other, data, test.Inside, all)
	if err != nil {
		return test, err
	}
	if test.Detections, err = score.Detect(inside, outside); err != nil {
		return test, err
	}
	return test, score.AddOutside(placeOf(e.directory), e.owner, test)
}

// openOutside opens the test images of the other data set and takes as many of both as are asked
// for, or as both have.
func (e *evaluator) openOutside(ctx context.Context, data string, own Data) (images dataset.Images,
	hash string, err error) {
	opened, err := dataset.Open(ctx, dataset.Config{Name: data, TrainCount: 1, Seed: own.Seed})
	if err != nil {
		return images, "", err
	}
	images = opened.Test
	if images.Height != e.images.Height || images.Width != e.images.Width {
		return images, "", fmt.Errorf("nbbnn: %s has images of %d x %d pixels, the run's data "+
			"set %s of %d x %d: name a data set with images of that size",
			data, images.Height, images.Width, own.Name, e.images.Height, e.images.Width)
	}
	if data == own.Name {
		return images, "", fmt.Errorf("nbbnn: the run was trained on %s, so its images aren't "+
			"from outside: name another data set", data)
	}
	if sameClasses(opened.Classes, e.classes) {
		return images, "", fmt.Errorf("nbbnn: %s has the classes of %s, so its images aren't "+
			"from outside: `nbbnn evaluate --test %[1]s` tests on them (Evaluation.Test)", data,
			own.Name)
	}
	count := min(images.Count(), e.images.Count())
	if count == 0 {
		return images, "", fmt.Errorf("nbbnn: %s has no test images: name another data set", data)
	}
	images = images.Slice(0, count)
	if err = e.take(0, count); err == nil && bytes.Equal(images.Pixels, e.images.Pixels) {
		err = fmt.Errorf("nbbnn: %s has the very images of %s, so they aren't from outside: name "+
			"another data set", data, own.Name)
	}
	return images, opened.Hash, err
}

// predictReported predicts the images of a data set and reports the progress of the whole test.
// Each network has predicted the first before of all images already.
func (e *evaluator) predictReported(ctx context.Context, images dataset.Images, data string, before,
	all int) (score.Prediction, error) {
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
	key.Suite = Evaluation{
		Suite: score.Clean, Latents: evaluation.Latents, Epoch: evaluation.Epoch,
		LatentScale: evaluation.LatentScale, BatchStatistics: evaluation.BatchStatistics,
	}.label()
	return key
}

// CompareOutside groups runs that differ only in their seed into methods and summarises their tests
// of the test images of another data set. The evaluation is EvaluateOutside's; of several tests
// that differ in what is 0 there of Samples, Images and Seed, each run's last counts.
func CompareOutside(runs []*Run, data string, evaluation Evaluation) (score.Comparison, error) {
	var scored []score.Run
	var tests []score.Outside
	groups, err := groupsOf(runs)
	if err != nil {
		return score.Comparison{}, err
	}
	for _, run := range runs {
		test, err := lastOutside(run, data, evaluation)
		if err != nil {
			return score.Comparison{}, err
		}
		tests = append(tests, test)
		scored = append(scored, groups.scored(run))
	}
	return score.CompareOutside(scored, tests)
}

// lastOutside returns the run's last test of a data set with the evaluation, of any samples, images
// or seed that are 0 there.
func lastOutside(r *Run, data string, evaluation Evaluation) (score.Outside, error) {
	s, err := r.subject()
	if err != nil {
		return score.Outside{}, err
	}
	key := outsideKey(r.FillEvaluation(evaluation))
	test, found, err := s.findOutside(func(o score.Outside) bool {
		return o.Data == data && o.Suite == key.Suite &&
			(evaluation.Samples == 0 || o.Samples == key.Samples) &&
			(evaluation.Images == 0 || o.Subset == key.Subset) &&
			(evaluation.Seed == 0 || o.Seed == key.Seed)
	})
	if err == nil && !found {
		err = fmt.Errorf("nbbnn: run %s has no such test of %s from outside: "+
			"`nbbnn evaluate %s --outside %s` makes one", r.directory, data, r.directory, data)
	}
	return test, err
}

// OutsideOfMembers returns the ensemble's last test of the images of another data set that is like
// the test of its members, as CompareOutside chooses that. Without it the test has no detections:
// EvaluateOutside makes it with the evaluation.
func (e *Ensemble) OutsideOfMembers(data string, evaluation Evaluation) (test score.Outside,
	members Evaluation, err error) {
	own, err := lastOutside(e.members[0], data, evaluation)
	if err != nil {
		return test, members, err
	}
	evaluation.Samples, evaluation.Images, evaluation.Seed = own.Samples, own.Subset, own.Seed
	own.Samples *= len(e.members)
	test, _, err = e.findOutside(func(o score.Outside) bool {
		// 0 and the number of all are the same images
		o.Subset, o.Detections = own.Subset, own.Detections
		return reflect.DeepEqual(o, own)
	})
	return test, evaluation, err
}
