package nbbnn

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Outside is a test of out-of-distribution detection: how well a run separates clean test images of
// its data set from another's.
type Outside struct {
	Data       string            `json:"outside"`      // name of the other data set
	Hash       string            `json:"outside_hash"` // of its images
	Samples    int               `json:"samples"`
	Inside     int               `json:"images"`         // images of the own data set
	Images     int               `json:"outside_images"` // of the other one
	Detections []score.Detection `json:"detections"`     // by each uncertainty
}

// EvaluateOutside tests how well a trained run or ensemble separates clean test images of its data
// set from another's, for example dataset.CIFAR100's for a run on CIFAR-10: out-of-distribution
// detection by the uncertainty of its predictions (score.Detect). The other images must have the
// size of its own. Of the evaluation, Samples, Images, Seed, Latents, LatentScale, BatchStatistics
// and Epoch count; Images counts each of the two, and 0 means as many as both have. Nothing is
// kept. progress counts images. The error of a cancelled test wraps ErrStopped.
func (t tested) EvaluateOutside(ctx context.Context, data string, evaluation Evaluation,
	progress Progress) (test Outside, err error) {
	s, err := t.of()
	if err != nil {
		return test, err
	}
	if evaluation.Part != TestPart || evaluation.Corrupted != "" || evaluation.Test != "" {
		return test, fmt.Errorf("nbbnn: images from outside go with clean test images, not with "+
			"part %q, corrupted images %q or the test images of %q: leave those out",
			evaluation.Part, evaluation.Corrupted, evaluation.Test)
	}
	if err := cmp.Or(s.check(evaluation), dataset.Config{Name: data}.Check(),
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

// testOutside predicts both sets of images.
func (e *evaluator) testOutside(ctx context.Context, data string) (test Outside, err error) {
	if err := e.open(ctx); err != nil {
		return test, err
	}
	own := e.members[0].config.Data
	other, hash, err := e.openOutside(ctx, data, own)
	if err != nil {
		return test, err
	}
	test = Outside{Data: data, Hash: hash, Samples: e.evaluation.Samples,
		Inside: e.images.Count(), Images: other.Count()}
	all := test.Inside + test.Images
	inside, err := e.predictReported(ctx, e.images, own.Name, 0, all)
	if err != nil {
		return test, err
	}
	outside, err := e.predictReported(ctx, other, data, test.Inside, all)
	if err != nil {
		return test, err
	}
	test.Detections, err = score.Detect(inside, outside)
	return test, err
}

// openOutside opens the other data set's test images and cuts both sets to the smaller number.
func (e *evaluator) openOutside(ctx context.Context, data string, own Data) (images dataset.Images,
	hash string, err error) {
	opened, err := openOther(ctx, data, own, e.images)
	if err != nil {
		return images, "", err
	}
	if sameClasses(opened.Classes, e.classes) {
		return images, "", fmt.Errorf("nbbnn: %s has the classes of %s, so its images aren't "+
			"from outside: `nbbnn evaluate RUN --test %[1]s` tests on them (Evaluation.Test)", data,
			own.Name)
	}
	count := min(opened.Test.Count(), e.images.Count())
	images = opened.Test.Slice(0, count)
	if err = e.take(0, count); err == nil && bytes.Equal(images.Pixels, e.images.Pixels) {
		err = fmt.Errorf("nbbnn: %s has the same images as %s, so they aren't from outside: name "+
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
