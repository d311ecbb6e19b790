package viz

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
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

func newNeighbours(t *testing.T, draws [][]float64) *Neighbours {
	t.Helper()
	n, err := NewNeighbours(draws)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Of normal draws the region is about the ellipse, whatever the units are: a point at 2 standard
// deviations is inside, one at 4.5 isn't.
func TestNeighboursOfNormalDraws(t *testing.T) {
	n := newNeighbours(t, gaussianDraws(2000, 1000, 0.01))
	for _, test := range []struct {
		x, y   float64 // in standard deviations
		inside bool
	}{{0, 0, true}, {2, 0, true}, {0, -2, true}, {1.5, 1.5, true}, {4.5, 0, false}, {0, 4.5, false}, {-3.3, 3.3, false}} {
		if got := n.Inside([]float64{1000 * test.x, 0.01 * test.y}); got != test.inside {
			t.Errorf("(%g, %g) inside: %t, want %t", test.x, test.y, got, test.inside)
		}
	}
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
	ellipse, err := NewEllipse(flat)
	if err != nil {
		t.Fatal(err)
	}
	n := newNeighbours(t, draws)
	beyond, tail := [2]float64{1.5, 0}, [2]float64{-3, 0}
	if !ellipse.Inside(beyond) || n.Inside(beyond[:]) {
		t.Errorf("beyond all draws: in the ellipse %t, near %t; want true and false", ellipse.Inside(beyond), n.Inside(beyond[:]))
	}
	if !n.Inside(tail[:]) {
		t.Error("the tail isn't near the draws")
	}
}

// The distance is that of a search over all draws, and 99 % of the draws are inside.
func TestNeighboursAgreeWithASearchOfAll(t *testing.T) {
	draws := gaussianDraws(500, 1, 2, 3)
	n := newNeighbours(t, draws)
	for _, draw := range n.draws[:20] {
		var squares []float64
		for _, other := range n.draws {
			var square float64
			for j := range other {
				square += (other[j] - draw[j]) * (other[j] - draw[j])
			}
			squares = append(squares, square)
		}
		near(t, "sixth nearest", n.reach(draw, nearest+1), math.Sqrt(kth(squares, nearest+1)), 1e-12)
	}
	inside := 0
	for _, draw := range n.draws {
		if n.reach(draw, nearest+1) <= n.radius {
			inside++
		}
	}
	near(t, "draws inside", float64(inside), 495, 0)
}

// kth returns the k-th smallest value.
func kth(values []float64, k int) (value float64) {
	last := math.Inf(-1)
	for range k {
		value = math.Inf(1)
		for _, v := range values {
			if v > last {
				value = min(value, v)
			}
		}
		last = value
	}
	return value
}

func TestDrawsWithoutNeighbours(t *testing.T) {
	same := slices.Repeat([][]float64{{1, 2}}, 8)
	ragged := append(gaussianDraws(6, 1, 1), []float64{1})
	for name, test := range map[string]struct {
		draws [][]float64
		want  string
	}{
		"too few": {same[:5], "5 draws have no 5 neighbours"}, "alike": {same, "has the standard deviation 0"}, "ragged": {ragged, "draw 6 has 1 coordinates"},
	} {
		_, err := NewNeighbours(test.draws)
		checkError(t, name, nil, err, test.want)
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
			cloud.Corruption, cloud.Severity = append(cloud.Corruption, name), append(cloud.Severity, severity)
			cloud.Corrupted = append(cloud.Corrupted, [2]float64{2 * float64(severity), float64(i)})
		}
	}
	figure, err := CloudScatter{Clouds: []Cloud{cloud, cloud}, Columns: 1, Note: []string{"a note"}}.Figure()
	if err != nil {
		t.Fatal(err)
	}
	if got := len(figure.Plots()); got != 2 {
		t.Errorf("%d axes, want 2", got)
	}
	if err := figure.Save(t.TempDir() + "/clouds.svg"); err != nil {
		t.Error(err)
	}
	_, err = CloudScatter{Clouds: []Cloud{cloud}, Image: []uint8{1}, Height: 1, Width: 1}.Figure()
	checkError(t, "image", nil, err, "an image of 1 bytes, want 3")
	cloud.Tests = []CloudTest{{Name: "other", Inside: []bool{true}}}
	_, err = PCAScatter(cloud)
	checkError(t, "test", nil, err, `the test "other" has 1 answers for 35 corrupted versions`)
}
