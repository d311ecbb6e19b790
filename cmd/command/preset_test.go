package command

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// A preset with flags over it: the paper's network, made small enough to train in a moment.
func TestTrainFromAPreset(t *testing.T) {
	stdout, stderr, status := execute(t, "train", "--preset", "allcnnc-cifar10-m16", "--data", "shapes10", "--width", "2", "--train", "32", "--test", "16",
		"--batch", "8", "--samples", "1", "--compress", "9", "--gamma", "8", "--seed", "3", "--runs", t.TempDir(), "--json")
	if status != exitDone {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	var card struct{ Config nbbnn.Config }
	if err := json.Unmarshal([]byte(stdout), &card); err != nil {
		t.Fatal(err)
	}
	got := card.Config
	if got.Posterior.InitStd != 0.16 || got.Network.Form != network.Narrow || got.Objective.Gamma != 8 || got.Seed != 3 {
		t.Errorf("configuration is %+v, want the preset's standard deviation, a narrow network, gamma 8 and seed 3", got)
	}
	if got.Training.Epochs != 9 || got.Training.BetaEpochs != 6 || got.Training.PosteriorLearningRate != 0.5 {
		t.Errorf("training is %+v, want 9 epochs, 6 of them for beta, and ten times the posterior's learning rate", got.Training)
	}
}

func TestTrainRefusesStartingPoints(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--preset", "resnet18-cifar1000"}, `did you mean "resnet18-cifar100"?`},
		{[]string{"--preset", "vgg16-cifar10", "--config", "a.json"}, "choose one"},
		{[]string{"--preset", "vgg16-cifar10", "--compress", "30", "--epochs", "30"}, "--compress and --epochs"},
		{[]string{"--preset", "vgg16-cifar10", "--compress", "-1"}, "give 1 or more"},
	} {
		_, stderr, status := execute(t, append([]string{"train", "--runs", t.TempDir()}, c.args...)...)
		if status != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, %q, want 2 and %q", c.args, status, stderr, c.want)
		}
	}
}

// Held-out images and noisy labels are tested by themselves.
func TestEvaluateParts(t *testing.T) {
	runs := t.TempDir()
	stdout, stderr, status := execute(t, append(tinyRun(runs), "--epochs", "1", "--validation", "10", "--label-noise", "0.5", "--json")...)
	if status != exitDone {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	var card struct {
		Run   string
		Notes []string
	}
	if err := json.Unmarshal([]byte(stdout), &card); err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(card.Notes, "; "); !strings.Contains(notes, "10 training images held out") || !strings.Contains(notes, "50 % of the training labels") {
		t.Errorf("notes are %q, want the images held out and the noisy labels", notes)
	}
	for _, part := range []string{"validation", "clean_labels", "noisy_labels"} {
		stdout, stderr, status := execute(t, "evaluate", card.Run, "--part", part, "--samples", "2", "--runs", runs)
		if status != exitDone || !strings.Contains(stdout, part) || !strings.Contains(stdout, "NLL") {
			t.Errorf("%s: status %d, %s%s", part, status, stdout, stderr)
		}
	}
	if _, stderr, status := execute(t, "evaluate", card.Run, "--part", "validations", "--runs", runs); status != exitUsage || !strings.Contains(stderr, `did you mean "validation"?`) {
		t.Errorf("unknown part: status %d, %s", status, stderr)
	}
}
