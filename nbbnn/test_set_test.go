package nbbnn_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// addTestSet adds stripes shifted by some pixels, with labels and names of its own.
func addTestSet(t *testing.T, name string, classes []string, label func(own uint8) uint8) {
	t.Helper()
	train, test := stripes(len(classes), 19), stripes(9, 19)
	for i, own := range test.Labels {
		test.Labels[i] = label(own)
	}
	for i := range train.Labels {
		train.Labels[i] = uint8(i)
	}
	_, err := dataset.Add(t.Context(), dataset.Dataset{Name: name, Classes: classes, Train: train,
		Test: test}, dataset.AddOptions{})
	testkit.NoError(t, err)
}

// The classes of another data set are those of the run with their names, whatever their numbers,
// also under corruption. What the card tells first stays the test of the run's own images.
func TestEvaluateOnAnotherTestSet(t *testing.T) {
	addStripes(t, 0)
	addTestSet(t, "hospital2", []string{"diagonal", "across", "down"}, func(own uint8) uint8 {
		return (own + 1) % 3
	})
	run := openStripes(t, t.TempDir())
	testkit.NoError(t, run.Train(t.Context(), nil))
	own := testkit.Must(run.Evaluate(t.Context(), nbbnn.Evaluation{Suite: "fog", Samples: 4}, nil))(
		t)
	evaluation := nbbnn.Evaluation{Suite: "fog", Samples: 4, Test: "hospital2"}
	var notes []string
	cells := testkit.Must(run.EvaluateWith(t.Context(), evaluation,
		nbbnn.EvaluateOptions{Note: func(text string) { notes = append(notes, text) }}))(t)
	prediction := testkit.Must(run.PredictImages(t.Context(), stripes(9, 19), 4))(t)
	want := testkit.Must(prediction.Cell(score.Condition{Corruption: score.Clean},
		stripes(9, 19).Labels))(t)
	if len(cells) != 6 || math.Abs(cells[0].NLL-want.NLL) > 1e-12 || cells[0].NLL == own[0].NLL ||
		cells[5].NLL == cells[0].NLL || notes != nil {
		t.Errorf("%d cells with NLL %v, notes %v, want 6 that begin with %v, and none", len(cells),
			cells[0].NLL, notes, want.NLL)
	}
	card := cardOf(t, run)
	tests := card.Evaluations()
	if card.Evaluation.Test != "" || len(tests) != 2 || tests[1].Test != "hospital2@"+
		dataset.Content("", "hospital2")[:8] || tests[1].Levels.NLL[5] != cells[5].NLL {
		t.Errorf("the card tells of %+v, want the run's own test first", tests)
	}
	again, err := run.Evaluate(t.Context(), tests[1].Evaluation, func(nbbnn.Update) {
		t.Error("the test on the card computes again")
	})
	if err != nil || !slices.EqualFunc(again, cells, func(a, b score.Cell) bool {
		return a.NLL == b.NLL
	}) {
		t.Errorf("by its name on the card it is %+v (%v)", again, err)
	}
}

// As many classes without a name in common are taken by their numbers, with a note.
func TestTestSetByNumbers(t *testing.T) {
	addStripes(t, 0)
	addTestSet(t, "numbered", []string{"0", "1", "2"}, func(own uint8) uint8 { return own })
	addTestSet(t, "mixed", []string{"across", "up", "diagonal"}, func(own uint8) uint8 {
		return own
	})
	addTestSet(t, "two", []string{"a", "b"}, func(own uint8) uint8 { return own % 2 })
	addTestSet(t, "part", []string{"diagonal", "down"}, func(own uint8) uint8 { return own % 2 })
	addBlank(t, "small", 16)
	run := openStripes(t, t.TempDir())
	testkit.NoError(t, run.Train(t.Context(), nil))
	var notes []string
	test := func(name string) (score.Cells, error) {
		evaluation := nbbnn.Evaluation{Part: nbbnn.CleanPart, Samples: 4, Test: name}
		return run.EvaluateWith(t.Context(), evaluation,
			nbbnn.EvaluateOptions{Note: func(text string) { notes = append(notes, text) }})
	}
	want := testkit.Must(testkit.Must(run.PredictImages(t.Context(), stripes(9, 19), 4))(t).Cell(
		score.Condition{Corruption: score.Clean}, stripes(9, 19).Labels))(t)
	if cells, err := test("numbered"); err != nil || cells[0].NLL != want.NLL || len(notes) != 1 ||
		notes[0] != `the classes of numbered are taken by their numbers: "0" for "across", and so on to "2" for "diagonal"` {
		t.Errorf("%+v (%v), notes %q, want NLL %v and a note", cells, err, notes, want.NLL)
	}
	labels := stripes(9, 19).Labels
	for i, own := range labels {
		labels[i] = 2 - own%2 // diagonal, then down
	}
	want = testkit.Must(testkit.Must(run.PredictImages(t.Context(), stripes(9, 19), 4))(t).Cell(
		score.Condition{Corruption: score.Clean}, labels))(t)
	if cells, err := test("part"); err != nil || cells[0].NLL != want.NLL {
		t.Errorf("some of the classes: %+v (%v), want NLL %v", cells, err, want.NLL)
	}
	testkit.Must(dataset.Add(t.Context(), dataset.Dataset{Name: "copied",
		Classes: []string{"across", "down", "diagonal"}, Train: stripes(3, 19),
		Test: stripes(33, 0).Slice(27, 33)}, dataset.AddOptions{}))(t) // three after the 30
	if _, err := test("copied"); err != nil || len(notes) != 2 || notes[1] != "3 of the 6 test "+
		"images of copied are the run's training images, which makes the test error too low" {
		t.Errorf("with training images: %v, notes %q, want one that counts 3 of 6", err, notes)
	}
	for name, text := range map[string]string{
		"mixed": `the class "up" of mixed isn't one of stripes, and others are: give it its name there (across, down, diagonal)`,
		"two":   "two has 2 classes and stripes 3, without a name in common",
		"small": "images of 16 x 16 pixels", "stripes": "is the data set of the run itself",
		"none": `unknown data set "none"`,
	} {
		_, err := test(name)
		testkit.Error(t, name, err, text)
	}
	_, err := run.Evaluate(t.Context(), nbbnn.Evaluation{Test: "part", Part: nbbnn.CleanPart,
		Images: 11}, nil)
	testkit.Error(t, "too many images", err,
		"11 test images are asked for, the data set has 9: lower")
	testkit.Error(t, "no validation images", run.CheckEvaluation(nbbnn.Evaluation{
		Part: nbbnn.ValidationPart}), `no images of the part "validation"`)
	_, err = run.Evaluate(t.Context(), nbbnn.Evaluation{Part: nbbnn.ValidationPart,
		Test: "numbered"}, nil)
	testkit.Error(t, "another part", err, "leave those out")
}

// Data sets are compared within runs, and methods within seeds on each.
func TestCompareTests(t *testing.T) {
	addStripes(t, 0)
	addTestSet(t, "hospital2", []string{"across", "down", "diagonal"}, func(own uint8) uint8 {
		return own
	})
	parent := t.TempDir()
	var runs []*nbbnn.Run
	var nll [2][]float64
	for seed := range 3 {
		config := stripesConfig()
		config.Seed, config.Training.Epochs = uint64(seed), 1
		run := testkit.Must(nbbnn.Open(parent, config))(t)
		testkit.NoError(t, run.Train(t.Context(), nil))
		for i, set := range []string{"", "hospital2"} {
			cells := testkit.Must(run.Evaluate(t.Context(), nbbnn.Evaluation{Part: nbbnn.CleanPart,
				Samples: 2, Test: set}, nil))(t)
			nll[i] = append(nll[i], cells[0].NLL)
		}
		runs = append(runs, run)
	}
	compared := testkit.Must(nbbnn.CompareTests(runs, nbbnn.Evaluation{Samples: 2}, "",
		"hospital2"))(t)
	for i, c := range compared {
		for k, cells := range c.Methods[0].Cells {
			if len(cells) != 1 || cells[0].NLL != nll[i][k] {
				t.Errorf("set %d, run %d: %+v, want NLL %v", i, k, cells, nll[i][k])
			}
		}
	}
	addTestSet(t, "numbered", []string{"0", "1", "2"}, func(own uint8) uint8 { return own })
	evaluation := nbbnn.Evaluation{Part: nbbnn.CleanPart, Samples: 2, Test: "numbered"}
	var told []string
	for range 2 { // the second reads what the first computed
		for _, run := range runs {
			testkit.Must(run.EvaluateWith(t.Context(), evaluation, nbbnn.EvaluateOptions{
				Note: func(text string) { told = append(told, text) }}))(t)
		}
	}
	compared = testkit.Must(nbbnn.CompareTests(runs, nbbnn.Evaluation{Samples: 2}, "",
		"numbered"))(t)
	if notes := compared[1].Notes; compared[0].Notes != nil || len(notes) != 1 ||
		!strings.HasPrefix(notes[0], "the classes of numbered are taken by their numbers") ||
		!slices.Equal(told, slices.Repeat(notes, 6)) {
		t.Errorf("the notes are %q and were told as %q, want one, told by each test", notes, told)
	}
	_, err := nbbnn.CompareTests(runs, nbbnn.Evaluation{Samples: 2}, "", "other")
	testkit.Error(t, "a set without tests", err, "clean/test@other with 2 samples")
}
