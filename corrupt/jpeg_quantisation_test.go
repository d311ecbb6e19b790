package corrupt

import "testing"

func TestNearestMultipleDividesExactly(t *testing.T) {
	for step := int32(1); step <= 255; step++ {
		reciprocal := reciprocal(step)
		for coefficient := int32(0); coefficient < 1<<14; coefficient++ {
			want := (coefficient + 4*step) / (8 * step) * step
			up, down := nearestMultiple(coefficient, step, reciprocal), nearestMultiple(-coefficient, step, reciprocal)
			if up != want || down != -want {
				t.Fatalf("%d/8 to steps of %d: got %d and %d, want %d and its negative", coefficient, step, up, down, want)
			}
		}
	}
}
