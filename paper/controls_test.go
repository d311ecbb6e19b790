package paper

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/nbbnn"
)

// M16 is compared at the epoch whose training error is nearest to M32's at the end, if its
// checkpoint is kept and tested.
func TestEqualTrainingError(t *testing.T) {
	options := Options{Runs: t.TempDir(), Out: t.TempDir()}
	figure := tiny(Figure03, 1).Adjust(func(s *Setup) { s.Config.Training.Epochs = 4 })
	runs, err := figure.Open(Smoke, options)
	if err != nil {
		t.Fatal(err)
	}
	for _, run := range runs {
		if err := run.TrainWith(t.Context(), nbbnn.TrainOptions{KeepEvery: 1}); err != nil {
			t.Fatal(err)
		}
	}
	result, err := figure.Evaluate(t.Context(), Smoke, options)
	if err != nil {
		t.Fatal(err)
	}
	m16, m32 := &result.Runs[0], &result.Runs[1]
	m32.History[4].Error = m16.History[2].Error + 1e-9 // so that epoch 2 is the nearest
	for i, epoch := range m16.History {
		if i != 2 && math.Abs(epoch.Error-m16.History[2].Error) < 1e-6 {
			m16.History[i].Error++
		}
	}
	asked := func() Verdict {
		verdicts := result.Verdicts()
		return verdicts[len(verdicts)-1]
	}
	want := "`nbbnn evaluate " + filepath.Base(m16.Directory()) + " --suite first8 --samples 1 --images 2 --epoch 2` tests M16 seed 1"
	if v := asked(); v.Outcome != NotEvaluated || !strings.HasPrefix(v.Detail, want) {
		t.Fatalf("verdict is %q (%s), want the command %s", v.Outcome, v.Detail, want)
	}
	evaluation := result.Setup.Evaluation
	evaluation.Epoch = 2
	cells, err := m16.Evaluate(t.Context(), evaluation, nil)
	if err != nil {
		t.Fatal(err)
	}
	effects := asked().Effects
	if len(effects) != 6 {
		t.Fatalf("%d effects, want one for each level", len(effects))
	}
	closeTo(t, "difference on clean images", effects[0].Mean, m32.Cells[0].NLL-cells[0].NLL, 1e-12)
}

func TestEvaluateCommand(t *testing.T) {
	run := sweepFixture(t, Figure06).Runs[0]
	trained, err := nbbnn.Open("runs", nbbnn.Config{})
	if err != nil {
		t.Fatal(err)
	}
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
	trained, err := nbbnn.Open("runs", nbbnn.Config{})
	if err != nil {
		t.Fatal(err)
	}
	r.Runs[2].Run.Run = trained
	cell := r.Runs[2].Parts[nbbnn.ValidationPart]
	cell.Temperature = 0
	r.Runs[2].Parts[nbbnn.ValidationPart] = cell
	if got := temperature(r, r.methodNames()); !strings.Contains(got, r.Runs[2].Name()+" was tested without a temperature") || !strings.Contains(got, "--part validation` adds it") {
		t.Errorf("%q, want the part of %s", got, r.Runs[2].Name())
	}
}

// Training errors that are half a point apart or less count as the same.
func TestErrorsThatMatch(t *testing.T) {
	run := func(method string, errors ...float64) RunResult {
		r := RunResult{Run: Run{Method: method, Seed: 1}, History: []nbbnn.Epoch{{Error: 0.9}}}
		for i, share := range errors {
			r.History = append(r.History, nbbnn.Epoch{Epoch: i + 1, Error: share})
		}
		return r
	}
	for _, test := range []struct {
		end   float64 // of M32
		close bool
		text  string
	}{
		{0.152, true, "M16 seed 1 has 14.80 % at epoch 3, M32 seed 1 has 15.20 % at the end"},
		{0.170, false, "M16 seed 1 has 18.00 % at epoch 2, M32 seed 1 has 17.00 % at the end"},
	} {
		match := matchError(run("M32", 0.5, test.end), run("M16", 0.4, 0.18, 0.148, 0.13))
		if match.close() != test.close || match.String() != test.text {
			t.Errorf("%s, the same: %v, want %s, %v", match, match.close(), test.text, test.close)
		}
	}
}
