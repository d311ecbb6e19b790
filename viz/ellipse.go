package viz

import (
	"fmt"
	"math"
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
