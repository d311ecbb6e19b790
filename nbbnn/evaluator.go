package nbbnn

import (
	"context"
	"fmt"
	"time"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/cellstore"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/internal/trial"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// evaluator computes the cells of one evaluation of a subject.
type evaluator struct {
	subject
	evaluation Evaluation // filled, with the samples of all members together
	public     Evaluation // as cells and cards name it
	suite      corrupt.Suite
	store      *cellstore.Store // nil for predictions, which need no cells
	progress   Progress
	keeps      bool // the statistics of drawn weights
	note       func(text string)
	images     dataset.Images
	classes    []string   // of the run's own data set
	indices    []int      // of the images in the data set
	saver      *saver     // nil if the predictions aren't kept
	readyMade  *readyMade // nil for generated corruptions
	testNotes  []string   // on how the classes of another data set were matched
	predictors []imagePredictor

	// clean images for the calibration; none if none are left: it's cross-fitted
	heldOut     dataset.Images
	calibration calibration

	computed int // cells that were predicted
	added    int // cells that are new in the store
	started  time.Time
}

// plainEvaluator prepares an evaluation that neither reads nor keeps cells.
func (s subject) plainEvaluator(ctx context.Context, evaluation Evaluation) (*evaluator, error) {
	evaluation, err := s.fill(evaluation)
	if err != nil {
		return nil, err
	}
	suite, err := corrupt.SuiteByName(evaluation.Suite)
	if err != nil {
		return nil, err
	}
	public, err := evaluation.public(ctx)
	return &evaluator{subject: s, evaluation: evaluation, public: public, suite: suite,
		started: time.Now()}, err
}

// open loads the images and the network of each member.
func (e *evaluator) open(ctx context.Context) error {
	for _, member := range e.members {
		if err := e.openRun(ctx, member, e.evaluation.Samples/len(e.members)); err != nil {
			return err
		}
	}
	return nil
}

// openRun adds a run's trained network to the evaluator, and takes the images from its data set.
func (e *evaluator) openRun(ctx context.Context, r *Run, samples int) error {
	if _, err := r.checkpoints().of(e.evaluation.Epoch); err != nil {
		return err
	}
	data, err := r.trainedParts(ctx)
	if err != nil {
		return err
	}
	if e.images, e.indices, err = data.of(e.evaluation.Part); err != nil {
		return err
	}
	e.classes = data.Classes
	if e.evaluation.Test != "" {
		if e.images, e.testNotes, err = openTestSet(ctx, e.evaluation.Test, r.config.Data,
			data.Dataset); err != nil {
			return err
		}
		e.indices = upTo(e.images.Count())
	}
	if err := e.take(e.evaluation.First, e.evaluation.Images); err != nil {
		return err
	}
	e.heldOut = data.heldOut(e.evaluation, e.images.Count(), e.samePart(ValidationPart) == nil)
	if e.heldOut.Count() < e.evaluation.BatchStatistics {
		e.heldOut = dataset.Images{} // they can't fill a batch
	}
	if e.readyMade, err = openReadyMade(ctx, e.evaluation, e.suite, data.Dataset); err != nil {
		return err
	}
	if err := trial.CheckPrediction(r.config.Settings(), r.config.Data.Images().Size(),
		e.images.Count(), max(1, e.evaluation.BatchStatistics), samples); err != nil {
		return err
	}
	var reportDraw Progress
	if e.keeps {
		reportDraw = e.reportDraw
	}
	evaluation := e.evaluation
	evaluation.Samples = samples
	p, err := newPredictor(r, data.Dataset, evaluation, e.images.Count(), reportDraw)
	e.predictors = append(e.predictors, p)
	return err
}

// take keeps count images from the first on; a count of 0 keeps all that follow.
func (e *evaluator) take(first, count int) error {
	have := e.images.Count()
	if count == 0 {
		count = have - first
	}
	if first+count > have || count < 1 {
		from := ""
		if first > 0 {
			from = fmt.Sprintf(" from image %d on", first)
		}
		return fmt.Errorf("nbbnn: %d test images are asked for%s, the data set has %d: lower the "+
			"number", count, from, have)
	}
	e.images, e.indices = e.images.Slice(first, first+count), e.indices[first:first+count]
	return nil
}

// conditions lists the conditions of the cells.
func (e *evaluator) conditions() []score.Condition {
	if e.evaluation.Part != TestPart {
		return []score.Condition{{Corruption: score.Clean}}
	}
	return score.Conditions(e.suite)
}

// have returns the cells that were computed, or that a record has, and how many are missing.
func (e *evaluator) have(ofRecord bool) (cells score.Cells, missing int) {
	key := e.public.key()
	for _, s := range e.conditions() {
		cell, found := e.store.Find(key, s, ofRecord)
		if !found {
			missing++
			continue
		}
		cells = append(cells, cell)
	}
	return cells, missing
}

// done returns all cells, and reports whether nothing is left to compute or to save.
func (e *evaluator) done() (cells score.Cells, done bool, err error) {
	cells, missing := e.have(false)
	if missing > 0 {
		return nil, false, nil
	}
	for _, cell := range cells {
		if saved, err := e.saver.has(cell.Condition()); !saved || err != nil {
			return cells, false, err
		}
	}
	return cells, true, nil
}

// complete computes the missing cells.
func (e *evaluator) complete(ctx context.Context) (score.Cells, error) {
	unlock, err := e.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	// another process may have added some
	if e.store, err = cellstore.Open(records.Place(e.directory), e.owner); err != nil {
		return nil, err
	}
	if err := e.open(ctx); err != nil {
		return nil, stopped(err)
	}
	e.tell(e.testNotes)
	conditions := e.conditions()
	for i, s := range conditions {
		if err := e.ensure(ctx, s); err != nil {
			if cancelled(err) {
				err = fmt.Errorf("nbbnn: evaluation of run %s after %d new cells: %w", e.directory,
					e.computed, ErrStopped)
			}
			return nil, err
		}
		e.report(i+1, len(conditions), s)
	}
	cells, _ := e.have(false)
	seconds := time.Since(e.started).Seconds()
	if e.added == 0 { // only predictions were missing
		seconds = 0
	}
	return cells, e.record(e.notes(), cells, seconds)
}

// tell passes notes to the caller, who may not want them.
func (e *evaluator) tell(notes []string) {
	for _, note := range notes {
		if e.note != nil {
			e.note(note)
		}
	}
}

// ensure tests one cell and saves its predictions, unless both exist.
func (e *evaluator) ensure(ctx context.Context, s score.Condition) error {
	cell, found := e.store.Find(e.public.key(), s, false)
	saved, err := e.saver.has(s)
	if err != nil || found && saved {
		return err
	}
	images, err := e.corrupted(ctx, s)
	if err != nil {
		return err
	}
	prediction, err := e.predict(ctx, images)
	if err != nil {
		return err
	}
	e.computed++
	if !found {
		if cell, err = e.cell(ctx, s, prediction, images.Labels); err != nil {
			return err
		}
	}
	if !saved {
		if err := e.saver.save(cell, prediction, images.Labels, e.indices); err != nil {
			return err
		}
	}
	if found {
		return nil
	}
	e.added++
	return e.store.Add(e.public.key(), cell)
}

// cell returns the metrics of a prediction. Prediction sets need held-out images, and the
// temperature-scaled NLL these or enough images to cross-fit.
func (e *evaluator) cell(ctx context.Context, s score.Condition, p score.Prediction,
	labels []uint8) (score.Cell, error) {
	cell, err := p.Cell(s, labels)
	if err != nil || e.heldOut.Count() == 0 && len(labels) < CrossFitImages {
		return cell, err
	}
	if err := e.calibrate(ctx, s, p); err != nil {
		return cell, err
	}
	if e.heldOut.Count() > 0 {
		if cell.Sets, err = predictionSets(p, labels, e.calibration.threshold,
			e.evaluation.Seed); err != nil {
			return cell, err
		}
	}
	cell.Temperature, cell.OddTemperature = e.calibration.temperature, e.calibration.odd
	return p.Scaled(cell, labels)
}

// predict joins the samples of all networks, so their mean is the mean over the networks.
func (e *evaluator) predict(ctx context.Context, images dataset.Images) (score.Prediction, error) {
	predictions := make([]score.Prediction, len(e.predictors))
	for i, p := range e.predictors {
		var err error
		if predictions[i], err = p.Predict(ctx, images); err != nil {
			return score.Prediction{}, err
		}
	}
	return score.JoinPredictions(predictions...)
}

// corrupted returns the images of one cell, read or generated.
func (e *evaluator) corrupted(ctx context.Context, s score.Condition) (dataset.Images, error) {
	if e.readyMade != nil && s.Severity > 0 {
		return e.readyMade.images(ctx, s, e.images, e.evaluation.First)
	}
	return e.evaluation.corrupted(ctx, e.images, s)
}

// notes returns notes on the corrupted images for readers of the results.
func (e *evaluator) notes() []string {
	if e.readyMade == nil {
		return append(e.evaluation.notes(), e.testNotes...)
	}
	return []string{e.readyMade.note}
}

// reportDraw reports the work on drawn weights before a prediction.
func (e *evaluator) reportDraw(u Update) {
	u.Run = e.name
	e.progress.Report(u)
}

func (e *evaluator) report(done, total int, s score.Condition) {
	e.progress.Report(Update{
		Phase: "test",
		Run:   e.name,
		Done:  done,
		Total: total,
		Rate:  float64(e.computed*e.images.Count()) / time.Since(e.started).Seconds(),

		Corruption: s.Corruption,
		Severity:   s.Severity,
	})
}
