package implicit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/nbbnn/network"
)

// A change so small that hardly a ReLU switches moves the logits as the derivative says.
func TestShifts(t *testing.T) {
	m, data := newModel(t, tiny())
	images, changes := data.Test.Slice(0, 3), make([][]float32, 3)
	for i := range changes {
		changes[i] = slices.Repeat([]float32{float32(i) * 1e-4}, len(images.Pixels)/3)
	}
	shifts, err := Shifts(t.Context(), m, network.MeanLatents, images, changes)
	if err != nil || len(shifts) != 3 {
		t.Fatalf("error %v, %d shifts: want 3", err, len(shifts))
	}
	near(t, "shift by nothing", shifts[0].Exact, make([]float64, 10), 0)
	for i, shift := range shifts[1:] { // so small that hardly a ReLU switches
		_, size := MeanSquaredShift([]LogitShift{{shift.FirstOrder, shift.FirstOrder}})
		near(t, "shift of image, exact and to first order", shift.Exact, shift.FirstOrder, 0.1*math.Sqrt(size))
		if size == 0 {
			t.Errorf("image %d isn't shifted", i+1)
		}
	}
	if _, err := Shifts(t.Context(), m, network.MeanLatents, images, changes[:2]); err == nil || !strings.Contains(err.Error(), "2 changes of 3 images") {
		t.Errorf("error %v, want one that counts", err)
	}
	if _, err := Shifts(t.Context(), m, "", images, changes); err == nil {
		t.Error("shifts without fixed latents")
	}
}
