package engine

import "testing"

func TestStepsPerCallDivideTheEpoch(t *testing.T) {
	for _, test := range []struct {
		steps, want int
	}{{390, 39}, {351, 39}, {195, 39}, {64, 64}, {8, 8}, {3, 3}, {97, 32}, {200, 50}} {
		if got := StepsPerCall(test.steps); got != test.want {
			t.Errorf("StepsPerCall(%d) = %d, want %d", test.steps, got, test.want)
		}
	}
}
