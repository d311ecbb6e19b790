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

// The axes, the shares and the projections are those of the whole decomposition, of fewer values
// than draws and of more.
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
		p := testkit.Must(NewProjection(draws, components))(t)
		projected, variances := testkit.Must(p.Project(draws[0]))(t)[0], exact.VarsTo(nil)
		for i := range components {
			direction := mat.Col(nil, i, &directions)
			testkit.Near(t, "share over the exact one",
				p.Share[i]*floats.Sum(variances)/variances[i], 1, tolerance)
			testkit.Near(t, "axis along the exact one", math.Abs(floats.Dot(p.Axes[i], direction)),
				1, tolerance)
			testkit.Near(t, "component", math.Abs(projected[i]),
				math.Abs(floats.Dot(p.centre(draws[0]), direction)), 1e-6)
		}
	}
}

// Directions of equal variance are found, though one vector leads to one of them alone.
func TestComponentsOfEqualVariance(t *testing.T) {
	p := testkit.Must(NewProjection([][]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}, 2))(t)
	testkit.Near(t, "the projection's shares", p.Share, []float64{0.5, 0.5}, 1e-9)
}

func TestCloudCountsWhatIsInside(t *testing.T) {
	cloud := Cloud{Draws: sixPoints, Corrupted: [][2]float64{{1.5, 1.5}, {5, 0}, {0, 0}},
		Severity: []int{2, 2, 4}}
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
		whole := vg.Rectangle{Max: vg.Point{X: width, Y: height}}
		place := chart{}.place(draw.Canvas{Rectangle: whole}, margin, nil)
		inside := axes.DataCanvas(place)
		x := (axes.X.Max - axes.X.Min) / float64(inside.Max.X-inside.Min.X)
		y := (axes.Y.Max - axes.Y.Min) / float64(inside.Max.Y-inside.Min.Y)
		testkit.Near(t, "ratio of the units", x/y, 1, 0.04)
	}
}
