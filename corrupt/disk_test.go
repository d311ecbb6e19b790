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
