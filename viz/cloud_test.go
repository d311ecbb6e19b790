package viz

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/nearby"
	"github.com/nbbnn/workbench/internal/testkit"
)

// gaussianDraws are normal with a standard deviation for each coordinate.
func gaussianDraws(count int, std ...float64) (draws [][]float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range count {
		draw := make([]float64, len(std))
		for j := range draw {
			draw[j] = std[j] * rng.NormFloat64()
		}
		draws = append(draws, draw)
	}
	return draws
}

// A point beyond all draws on the steep side of a skewed cloud isn't near them, though the ellipse
// holds it.
func TestNeighboursSeeASkewedCloud(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var draws [][]float64
	var flat [][2]float64
	for range 2000 {
		draw := [2]float64{-rng.ExpFloat64(), rng.NormFloat64()}
		draws, flat = append(draws, draw[:]), append(flat, draw)
	}
	ellipse := testkit.Must(NewEllipse(flat))(t)
	near := testkit.Must(nearby.New(draws))(t)
	isNear := func(point [2]float64) bool { return near.Distance(point[:]) <= 1 }
	beyond, tail := [2]float64{1.5, 0}, [2]float64{-3, 0}
	if !ellipse.Inside(beyond) || isNear(beyond) {
		t.Errorf("beyond all draws: in the ellipse %t, near %t; want true and false",
			ellipse.Inside(beyond), isNear(beyond))
	}
	if !isNear(tail) {
		t.Error("the tail isn't near the draws")
	}
}

// Clouds in two rows keep their axes, and what can't be drawn is refused.
func TestCloudsInRows(t *testing.T) {
	var cloud Cloud
	for _, draw := range gaussianDraws(200, 1, 1) {
		cloud.Draws = append(cloud.Draws, [2]float64(draw))
	}
	for i, name := range strings.Fields("fog snow frost contrast pixelate spatter brightness") {
		for severity := 1; severity <= severities; severity++ {
			cloud.Corruption, cloud.Severity = append(cloud.Corruption, name),
				append(cloud.Severity, severity)
			cloud.Corrupted = append(cloud.Corrupted, [2]float64{2 * float64(severity), float64(i)})
		}
	}
	figure := testkit.Must(CloudScatter{Clouds: []Cloud{cloud, cloud}, Columns: 1,
		Note: []string{"a note"}}.Figure())(t)
	if got := len(figure.Plots()); got != 2 {
		t.Errorf("%d axes, want 2", got)
	}
	testkit.NoError(t, figure.Save(t.TempDir()+"/clouds.svg"))
}

// sixPoints are those of the oracle implicit.ellipse99 (METHOD.md section 7).
var sixPoints = [][2]float64{{0.3, 1.0}, {-1.2, 0.4}, {0.8, -0.7}, {0.1, 0.2}, {-0.4, -1.1},
	{0.9, 0.6}}

func TestEllipseOfTheOracle(t *testing.T) {
	const tolerance = 1e-12
	e := testkit.Must(NewEllipse(sixPoints))(t)
	testkit.Near(t, "mean x", e.Mean[0], 0.08333333333333336, tolerance)
	testkit.Near(t, "mean y", e.Mean[1], 0.06666666666666664, tolerance)
	testkit.Near(t, "variance of x", e.Covariance[0][0], 0.6216666666666666, tolerance)
	testkit.Near(t, "covariance", e.Covariance[0][1], 0.04533333333333335, tolerance)
	testkit.Near(t, "variance of y", e.Covariance[1][1], 0.6466666666666667, tolerance)
	testkit.Near(t, "limit", EllipseLimit, 9.210340371976182, tolerance)
	for _, query := range []struct {
		point    [2]float64
		distance float64
		inside   bool
	}{
		{[2]float64{1.5, 1.5}, 5.977907569832682, true},
		{[2]float64{5, 0}, 39.16618328016082, false},
		{[2]float64{0, 3.2}, 15.330561361749798, false},
	} {
		testkit.Near(t, "squared distance", e.Distance(query.point), query.distance, 1e-10)
		if got := e.Inside(query.point); got != query.inside {
			t.Errorf("point %v inside: %t, want %t", query.point, got, query.inside)
		}
	}
}

// The outline lies at the limit, and its furthest point is a semi-axis away.
func TestOutlineLiesAtTheLimit(t *testing.T) {
	e := testkit.Must(NewEllipse(sixPoints))(t)
	furthest := 0.0
	for _, point := range e.outline(721) {
		testkit.Near(t, "squared distance of the outline", e.Distance(point), EllipseLimit, 1e-10)
		furthest = max(furthest, math.Hypot(point[0]-e.Mean[0], point[1]-e.Mean[1]))
	}
	testkit.Near(t, "furthest point of the outline", furthest, 2.504797024802618, 1e-4)
}

// The plane keeps what the probabilities depend on: they are the softmax of the outputs, and adding
// a number to all outputs moves no point. Distances are those of the outputs without their mean.
func TestOutputPlaneKeepsTheProbabilities(t *testing.T) {
	const tolerance = 1e-12
	outputs := [3]float64{0.3, -1.2, 2.5}
	plane := func(o [3]float64) [2]float64 { // of PlaneShifts
		return [2]float64{(o[0] - o[1]) / math.Sqrt2, (2*o[2] - o[0] - o[1]) / math.Sqrt(6)}
	}
	point, moved := plane(outputs), plane([3]float64{7.3, 5.8, 9.5})
	var sum, mean, square float64
	for _, output := range outputs {
		sum += math.Exp(output)
		mean += output / 3
	}
	for i := range point {
		testkit.Near(t, "moved point", moved[i], point[i], tolerance)
	}
	for i, p := range planeProbabilities(point[0], point[1]) {
		testkit.Near(t, "probability", p, math.Exp(outputs[i])/sum, tolerance)
		square += (outputs[i] - mean) * (outputs[i] - mean)
	}
	testkit.Near(t, "distance from the origin", math.Hypot(point[0], point[1]), math.Sqrt(square),
		tolerance)
}

func TestShiftPanels(t *testing.T) {
	good := PlaneShifts{
		Name: "net", Points: [][2]float64{{0.5, 0.5}}, Labels: []int{2}, Probability: [][][]float64{
			{{0.2, 0.3, 0.5}}},
		Start: [2]float64{0.5, 0.5}, Lengths: []float64{0.1}, Circles: [][][2]float64{sixPoints},
		Draws: sixPoints, Outputs: [][][2]float64{sixPoints[:2]},
	}
	figure := testkit.Must(ShiftPanels(good, good))(t)
	if got := len(figure.Plots()); got != 4 {
		t.Errorf("%d axes, want 4", got)
	}
	testkit.NoError(t, figure.Save(t.TempDir()+"/shifts.pdf"))
}
