package nbbnn

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// All cells of all nineteen corruptions, and the last batch of each, which is a part of one, run
// the same compiled graph: the layers are shown to an observer whenever a graph is built.
func TestEvaluationBuildsOneGraph(t *testing.T) {
	engines := map[string]func(*testing.T) *engine.Engine{
		"go": func(t *testing.T) *engine.Engine {
			opened, err := engine.OpenNamed("go")
			if err != nil {
				t.Fatal(err)
			}
			return opened
		},
		"XLA": func(t *testing.T) *engine.Engine {
			opened, err := engine.OpenNamed("xla:cpu")
			if err != nil {
				t.Skipf("XLA was not tested: %v", err)
			}
			return opened
		},
	}
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			opened := open(t)
			config := tinyConfig()
			config.Training.Epochs = 1
			run := openRun(t, t.TempDir(), config)
			data, err := run.config.OpenData(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			m, err := network.NewModel(run.config.Settings(), data, network.ModelOptions{Engine: opened})
			if err != nil {
				t.Fatal(err)
			}
			graphs := 0
			observed := m.Observe(func(name string, _ *Node) {
				if name == "conv1" {
					graphs++
				}
			})
			p, err := observed.NewPredictor(3, 2, 0) // three images and two
			if err != nil {
				t.Fatal(err)
			}
			suite, err := corrupt.SuiteByName("all19")
			if err != nil {
				t.Fatal(err)
			}
			e := &evaluator{
				subject: subject{directory: t.TempDir()}, evaluation: Evaluation{Suite: "all19", Samples: 2}, suite: suite,
				images: data.Test.Slice(0, 5), predictors: []imagePredictor{p},
			}
			cells, err := e.complete(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			const want = 1 + 19*5
			if len(cells) != want || graphs != 1 {
				t.Errorf("%d cells with %d graphs, want %d with one", len(cells), graphs, want)
			}
		})
	}
}
