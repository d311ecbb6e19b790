package viz

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/kdtree"

	"gonum.org/v1/gonum/stat"
)

// Ellipse is the region that holds 99 % of a two-dimensional Gaussian with the mean and the
// covariance of points.
type Ellipse struct {
	Mean       [2]float64
	Covariance [2][2]float64
}

// EllipseLimit is the squared Mahalanobis distance below which a two-dimensional Gaussian stays
// with probability 0.99: a quantile of chi-square with two degrees of freedom, -2 log 0.01
// (METHOD.md section 7).
const EllipseLimit = 9.210340371976182

// NewEllipse returns the ellipse of points, with their sample covariance. They must not lie on a
// line.
func NewEllipse(points [][2]float64) (Ellipse, error) {
	var e Ellipse
	for _, point := range points {
		for i := range e.Mean {
			e.Mean[i] += point[i] / float64(len(points))
		}
	}
	for _, point := range points {
		for i := range e.Mean {
			for j := range e.Mean {
				e.Covariance[i][j] += (point[i] - e.Mean[i]) * (point[j] - e.Mean[j]) / float64(
					len(points)-1)
			}
		}
	}
	if c := e.Covariance; len(points) < 3 || !(e.determinant() > 1e-12*c[0][0]*c[1][1]) ||
		math.IsInf(c[0][0]+c[1][1], 0) {
		return Ellipse{}, fmt.Errorf("viz: %d points have no ellipse: give at least 3 finite "+
			"ones that don't lie on a line", len(points))
	}
	return e, nil
}

func (e Ellipse) determinant() float64 {
	c := e.Covariance
	return c[0][0]*c[1][1] - c[0][1]*c[1][0]
}

// Distance returns the squared Mahalanobis distance of a point from the mean.
func (e Ellipse) Distance(point [2]float64) float64 {
	c := e.Covariance
	x, y := point[0]-e.Mean[0], point[1]-e.Mean[1]
	return (c[1][1]*x*x - 2*c[0][1]*x*y + c[0][0]*y*y) / e.determinant()
}

// Inside reports whether the ellipse holds a point.
func (e Ellipse) Inside(point [2]float64) bool { return e.Distance(point) <= EllipseLimit }

// outline returns points on the ellipse, once round.
func (e Ellipse) outline(count int) [][2]float64 {
	c := e.Covariance
	// The ellipse is the circle of the radius below under the lower triangular root of the
	// covariance.
	a := math.Sqrt(c[0][0])
	b := c[0][1] / a
	d := math.Sqrt(c[1][1] - b*b)
	radius := math.Sqrt(EllipseLimit)
	points := make([][2]float64, count)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(count-1))
		points[i] = [2]float64{e.Mean[0] + radius*a*cos, e.Mean[1] + radius*(b*cos+d*sin)}
	}
	return points
}

// Neighbours is the region of points that are as near to the draws as 99 % of the draws are to each
// other. Nearness is the distance to the fifth nearest draw, in standard deviations of each
// coordinate. Unlike Ellipse it sees a skewed cloud: a point beyond all draws on the steep side
// isn't near, however long the tail on the other side is.
type Neighbours struct {
	draws  *kdtree.Tree // in standard deviations
	scale  []float64    // standard deviation of each coordinate
	radius float64      // to the fifth nearest draw, for 99 % of the draws
}

// neighbours is the place of the draw whose distance counts: a single stray draw makes nothing
// near.
const neighbours = 5

// NewNeighbours returns the region of draws, [draws][coordinates]. The coordinates are
// uncorrelated, as principal components are.
func NewNeighbours(draws [][]float64) (*Neighbours, error) {
	if len(draws) <= neighbours {
		return nil, fmt.Errorf("viz: %d draws have no %d neighbours: give more", len(draws),
			neighbours)
	}
	if err := checkDraws(draws); err != nil {
		return nil, err
	}
	n := &Neighbours{}
	for j := range draws[0] {
		values := make([]float64, len(draws))
		for i, draw := range draws {
			values[i] = draw[j]
		}
		scale := stat.StdDev(values, nil)
		if !(scale > 0) || math.IsInf(scale, 0) {
			return nil, fmt.Errorf("viz: coordinate %d of the draws has the standard deviation "+
				"%g: give draws that vary", j, scale)
		}
		n.scale = append(n.scale, scale)
	}
	points, distances := make(kdtree.Points, len(draws)), make([]float64, len(draws))
	for i, draw := range draws {
		points[i] = n.scaled(draw)
	}
	n.draws = kdtree.New(points, false)
	for i, point := range points {
		distances[i] = n.reach(point, neighbours+1) // the nearest is the draw itself
	}
	slices.Sort(distances)
	if n.radius = percentile(distances); n.radius == 0 {
		return nil, errors.New("viz: nearly all draws are alike: give draws that vary")
	}
	return n, nil
}

// Distance returns a point's distance from its fifth nearest draw, divided by the distance within
// which 99 % of the draws have theirs: up to 1 the point is near.
func (n *Neighbours) Distance(point []float64) float64 {
	return n.reach(n.scaled(point), neighbours) / n.radius
}

// inside reports whether a point is as near to the draws as 99 % of them are to each other.
func (n *Neighbours) inside(point []float64) bool { return n.Distance(point) <= 1 }

func (n *Neighbours) scaled(point []float64) []float64 {
	result := make([]float64, len(n.scale))
	for j, scale := range n.scale {
		result[j] = point[j] / scale
	}
	return result
}

// reach returns the distance of a scaled point from its k-th nearest draw.
func (n *Neighbours) reach(point []float64, k int) float64 {
	nearest := kdtree.NewNKeeper(k)
	n.draws.NearestSet(nearest, kdtree.Point(point))
	return math.Sqrt(nearest.Heap[len(nearest.Heap)-1].Dist)
}

// percentile returns the value that 99 % of sorted values don't exceed.
func percentile(sorted []float64) float64 {
	return sorted[int(math.Ceil(0.99*float64(len(sorted))))-1]
}
