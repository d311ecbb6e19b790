package paper

import (
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
)

// checkPlanes compares the predictions of Figure 1's second network with what the figure draws.
func checkPlanes(t *testing.T, result *Result) {
	t.Helper()
	plane := result.Runs[1].Plane
	if len(plane) != planeStarts || len(plane[0].Probability) != planeSteps {
		t.Errorf("%d starts, %d rows of predictions", len(plane), len(plane[0].Probability))
	}
	for _, row := range plane[0].Probability {
		for _, p := range row {
			testkit.Near(t, "sum of probabilities", p[0]+p[1]+p[2], 1, 2e-4)
		}
	}
}

// Shifted points are at their lengths from the start, in bytes of the image.
func TestPlaneImages(t *testing.T) {
	images := planeImages([2]float64{0, 1}, [2]float64{0.5, 2})
	if want := string([]byte{0, 255, 0, 128, 255, 0}); string(images.Pixels) != want ||
		images.Count() != 2 {
		t.Errorf("pixels are %v, want %v", images.Pixels, []byte(want))
	}
	if got := planePoint(images, 1); got != [2]float64{128.0 / 255, 1} {
		t.Errorf("point is %v", got)
	}
}

// The circles are the inputs that the network gets, also at the edge of the square.
func TestPlaneShiftsStayInTheSquare(t *testing.T) {
	for direction, want := range map[int][2]float64{0: {1, 0.5}, planeDirections / 4: {0.95, 0.66},
		planeDirections / 2: {0.79, 0.5}} {
		got := planeShift([2]float64{0.95, 0.5}, 0.16, direction)
		testkit.Near(t, "x", got[0], want[0], 1e-12)
		testkit.Near(t, "y", got[1], want[1], 1e-12)
	}
}

// Every layer of a network without convolutions has outputs, not only the last.
func TestOutputsOfDenseLayers(t *testing.T) {
	setup := figure01.Adjust(func(s *Setup) {
		s.Config.Training.Epochs, s.Config.Data.Train = 1, 40
	}).Runs(Smoke)
	run := testkit.Must(nbbnn.Open(t.TempDir(), setup.config(setup.Methods[0], 1)))(t)
	testkit.NoError(t, run.Train(t.Context(), nil))
	m := testkit.Must(run.Model(t.Context()))(t)
	for i, layer := range m.Architecture.Layers() {
		draws := implicit.LayerDraws{Layer: layer, Draws: 64}
		outputs, err := implicit.LayerOutputs(t.Context(), m, draws,
			planeImages([2]float64{0.5, 0.5}))
		if want := []int{16, 16, 3}[i]; err != nil || len(outputs[0]) != want {
			t.Errorf("%s: error %v, want %d values", layer, err, want)
		}
	}
}
