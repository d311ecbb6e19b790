package nbbnn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/nbbnn/workbench/internal/cellstore"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// tested tests a run or an ensemble. An ensemble's members must all be trained; it tests the
// average of their probabilities, each with the requested samples: the cells count the samples of
// all together.
type tested struct {
	of func() (subject, error)
}

// Evaluate is EvaluateWith that reports its progress and saves no predictions.
func (t tested) Evaluate(ctx context.Context, evaluation Evaluation,
	progress Progress) (score.Cells, error) {
	return t.EvaluateWith(ctx, evaluation, EvaluateOptions{Progress: progress})
}

// EvaluateWith tests a trained run or ensemble on clean and corrupted images: level 0, and every
// corruption of the suite at five severities; or on another part of the images than the test set,
// uncorrupted. Existing cells aren't computed again. Each new one is saved at once, so a cancelled
// evaluation, whose error wraps ErrStopped, continues where it stopped. The card of a run shows the
// evaluation of the test images, with the weights at the end, that was asked for last. A record,
// which has no weights, gives the recorded cells alone. An epoch that is the last one of every
// member is the end of the training, as 0 is.
func (t tested) EvaluateWith(ctx context.Context, evaluation Evaluation,
	options EvaluateOptions) (score.Cells, error) {
	s, err := t.of()
	if err != nil {
		return nil, err
	}
	if err := s.check(evaluation); err != nil {
		return nil, err
	}
	if err := s.untrained(); err != nil {
		if options.Save == "" {
			cells, lacking := t.Cells(evaluation)
			if _, unevaluated := errors.AsType[*UnevaluatedError](lacking); !unevaluated {
				return cells, lacking
			}
		}
		return nil, err
	}
	// of a run of others
	if folder := options.Save; folder != "" && files.CheckWritable(s.directory) != nil {
		s.directory, s.lock = folder, func() (func(), error) { return lockDirectory(folder) }
	}
	e, err := s.evaluator(ctx, evaluation)
	if err != nil {
		return nil, err
	}
	if e.saver, err = newSaver(e, options); err != nil {
		return nil, err
	}
	cells, done, err := e.done()
	if done && err == nil {
		done, err = e.recall(cells)
	}
	e.progress, e.keeps, e.note = options.Progress, true, options.Note
	if done && e.withCard() != nil {
		card, _ := e.withCard().Card() // recall or the cells' owner has read it
		e.tell(card.TestNotes[e.public.Test])
	}
	if done || err != nil {
		return cells, err
	}
	return e.complete(ctx)
}

// Cells returns the scores in a complete evaluation. It computes nothing; an incomplete evaluation
// is an *UnevaluatedError. Cells of a record may lack their bins.
func (t tested) Cells(evaluation Evaluation) (score.Cells, error) {
	s, err := t.of()
	if err != nil {
		return nil, err
	}
	e, err := s.evaluator(context.Background(), evaluation)
	if err != nil {
		return nil, err
	}
	cells, missing := e.have(false)
	if missing == 0 {
		return cells, nil
	}
	if s.untrained() != nil {
		if recorded, lacking := e.have(true); lacking == 0 {
			return recorded, nil
		}
		if run := s.run(); run != nil {
			if cells := run.path("cells.csv"); run.Recorded() && !exists(cells) {
				return nil, fmt.Errorf("nbbnn: run %s has a card and no weights, and its cells "+
					"are missing: %s", run.directory, files.Restore(cells, ""))
			}
			return nil, run.untrained()
		}
	}
	return nil, &UnevaluatedError{s.directory, e.evaluation, missing, missing + len(cells)}
}

// Evaluated reports whether all cells of an evaluation exist. A record's may lack their bins.
func (t tested) Evaluated(evaluation Evaluation) bool {
	s, err := t.of()
	if err != nil || s.owner == "" { // a run without a card
		return false
	}
	_, err = t.Cells(evaluation)
	return err == nil
}

// FillEvaluation returns an evaluation with its defaults, as the run makes it. If one set of
// weights predicts without latents, all samples are the same and one is enough, and none is scaled.
// Each stored snapshot is one sample. The last epoch becomes 0, which means the end of the
// training.
func (r *Run) FillEvaluation(evaluation Evaluation) Evaluation {
	evaluation = evaluation.WithDefaults()
	if r.checkpoints().isLast(evaluation.Epoch) {
		evaluation.Epoch = 0
	}
	if evaluation.LatentScale.value() == 0 {
		evaluation.Samples = r.config.Posterior.Components // all of a component would be the same
	}
	if r.config.Posterior.Mode == Deterministic {
		evaluation.LatentScale = LatentScale{}
		settings := r.config.Settings()
		evaluation.Samples = methods.Samples(r.config.Method, settings, evaluation.Epoch,
			evaluation.Samples)
		if methods.Samples(r.config.Method, settings, 0, 2) == 1 {
			evaluation.Latents = ""
		}
	}
	return evaluation
}

// CheckEvaluation refuses an evaluation that the run can't have.
func (r *Run) CheckEvaluation(evaluation Evaluation) error {
	evaluation = r.FillEvaluation(evaluation)
	if name := sources.SetOf(evaluation.Test); name == r.config.Data.Name {
		return fmt.Errorf("nbbnn: %s is the data set of the run itself: leave --test "+
			"(Evaluation.Test) out, or name another one", name)
	}
	return cmp.Or(
		evaluation.Validate(r.config.Posterior.Components),
		methods.CheckLatents(r.config.Method, evaluation.Latents),
		r.checkNormalised(evaluation),
		r.checkPart(evaluation.Part),
	)
}

// checkPart refuses a part without images before anything is computed.
func (r *Run) checkPart(part Part) error {
	own := r.config.Data
	if part == ValidationPart && own.Validation == 0 || part == NoisyLabels && own.LabelNoise == 0 {
		return noImages(part)
	}
	return nil
}

// checkNormalised refuses batch statistics for a network without batch normalisation.
func (r *Run) checkNormalised(evaluation Evaluation) error {
	n := r.config.Network
	if evaluation.BatchStatistics == 0 || n.Undefined() != nil ||
		n.Architecture(2).HasNormalisation {
		return nil
	}
	return fmt.Errorf("nbbnn: the network %s of run %s has no batch normalisation, so a batch "+
		"has no statistics to use: leave the batch statistics out", n.Name, r.directory)
}

// subject returns the run as the subject of an evaluation.
func (r *Run) subject() (subject, error) {
	owner, err := r.owner()
	return subject{[]*Run{r}, r.directory, owner, r.config.RunName(), r.lock}, err
}

// owner identifies the run's configuration and weights for its results; "" for a run without a
// card.
func (r *Run) owner() (string, error) {
	if _, err := files.Stat(r.path("card.json")); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	card, err := r.Card()
	return r.ownerOn(card), err
}

// ownerOn returns what the checksums of the run's results are bound to, by its card or Card{}: its
// configuration and its weights.
func (r *Run) ownerOn(card Card) string {
	if card.ConfigHash == "" {
		return ""
	}
	return r.hash() + " " + card.StateSHA256
}

// OnCard returns a card's record of an evaluation of the test images, nil if it has none. Unlike
// Evaluated and Cells it reads no table of cells.
func (r *Run) OnCard(card Card, evaluation Evaluation) *CardEvaluation {
	public, err := r.FillEvaluation(evaluation).public(context.Background())
	if err != nil {
		return nil
	}
	return card.find(public)
}

// CleanTest returns the run's scores on clean test images with the final weights, as
// Evaluation.Part CleanPart tests it. It takes the test of the given number of images, 0 for the
// most, with the most samples. found is false if there is none.
func (r *Run) CleanTest(images int) (cell score.Cell, found bool, err error) {
	owner, err := r.owner()
	if err != nil {
		return score.Cell{}, false, err
	}
	store, err := cellstore.Open(r.place, owner)
	if err != nil {
		return score.Cell{}, false, err
	}
	label := Evaluation{Part: CleanPart}.label()
	cell, found = store.Largest(label, score.Condition{Corruption: score.Clean}, images)
	return cell, found, nil
}

// EachValue calls visit with every metric of every cell that the run has, of all evaluations. The
// first three columns tell the evaluation: its suite, its variant (of the corruptions, the weights
// and the latents; "plain" if it has none) and the place of its first image. It's for tables of
// many runs, whose cards have been read: card is the run's, or Card{} if it has none.
func (r *Run) EachValue(card Card, visit func(evaluation []string, images, metric,
	value string) error) error {
	var label string
	var columns []string
	return cellstore.EachValue(r.place, r.ownerOn(card), func(evaluation []string, images, metric,
		value string) error {
		if columns == nil || evaluation[0] != label {
			label, columns = evaluation[0], splitLabel(evaluation[0])
		}
		return visit(slices.Concat(columns, evaluation[1:]), images, metric, value)
	})
}
