package paper

import (
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
)

// TestImageCounts compares the standard size of Shapes10 with the data set itself.
func TestImageCounts(t *testing.T) {
	data, err := dataset.Open(t.Context(), dataset.Config{Name: dataset.Shapes10})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		data        nbbnn.Data
		train, test int
	}{
		{nbbnn.Data{Name: dataset.Shapes10}, data.Train.Count(), data.Test.Count()},
		{nbbnn.Data{Name: dataset.Shapes10, Train: 9_000, Test: 5}, 9_000, 5},
		{nbbnn.Data{Name: dataset.CIFAR10}, 50_000, 10_000},
		{nbbnn.Data{Name: dataset.CIFAR10, Train: 10}, 10, 10_000},
	} {
		if train, count := imageCounts(test.data); train != test.train || count != test.test {
			t.Errorf("%+v has %d and %d images, want %d and %d", test.data, train, count, test.train, test.test)
		}
	}
}

func TestTrainingOperations(t *testing.T) {
	// METHOD.md section 6 gives 3.0e16 for one run of the paper
	closeTo(t, "training", trainingOperations(nbbnn.PaperAllCNNC(0.16)), 3.0e16, 0.05e16)
	closeTo(t, "test", testOperations(nbbnn.PaperAllCNNC(0.16), nbbnn.Evaluation{Samples: 30}, 96), 1.6e16, 0.05e16)
}

func TestImplicitOperations(t *testing.T) {
	config := nbbnn.PaperAllCNNC(0.16)
	one := implicitOperations(config, nbbnn.Implicit{}.WithDefaults(1))
	for expected, times := range map[int]float64{0: 1, 1: 1, 64: 64} {
		got := implicitOperations(config, nbbnn.Implicit{Expected: expected}.WithDefaults(1))
		closeTo(t, "search of the mean of draws", got, times*one, 1e-6*one)
	}
}

func TestMemory(t *testing.T) {
	wide := nbbnn.PaperAllCNNC(0.32)
	wide.Data.Train, wide.Data.Test = 128, 1000
	closeTo(t, "width 96, 512 rows", memory(wide), 1.9e9, 0.2e9) // measured
}
