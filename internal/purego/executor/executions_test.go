package executor_test

import (
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/purego/executor"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/internal/trial"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// A training step has one operation for the latents of all layers, one for all their gradients, one
// for each kind of their parameters, and one for all small updates of a kind: the number of layers
// changes none of these counts.
func TestSmallOperationsTakeAllLayersAtOnce(t *testing.T) {
	opened, err := engine.Open()
	if err != nil || !strings.Contains(opened.Name, "kernels") {
		t.Skip("only the pure-Go engine with kernels can be observed")
	}
	for _, name := range []string{"allcnnc", "resnet18"} {
		training, err := trial.NewTraining(trial.Workload{Height: 32, Classes: 10,
			Settings: network.Settings{
				Network:   network.Network{Name: name, Width: 8},
				Posterior: network.Posterior{Mode: network.Both, Components: 2},
				Training:  network.Training{Batch: 2, Samples: 2},
			}})
		testkit.NoError(t, err)
		testkit.Must(training.Step())(t)
		stop := executor.Observe()
		_, err = training.Step()
		counts := stop()
		testkit.NoError(t, err)
		want := map[string]int{"sample": 1, "sample gradient": 1, "columns": 2, "plain descent": 1}
		if name == "resnet18" {
			want["moving averages"] = 1
		}
		for operation, count := range want {
			if counts[operation] != count {
				t.Errorf("%s: %d of %q, want %d", name, counts[operation], operation, count)
			}
		}
		if counts["identity"] > 5 {
			t.Errorf("%s: %d identities, want none in layers", name, counts["identity"])
		}
	}
}
