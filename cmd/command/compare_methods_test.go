package command

import (
	"encoding/json"
	"strings"
	"testing"
)

// A run whose data set was removed costs what it did and isn't said to have learnt nothing.
func TestCompareWithoutTheDataSet(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	pictures, runs := t.TempDir(), t.TempDir()
	drawFolder(t, pictures, 12)
	wantStatus(t, exitDone, "2 classes", "data", "add", "sides", pictures, "--size", "24", "--test", "0.25")
	card := cardOf(t, "train", "--method", "map", "--data", "sides", "--width", "4", "--epochs", "12", "--batch", "6", "--runs", runs, "--no-test")
	if card.Training.NLL > 0.6 {
		t.Fatalf("the training NLL is %v, want a network that has learnt", card.Training.NLL)
	}
	wantStatus(t, exitDone, "fog", "evaluate", card.Run, "--corruptions", "fog", "--runs", runs)
	parameters := func() (count int) {
		stdout, stderr, status := execute(t, "compare", card.Run, "--runs", runs, "--json")
		var methods []struct{ Cost struct{ Parameters int } }
		if err := json.Unmarshal([]byte(stdout), &methods); err != nil || status != exitDone || strings.Contains(stderr, "learnt nothing") {
			t.Fatalf("status %d, %v, %s, want a method and no note that it has learnt nothing", status, err, stderr)
		}
		return methods[0].Cost.Parameters
	}
	here := parameters()
	wantStatus(t, exitDone, "sides", "data", "remove", "sides")
	if gone := parameters(); here == 0 || gone != here {
		t.Errorf("%d parameters without the data set, want the %d with it", gone, here)
	}
}
