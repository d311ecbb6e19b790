package nbbnn

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/testkit"
)

// evaluatedTwice is a run with the cells of two evaluations, of which the card tells the second as
// the latest.
func evaluatedTwice(t *testing.T) (run *Run, first, second Evaluation) {
	t.Helper()
	config := briefConfig()
	run = trainedRun(t, t.TempDir(), config)
	first, second = Evaluation{Samples: 2, Images: 2}, Evaluation{Samples: 2, Images: 3}
	for _, evaluation := range []Evaluation{first, second} {
		testkit.Must(run.Evaluate(t.Context(), evaluation, nil))(t)
	}
	return run, first, second
}

// latest is the evaluation of a run's card.
func latest(t *testing.T, run *Run) CardEvaluation {
	t.Helper()
	card, err := run.Card()
	if err != nil || card.Evaluation == nil || card.Samples != card.Evaluation.Samples ||
		card.Suite != card.Evaluation.Suite {
		t.Fatalf("the card has suite %q, %d samples and evaluation %+v, error %v", card.Suite,
			card.Samples, card.Evaluation, err)
	}
	return *card.Evaluation
}

// The latest evaluation is the one that was last asked for, computed or not, and each keeps the
// time that it took.
func TestLatestEvaluationIsTheLastAskedFor(t *testing.T) {
	run, first, second := evaluatedTwice(t)
	before := latest(t, run)
	if before.Images != second.Images || before.WallSeconds <= 0 {
		t.Fatalf("the card tells of %+v, want %+v", before, second)
	}
	stored := func(evaluation Evaluation) CardEvaluation {
		t.Helper()
		cells := testkit.Must(run.Evaluate(t.Context(), evaluation, func(Update) {
			t.Error("it computes again")
		}))(t)
		now := latest(t, run)
		if now.Images != evaluation.Images || now.Levels.NLL[0] != cells[0].NLL {
			t.Errorf("the card tells of %+v, want %+v with clean NLL %g", now, evaluation,
				cells[0].NLL)
		}
		return now
	}
	stored(first)
	if after := stored(second); !reflect.DeepEqual(after, before) {
		t.Errorf("asked for again the evaluation is %+v, want %+v", after, before)
	}
	card, err := run.Card()
	if err != nil || len(card.Earlier) != 1 || card.Earlier[0].Images != first.Images ||
		card.Earlier[0].WallSeconds <= 0 {
		t.Errorf("earlier evaluations are %+v, error %v, want the first one alone, with its time",
			card.Earlier, err)
	}
}

// An evaluation whose cells are there is put on a card that lacks it, as after a process that was
// killed behind the last cell.
func TestLatestEvaluationIsPutOnTheCard(t *testing.T) {
	run, first, _ := evaluatedTwice(t)
	for _, forget := range []func(*Card){
		func(c *Card) { c.Earlier = nil },
		func(c *Card) { c.Earlier, c.Evaluation, c.Suite, c.Samples = nil, nil, "", 0 },
	} {
		card := testkit.Must(run.Card())(t)
		forget(&card)
		testkit.NoError(t, writeCard(run, card))
		testkit.Must(run.Evaluate(t.Context(), first, func(Update) {
			t.Error("it computes again")
		}))(t)
		if now := latest(t, run); now.Images != first.Images {
			t.Errorf("the card tells of %+v, want %+v", now, first)
		}
	}
}

// While another process works on the run, and where nothing can be locked, stored cells are there
// to read, and the card stays as it is.
func TestLatestEvaluationOfALockedRun(t *testing.T) {
	run, first, second := evaluatedTwice(t)
	read := func(when string) {
		if cells, err := run.Evaluate(t.Context(), first, nil); err != nil || len(cells) != 41 {
			t.Errorf("%s: %d cells, error %v, want 41", when, len(cells), err)
		}
		if now := latest(t, run); now.Images != second.Images {
			t.Errorf("%s: the card tells of %+v, want %+v", when, now, second)
		}
	}
	unlock := testkit.Must(run.lock())(t)
	read("locked")
	unlock()
	testkit.NoError(t, os.Mkdir(run.path("lock"), 0o755)) // no file that could be locked
	read("without a lock")
}

// The notes on ready-made images come back with the evaluation, though the images are gone.
func TestLatestEvaluationOfReadyMadeImages(t *testing.T) {
	config := briefConfig()
	run := trainedRun(t, t.TempDir(), config)
	folder := filepath.Join(t.TempDir(), "made")
	data := testkit.Must(run.config.OpenData(t.Context()))(t)
	suite := testkit.Must(corrupt.SuiteByName("first8"))(t)
	makeSet(t, folder, suite, data.Test, 0)
	readyMade, generated := Evaluation{Samples: 2, Images: 2, Corrupted: folder},
		Evaluation{Samples: 2, Images: 2}
	for _, evaluation := range []Evaluation{readyMade, generated} {
		testkit.Must(run.Evaluate(t.Context(), evaluation, nil))(t)
	}
	before := testkit.Must(run.Card())(t)
	testkit.NoError(t, os.RemoveAll(folder))
	testkit.Must(run.Evaluate(t.Context(), before.Earlier[0].Evaluation, nil))(t)
	after, err := run.Card()
	if err != nil || !reflect.DeepEqual(*after.Evaluation, before.Earlier[0]) {
		t.Errorf("the card tells of %+v, error %v, want %+v", after.Evaluation, err,
			before.Earlier[0])
	}
}
