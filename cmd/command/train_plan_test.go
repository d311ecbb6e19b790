package command

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/nbbnn"
)

// The plan of several seeds, and the rule about trainings of hours, are of all runs together.
func TestEstimateOfSeveralSeeds(t *testing.T) {
	var stderr bytes.Buffer
	a := &app{streams: streams{out: &bytes.Buffer{}, err: &stderr}}
	config := nbbnn.Config{Network: nbbnn.Network{Name: "allcnnc", Width: 2},
		Data: nbbnn.Data{Name: "shapes10", Train: 256, Test: 16}}
	err := announceEstimate(t.Context(), a, config, seedCount{1_000_000, 2}, false)
	if err == nil || !strings.Contains(err.Error(), "1,000,000 runs of allcnnc") ||
		!strings.Contains(stderr.String(), " · x 1,000,000 runs, 2 at a time: about ") ||
		!strings.Contains(stderr.String(), " without tests\n") {
		t.Errorf("error %v and %q, want the time of all runs in both", err, stderr.String())
	}
}

// A plan of images that aren't here names the command that gets them, once.
func TestPlansNameAbsentData(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	small := []string{"--network", "allcnnc", "--width", "1", "--train", "32", "--batch", "8"}
	train := append([]string{"train", "--plan", "--data"}, small...)
	sweep := append([]string{"sweep", "plan", "--no-evaluation", "--seeds", "1,2", "--data"},
		small...)
	for _, args := range [][]string{train, sweep} {
		at := slices.Index(args, "--data") + 1
		for name, want := range map[string]int{"cifar10": 1, "shapes10": 0} {
			given := slices.Insert(slices.Clone(args), at, name)
			if args[0] == "sweep" {
				given = append(given, "--manifest", filepath.Join(t.TempDir(), "m.json"))
			}
			_, stderr, status := execute(t, given...)
			if got := strings.Count(stderr, "`nbbnn data get "+name+"`"); status != exitDone ||
				got != want {
				t.Errorf("%q: status %d, named %d times:\n%s", given, status, got, stderr)
			}
		}
	}
}

func TestUnknownEstimateStopsNothing(t *testing.T) {
	var stderr bytes.Buffer
	a := &app{streams: streams{out: &bytes.Buffer{}, err: &stderr}}
	bad := nbbnn.Config{Network: nbbnn.Network{Name: "abacus"}}
	if err := announceEstimate(t.Context(), a, bad, oneSeed, false); err != nil ||
		!strings.HasPrefix(stderr.String(), "plan     unknown: ") {
		t.Errorf("got error %v and %q, want a line that says why the plan is unknown", err,
			stderr.String())
	}
	stderr.Reset()
	bad.Network.Precision = "bfloat16" // of an engine that may lack it
	if err := announceEstimate(t.Context(), a, bad, oneSeed, false); err == nil ||
		stderr.Len() > 0 {
		t.Errorf("got error %v and %q, want the error alone", err, stderr.String())
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := announceEstimate(cancelled, a, nbbnn.Config{}, oneSeed, false); !errors.Is(err,
		nbbnn.ErrStopped) {
		t.Errorf("cancelled: got error %v, want %v", err, nbbnn.ErrStopped)
	}
}

// Work of hours begins if a flag names it, with a word on how to stop; otherwise train asks for the
// flag.
func TestTrainAsksForWhatTakesHours(t *testing.T) {
	for _, c := range []struct {
		name       string
		hours      float64
		named      bool
		note, want string
	}{
		{"a minute that nobody named", 1. / 60, false, "", ""},
		{"a minute", 1. / 60, true, "", ""},
		{"hours", 12, true, "note     control-C stops and saves; the same command continues", ""},
		{"hours that nobody named", 12, false, "", "nbbnn train: allcnnc with 90 epochs would " +
			"take about 12 h 00 min: pass --network allcnnc to confirm, or try --preset " +
			"allcnnc-shapes10"},
	} {
		var stderr bytes.Buffer
		a := &app{streams: streams{err: &stderr}}
		err := admit(a, nbbnn.Config{}, 3600*c.hours, 1, c.named)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		if err != nil && exitStatus(err) != exitUsage {
			t.Errorf("%s: status %d, want %d", c.name, exitStatus(err), exitUsage)
		}
		if got := strings.TrimSpace(stderr.String()); got != c.note {
			t.Errorf("%s: got %q, want %q", c.name, got, c.note)
		}
	}
}

func TestEstimateSaysHowLongAndHowMuch(t *testing.T) {
	flags := []string{"train", "--plan", "--width", "2", "--train", "20", "--batch", "4",
		"--samples", "1", "--epochs", "7"}
	cost := printed[nbbnn.Cost](t, exitDone, flags...)
	if cost.Steps != 5 || cost.StepSeconds <= 0 || cost.TotalSeconds < 34*cost.StepSeconds {
		t.Errorf("cost is %+v, want 5 steps in each of 7 epochs", cost)
	}
	if text, _, _ := execute(t, flags...); !strings.HasPrefix(text, "plan     allcnnc, width 2, "+
		"shapes10 · 5 steps an epoch · ") || !strings.Contains(text, "for 7 epochs") {
		t.Errorf("the text is %q, want the plan of 5 steps and 7 epochs", text)
	}
}

func TestTooLittleMemoryIsSaid(t *testing.T) {
	if opened, err := engine.Open(); err != nil || opened.IsDevice() {
		t.Skip("memory was not compared: the engine has its own")
	}
	for have, want := range map[int64]string{8e9: "", 2e9: "note     the training needs about " +
		"4.0 GB, this process may have 2.0 GB: take a smaller --batch, fewer --samples or a " +
		"smaller --width\n", 0: ""} {
		var stderr bytes.Buffer
		warnOfMemory(&app{streams: streams{err: &stderr}}, nbbnn.Cost{Memory: 4e9}, have)
		if got := stderr.String(); got != want {
			t.Errorf("with %d bytes: %q, want %q", have, got, want)
		}
	}
}
