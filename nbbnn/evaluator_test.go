package nbbnn

import (
	"context"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
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
			e, err := newEvaluator(t.Context(), t.TempDir(), "", "test", Evaluation{Suite: "all19", Samples: 2}.WithDefaults())
			if err != nil {
				t.Fatal(err)
			}
			graphs := 0
			e.open = func(context.Context) error {
				m, err := network.NewModel(run.config.Settings(), data, network.ModelOptions{Engine: opened})
				if err != nil {
					return err
				}
				observed := m.Observe(func(name string, _ *Node) {
					if name == "conv1" {
						graphs++
					}
				})
				e.images = data.Test.Slice(0, 5)
				p, err := observed.NewPredictor(3, 2, 0) // three images and two
				e.predictors = []imagePredictor{p}
				return err
			}
			e.finish = func(score.Cells, float64) error { return nil }
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
