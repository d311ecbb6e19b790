package paper

import (
	"testing"

	"github.com/nbbnn/workbench/nbbnn"
)

func TestMultiplications(t *testing.T) {
	// METHOD.md 1.3
	closeTo(t, "All-CNN-C", multiplications(nbbnn.Network{Name: "allcnnc", Width: 96}), 278_814_720, 0)
}

func TestTrainingOperations(t *testing.T) {
	// METHOD.md section 6 gives 3.0e16 for one run of the paper
	closeTo(t, "training", trainingOperations(nbbnn.PaperAllCNNC(0.16)), 3.0e16, 0.05e16)
	closeTo(t, "test", testOperations(nbbnn.PaperAllCNNC(0.16), nbbnn.Evaluation{Samples: 30}, 96), 1.6e16, 0.05e16)
}

func TestMemory(t *testing.T) {
	wide := nbbnn.PaperAllCNNC(0.32)
	wide.Data.Train, wide.Data.Test = 128, 1000
	closeTo(t, "width 96, 512 rows", memory(wide), 1.9e9, 0.2e9) // measured
}
