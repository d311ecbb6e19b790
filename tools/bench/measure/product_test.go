package measure

import (
	"testing"

	"github.com/gomlx/compute/dtypes"

	"github.com/nbbnn/workbench/internal/engine"
)

func TestDeviceProductIsMeasuredInEitherType(t *testing.T) {
	for _, name := range []string{"go", "xla:cpu"} {
		opened, err := engine.OpenNamed(name)
		if err != nil {
			t.Logf("the product on %s was not tested: %v", name, err)
			continue
		}
		for _, dtype := range []dtypes.DType{dtypes.Float32, dtypes.BFloat16} {
			const side = 64
			if got, err := PeakDeviceProduct(t.Context(), opened.Backend, side, dtype); err != nil || got <= 0 {
				t.Errorf("%s in %s: %g operations a second, error %v; want a positive number", name, dtype, got, err)
			}
		}
	}
}

func TestTimesOfCallsBecomeTimesOfSteps(t *testing.T) {
	for _, test := range []struct {
		atOnce, steps         int
		median, total, perRow float64
	}{{0, 3, 2, 6, 4}, {1, 3, 2, 6, 4}, {4, 12, 0.5, 6, 16}} {
		r := Result{Workload: Workload{Images: 4, Samples: 2}, StepsAtOnce: test.atOnce}
		r.Time([]float64{1, 2, 3})
		if r.Steps != test.steps || r.MedianSeconds != test.median || r.TotalSeconds != test.total || r.RowsPerSecond != test.perRow {
			t.Errorf("%d steps a call: %d steps of %g s, %g s in all, %g rows/s; want %d, %g, %g and %g",
				test.atOnce, r.Steps, r.MedianSeconds, r.TotalSeconds, r.RowsPerSecond, test.steps, test.median, test.total, test.perRow)
		}
	}
}
