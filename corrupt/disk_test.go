package corrupt

import "testing"

func TestDiskKernelsEqualTheReference(t *testing.T) {
	disks := []struct{ radius, alias float64 }{
		{.3, .4}, {.4, .5}, {.5, .6}, {1, .2}, {1.5, .1}, {1, .1}, {2.5, .01}, {3, .1}, {4, .5}, {6, .5}, {8, .5},
	}
	small, large := golden[float32](t, carriedFolder, "kernels_disk_17"), golden[float32](t, carriedFolder, "kernels_disk_21")
	for i, disk := range disks {
		compareKernel(t, diskKernel(disk.radius, disk.alias), small.At(i).Values)
	}
	compareKernel(t, diskKernel(10, .5), large.Values)
}

func compareKernel(t *testing.T, got [][]float64, want []float32) {
	t.Helper()
	for y, row := range got {
		for x, v := range row {
			if w := float64(want[y*len(row)+x]); v != w {
				t.Errorf("side %d, row %d column %d: got %g, want %g, tolerance 0", len(got), y, x, v, w)
			}
		}
	}
}

func TestCorrelationDoesNotFlipAndMirrorsTheBorder(t *testing.T) {
	kernel := [][]float64{{0, 0, 0, 0, 0}, {0, 0, 0, 2, 0}, {0, 0, 1, 0, 0}, {0, 4, 0, 0, 0}, {0, 0, 0, 0, 0}}
	size := Size{2, 2}
	values := []float64{1, 0, 0, 10, 0, 0, 100, 0, 0, 1000, 0, 0}
	filter := newCorrelation(kernel, size)
	if filter.radius != 1 {
		t.Errorf("got radius %d, want 1: rings of zeros are cut off", filter.radius)
	}
	out := make([]float64, 12)
	filter.filter(out, values)
	// Up right twice, itself once, down left four times; beyond an edge lies what is inside it.
	for i, want := range []float64{1 + 2*1000 + 4*1000, 10 + 2*100 + 4*100, 100 + 2*10 + 4*10, 1000 + 2*1 + 4*1} {
		if out[3*i] != want || out[3*i+1] != 0 {
			t.Errorf("pixel %d: got %g and %g, want %g and 0", i, out[3*i], out[3*i+1], want)
		}
	}
}
