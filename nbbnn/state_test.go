package nbbnn

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// A run says how far it is, from its first step to its record.
func TestState(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	epochs := run.Config().Training.Epochs
	check := func(run *Run, want string, wanted State) {
		t.Helper()
		got := testkit.Must(run.State())(t)
		if got.String() != want || got.Epoch != wanted.Epoch || got.Epochs != epochs ||
			got.Trained != wanted.Trained || got.Recorded != wanted.Recorded ||
			got.Begun != (want != "not begun") || (got.Holder != "") != (wanted.Holder != "") ||
			(got.Card != nil) != (wanted.Trained || wanted.Recorded) {
			t.Errorf("the state is %q, %+v, want %q, %+v", got, got, want, wanted)
		}
	}
	check(run, "not begun", State{})
	stopAt(t, run, 7)
	check(run, "stopped, at epoch 1 of 3", State{Epoch: 1})
	unlock := testkit.Must(run.lock())(t)
	check(run, "being trained, at epoch 1 of 3", State{Epoch: 1, Holder: "this process"})
	unlock()
	testkit.NoError(t, run.Train(t.Context(), nil))
	check(run, "trained", State{Epoch: epochs, Trained: true})
	testkit.Must(run.Evaluate(t.Context(), Evaluation{Samples: 2, Images: 4}, nil))(t)
	check(run, "evaluated on first8", State{Epoch: epochs, Trained: true})
	folder := t.TempDir()
	recordOf(t, run.Directory(), filepath.Join(folder, "map"))
	check(openRun(t, folder, run.Config()), "evaluated on first8, without weights",
		State{Epoch: epochs, Recorded: true})
	rewrite(t, run.path("card.json"), `"seed": `, `"seed": 1`)
	if state, err := run.State(); err == nil ||
		!strings.Contains(err.Error(), "card.json is damaged") || state.Epoch != epochs ||
		state.Card != nil {
		t.Errorf("with a damaged card: %+v, error %v", state, err)
	}
}
