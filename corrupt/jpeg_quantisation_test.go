package corrupt

import "testing"

func TestNearestMultiple(t *testing.T) {
	tests := []struct{ coefficient, step, want int32 }{
		{0, 10, 0}, {39, 10, 0}, {40, 10, 10}, {-39, 10, 0}, {-40, 10, -10}, {119, 10, 10}, {120, 10, 20}, {8, 1, 1}, {-8160, 255, -1020},
	}
	for _, test := range tests {
		if got := nearestMultiple(test.coefficient, test.step, reciprocal(test.step)); got != test.want {
			t.Errorf("%d/8 to steps of %d: got %d, want %d", test.coefficient, test.step, got, test.want)
		}
	}
}

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

func TestQuantisationSteps(t *testing.T) {
	tests := []struct {
		quality, first, last int32
	}{{50, 16, 99}, {100, 1, 1}, {25, 32, 198}, {7, 114, 255}, {80, 6, 40}}
	for _, test := range tests {
		steps := newQuantiser(&luminanceSteps, test.quality).steps
		if steps[0] != test.first || steps[63] != test.last {
			t.Errorf("quality %d: got %d and %d, want %d and %d", test.quality, steps[0], steps[63], test.first, test.last)
		}
	}
}
