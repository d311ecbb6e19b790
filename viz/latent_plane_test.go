package viz

import (
	"math"
	"testing"
)

// The plane keeps what the probabilities depend on: they are the softmax of the outputs, and adding
// a number to all outputs moves no point. Distances are those of the outputs without their mean.
func TestOutputPlaneKeepsTheProbabilities(t *testing.T) {
	const tolerance = 1e-12
	outputs := [3]float64{0.3, -1.2, 2.5}
	point := OutputPlane(outputs)
	moved := OutputPlane([3]float64{7.3, 5.8, 9.5})
	var sum, mean, square float64
	for _, output := range outputs {
		sum += math.Exp(output)
		mean += output / 3
	}
	for i := range point {
		near(t, "moved point", moved[i], point[i], tolerance)
	}
	for i, p := range planeProbabilities(point[0], point[1]) {
		near(t, "probability", p, math.Exp(outputs[i])/sum, tolerance)
		square += (outputs[i] - mean) * (outputs[i] - mean)
	}
	near(t, "distance from the origin", math.Hypot(point[0], point[1]), math.Sqrt(square), tolerance)
}

func TestShiftPanels(t *testing.T) {
	good := PlaneShifts{
		Name: "net", Points: [][2]float64{{0.5, 0.5}}, Labels: []int{2}, Probability: [][][]float64{{{0.2, 0.3, 0.5}}},
		Start: [2]float64{0.5, 0.5}, Lengths: []float64{0.1}, Circles: [][][2]float64{sixPoints},
		Draws: sixPoints, Outputs: [][][2]float64{sixPoints[:2]},
	}
	figure, err := ShiftPanels(good, good)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(figure.Plots()); got != 4 {
		t.Errorf("%d axes, want 4", got)
	}
	if err := figure.Save(t.TempDir() + "/shifts.pdf"); err != nil {
		t.Error(err)
	}
	for _, test := range []struct {
		want   string
		change func(*PlaneShifts)
	}{
		{"1 points have 0 labels", func(p *PlaneShifts) { p.Labels = nil }},
		{"go beyond 0 to 2", func(p *PlaneShifts) { p.Labels = []int{3} }},
		{"no predictions of three classes", func(p *PlaneShifts) { p.Probability = [][][]float64{{{1}}} }},
		{"have 0 circles", func(p *PlaneShifts) { p.Circles = nil }},
		{"no ellipse", func(p *PlaneShifts) { p.Draws = sixPoints[:2] }},
	} {
		bad := good
		test.change(&bad)
		_, err := ShiftPanels(bad)
		checkError(t, test.want, nil, err, test.want)
	}
	_, err = ShiftPanels()
	checkError(t, "none", nil, err, "0 networks")
}
