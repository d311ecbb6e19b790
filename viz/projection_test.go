package viz

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/nbbnn/workbench/internal/testkit"
)

// starDraws are points on both sides of a centre along three orthogonal directions, whose lengths
// are given.
func starDraws(values int, lengths [3]float64) (draws [][]float64, directions [][]float64) {
	rng := rand.New(rand.NewPCG(5, uint64(values)))
	for range 3 {
		direction := make([]float64, values)
		for j := range direction {
			direction[j] = rng.NormFloat64()
		}
		directions = append(directions, direction)
	}
	for i, direction := range directions { // Gram and Schmidt
		for _, other := range directions[:i] {
			along := floats.Dot(direction, other)
			for j := range direction {
				direction[j] -= along * other[j]
			}
		}
		length := math.Sqrt(floats.Dot(direction, direction))
		for j := range direction {
			direction[j] /= length
		}
	}
	for i, direction := range directions {
		for _, side := range []float64{-1, 1} {
			draw := make([]float64, values)
			for j := range draw {
				draw[j] = float64(j%7) + side*lengths[i]*direction[j]
			}
			draws = append(draws, draw)
		}
	}
	return draws, directions
}

// The axes, the shares and the projections of points whose principal components are known, with
// fewer and with more values than draws.
func TestProjectionOfKnownComponents(t *testing.T) {
	const tolerance = 1e-9
	lengths := [3]float64{1, 3, 2}
	for _, values := range []int{3, 4, 500} {
		draws, directions := starDraws(values, lengths)
		p := testkit.Must(NewProjection(draws, 3))(t)
		testkit.Near(t, "first share", p.Share[0], 9.0/14, tolerance)
		testkit.Near(t, "second share", p.Share[1], 4.0/14, tolerance)
		testkit.Near(t, "first axis along its direction", math.Abs(floats.Dot(p.Axes[0], directions[1])), 1, tolerance)
		testkit.Near(t, "second axis along its direction", math.Abs(floats.Dot(p.Axes[1], directions[2])), 1, tolerance)
		projected := testkit.Must(p.Project(draws...))(t)
		testkit.Near(t, "first component", math.Abs(projected[2][0]), 3, tolerance)
		testkit.Near(t, "second component", math.Abs(projected[4][1]), 2, tolerance)
		testkit.Near(t, "component across", projected[0][0], 0, tolerance)
	}
}

// The axes are those of the whole decomposition, of few values and of many.
func TestLanczosFindsTheComponents(t *testing.T) {
	const count, components, tolerance = 400, 10, 1e-9
	for _, values := range []int{12, 60, 500} {
		rng := rand.New(rand.NewPCG(7, 8))
		draws, all := make([][]float64, count), mat.NewDense(count, values, nil)
		for i := range draws {
			for j := range values {
				draws[i] = append(draws[i], 3+rng.NormFloat64()*math.Exp(-float64(j)/10))
			}
			all.SetRow(i, draws[i])
		}
		var exact stat.PC
		var directions mat.Dense
		exact.PrincipalComponents(all, nil)
		exact.VectorsTo(&directions)
		axes, squares := principalAxes(draws, meanOf(draws), components)
		for i := range components {
			testkit.Near(t, "variance over the exact one", squares[i]/(count-1)/exact.VarsTo(nil)[i], 1, tolerance)
			testkit.Near(t, "axis along the exact one", math.Abs(floats.Dot(axes[i], mat.Col(nil, i, &directions))), 1, tolerance)
		}
	}
}

// Directions of equal variance are found, though one vector leads to one of them alone.
func TestComponentsOfEqualVariance(t *testing.T) {
	p := testkit.Must(NewProjection([][]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}, 2))(t)
	testkit.Near(t, "the projection's shares", p.Share, []float64{0.5, 0.5}, 1e-9)
}

func TestCloudCountsWhatIsInside(t *testing.T) {
	cloud := Cloud{Draws: sixPoints, Corrupted: [][2]float64{{1.5, 1.5}, {5, 0}, {0, 0}}, Severity: []int{2, 2, 4}}
	s := testkit.Must(newScatter(cloud))(t)
	if got, want := s.counts(0), [severities]int{0, 1, 0, 1, 0}; got != want {
		t.Errorf("%v versions in the ellipse, want %v", got, want)
	}
}

// A unit has the same length on both axes of a scatter, whether the cloud is wide, square or high.
func TestScatterHasEqualUnits(t *testing.T) {
	for _, scale := range [][2]float64{{100, 10}, {1, 1}, {0.1, 3}} {
		cloud := Cloud{Share: [2]float64{0.5, 0.2}}
		for _, point := range sixPoints {
			cloud.Draws = append(cloud.Draws, [2]float64{scale[0] * point[0], scale[1] * point[1]})
		}
		figure := testkit.Must(PCAScatter(cloud))(t)
		axes, width, height := figure.Plots()[0], figure.bare.width, figure.bare.body
		place := chart{}.place(draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: width, Y: height}}}, margin, nil)
		inside := axes.DataCanvas(place)
		x := (axes.X.Max - axes.X.Min) / float64(inside.Max.X-inside.Min.X)
		y := (axes.Y.Max - axes.Y.Min) / float64(inside.Max.Y-inside.Min.Y)
		testkit.Near(t, "ratio of the units", x/y, 1, 0.04)
	}
}
