package paper

import (
	"path/filepath"
	"testing"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
)

// A network with two inputs is trained, measured and drawn, and its numbers are kept.
func TestMakeFigure01(t *testing.T) {
	directory := t.TempDir()
	options := Options{Runs: filepath.Join(directory, "runs"), Out: filepath.Join(directory, "out"), Progress: func(nbbnn.Update) {}}
	figure := figure01.Adjust(func(s *Setup) { s.Seeds, s.Config.Training.Epochs = FirstSeeds(1), 2 })
	result, files, err := Make(t.Context(), figure, Smoke, options)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 3 || len(result.Runs[0].Plane.Starts) != planeStarts || len(result.Runs[0].Plane.Probability) != planeSteps {
		t.Errorf("files %v, %d starts, %d rows of predictions", files, len(result.Runs[0].Plane.Starts), len(result.Runs[0].Plane.Probability))
	}
	for _, row := range result.Runs[1].Plane.Probability {
		for _, p := range row {
			closeTo(t, "sum of probabilities", p[0]+p[1]+p[2], 1, 2e-4)
		}
	}
	before := result.Runs[0].Plane.covered()
	again, err := figure.Evaluate(t.Context(), Smoke, options)
	if err != nil {
		t.Fatal(err)
	}
	for i, covered := range again.Runs[0].Plane.covered() {
		closeTo(t, "covered, read from the file", covered, before[i], 0)
	}
	plan, err := figure.Plan(Smoke, options)
	if err != nil || plan.Missing() {
		t.Errorf("after the measurement %d of 2 runs are measured, error %v", plan.Measured(), err)
	}
}

// Shifted points are at their lengths from the start, in bytes of the image.
func TestPlaneImages(t *testing.T) {
	images := planeImages([2]float64{0, 1}, [2]float64{0.5, 2})
	if want := string([]byte{0, 255, 0, 128, 255, 0}); string(images.Pixels) != want || images.Count() != 2 {
		t.Errorf("pixels are %v, want %v", images.Pixels, []byte(want))
	}
	if got := planePoint(images, 1); got != [2]float64{128.0 / 255, 1} {
		t.Errorf("point is %v", got)
	}
}

// The circles are the inputs that the network gets, also at the edge of the square.
func TestPlaneShiftsStayInTheSquare(t *testing.T) {
	for direction, want := range map[int][2]float64{0: {1, 0.5}, planeDirections / 4: {0.95, 0.66}, planeDirections / 2: {0.79, 0.5}} {
		got := planeShift([2]float64{0.95, 0.5}, 0.16, direction)
		closeTo(t, "x", got[0], want[0], 1e-12)
		closeTo(t, "y", got[1], want[1], 1e-12)
	}
}

// Every layer of a network without convolutions has outputs, not only the last.
func TestOutputsOfDenseLayers(t *testing.T) {
	setup := figure01.Adjust(func(s *Setup) { s.Config.Training.Epochs, s.Config.Data.Train = 1, 40 }).Runs(Smoke)
	run, err := nbbnn.Open(t.TempDir(), setup.config(setup.Methods[0], 1))
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Train(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	m, err := run.Model(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, layer := range m.Layers() {
		draws := implicit.LayerDraws{Layer: layer, Draws: 64}
		outputs, err := implicit.LayerOutputs(t.Context(), m, draws, planeImages([2]float64{0.5, 0.5}))
		if want := []int{16, 16, 3}[i]; err != nil || len(outputs[0]) != want {
			t.Errorf("%s: error %v, want %d values", layer, err, want)
		}
	}
}
