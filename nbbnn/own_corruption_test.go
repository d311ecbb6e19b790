package nbbnn

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Cells of registered corruptions are kept under the fingerprint of their functions, so that those
// of a changed function are other cells. Suites of the nineteen keep their names.
func TestOwnCorruptionsHaveCellsOfTheirOwn(t *testing.T) {
	suite := testkit.Must(corrupt.SuiteByName("cbar10"))(t)
	if got := (Evaluation{Suite: "cbar10"}).label(); got != "cbar10#"+suite.Fingerprint() {
		t.Errorf("cells of cbar10 are kept under %q, want its name and its fingerprint %s", got,
			suite.Fingerprint())
	}
	if got := (Evaluation{Suite: "all19"}).label(); got != "all19" {
		t.Errorf("cells of all19 are kept under %q, want all19", got)
	}
	notes := Evaluation{Suite: "fog,ripple"}.notes()
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "the corruption ripple is registered with "+
		"fingerprint ") {
		t.Errorf("got notes %q, want one about ripple", notes)
	}
}

// A card that shows the evaluation of another version of the function is corrected when the cells
// of this version are asked for.
func TestCardOfAnotherVersion(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	evaluation := Evaluation{Suite: "ripple", Samples: 2, Images: 4}
	testkit.Must(run.Evaluate(t.Context(), evaluation, nil))(t)
	want := testkit.Must(run.Card())(t)
	other := want
	latest := *want.Evaluation
	latest.Notes, latest.Levels.NLL[5] = []string{"the corruption ripple is registered with " +
		"fingerprint 00000000"}, 7
	other.Evaluation = &latest
	testkit.NoError(t, writeCard(run, other))
	testkit.Must(run.Evaluate(t.Context(), evaluation, nil))(t)
	got, err := run.Card()
	if err != nil || got.Evaluation.Levels.NLL != want.Evaluation.Levels.NLL ||
		!slices.Equal(got.Evaluation.Notes, want.Evaluation.Notes) {
		t.Errorf("the card has %+v (%v), want %+v", got.Evaluation, err, want.Evaluation)
	}
}

// Predict and saved predictions take registered corruptions. A file of another version of the
// function isn't taken for one of this version.
func TestPredictionsUnderOwnCorruptions(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	folder, evaluation := t.TempDir(), Evaluation{Suite: "fog,ripple", Samples: 2, Images: 4}
	cells := testkit.Must(run.EvaluateWith(t.Context(), evaluation, EvaluateOptions{Save: folder}))(
		t)
	prediction, labels, err := run.Predict(t.Context(), evaluation, "ripple", 5)
	testkit.NoError(t, err)
	want := score.Condition{Corruption: "ripple", Severity: 5}
	last := cells[len(cells)-1]
	cell, err := prediction.Cell(want, labels)
	if err == nil {
		// TestCalibrationOfAnEvaluation checks them
		cell.Temperature, cell.Sets = last.Temperature, last.Sets
		cell, err = prediction.Scaled(cell, labels)
	}
	if err != nil || !reflect.DeepEqual(cell, last) {
		t.Errorf("Predict gives the cell %+v (%v), want %+v", cell, err, last)
	}
	for _, severity := range []int{0, 6, -1} {
		_, _, err = run.Predict(t.Context(), evaluation, "fog", severity)
		checkError(t, "severity", err, "give 1 to 5")
	}
	_, _, err = run.Predict(t.Context(), evaluation, "riple", 5)
	checkError(t, "unknown corruption", err, `did you mean "ripple"?`)

	path := filepath.Join(folder, "ripple-5.npz")
	saved := testkit.Must(score.ReadSaved(path))(t)
	if fingerprint, err := corrupt.Fingerprint("ripple"); err != nil ||
		saved.Fingerprint != fingerprint {
		t.Errorf("the file has the fingerprint %q, want %q (%v)", saved.Fingerprint, fingerprint,
			err)
	}
	if fog, err := score.ReadSaved(filepath.Join(folder, "fog-5.npz")); err != nil ||
		fog.Fingerprint != "" {
		t.Errorf("the file of fog has the fingerprint %q (%v), want none", fog.Fingerprint, err)
	}
	saved.Fingerprint = "00000000"
	testkit.NoError(t, score.Save(path, saved.SavedInfo, saved.Prediction(), saved.Labels,
		saved.Indices, false))
	refused(t, "another version of ripple", "another version of ripple")(
		run.EvaluateWith(t.Context(), evaluation, EvaluateOptions{Save: folder}))
}
