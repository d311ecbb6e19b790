package paper

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

func TestEvaluateCommand(t *testing.T) {
	run := sweepFixture(t, Figure06).Runs[0]
	trained := testkit.Must(nbbnn.Open("runs", nbbnn.Config{}))(t)
	run.Run.Run = trained
	for _, test := range []struct {
		evaluation nbbnn.Evaluation
		want       string
	}{
		{nbbnn.Evaluation{Suite: "all19", Samples: 16, Images: 1000}, " --suite all19 --samples 16 --images 1000"},
		{nbbnn.Evaluation{Suite: "fog,snow", Samples: 32, Seed: 3, Epoch: 7}, " --suite fog,snow --samples 32 --epoch 7 --evaluation-seed 3"},
		{nbbnn.Evaluation{Suite: "first8", Samples: 4, Part: nbbnn.NoisyLabels}, " --suite first8 --samples 4 --part noisy_labels"},
	} {
		if got, want := evaluateCommand(test.evaluation, run), "nbbnn evaluate "+filepath.Base(trained.Directory())+test.want; got != want {
			t.Errorf("command is %q, want %q", got, want)
		}
	}
}

// A sweep names the part of the training images that was tested without a temperature.
func TestTemperatureOfAPartIsNeeded(t *testing.T) {
	r := sweepFixture(t, Figure06)
	if got := temperature(r, r.methodNames()); got != "" {
		t.Fatalf("%q is missing, want nothing", got)
	}
	trained := testkit.Must(nbbnn.Open("runs", nbbnn.Config{}))(t)
	r.Runs[2].Run.Run = trained
	cell := r.Runs[2].Parts[nbbnn.ValidationPart]
	cell.Temperature = 0
	r.Runs[2].Parts[nbbnn.ValidationPart] = cell
	if got := temperature(r, r.methodNames()); !strings.Contains(got, r.Runs[2].Name()+" was tested without a temperature") || !strings.Contains(got, "--part validation` adds it") {
		t.Errorf("%q, want the part of %s", got, r.Runs[2].Name())
	}
}
