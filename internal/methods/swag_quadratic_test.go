package methods

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// quadratic is SGD with a constant rate on the loss 1/2 (w-w*)' A (w-w*) with a diagonal A. Its
// gradients have Gaussian noise with the covariance L L'. Far from the start, the weights have the
// mean w* and a covariance S that solves r A S + r S A - r^2 A S A = r^2 L L'.
type quadratic struct {
	rate      float64
	curvature []float64   // diagonal of A
	optimum   []float64   // w*
	noise     [][]float64 // L
	apart     int         // steps from one snapshot to the next
}

// correlatedQuadratic has noise that goes together in all weights, and standard deviations of the
// weights that are far from one.
func correlatedQuadratic() quadratic {
	return quadratic{
		rate: 0.1, curvature: []float64{2, 5, 8}, optimum: []float64{1, -0.5, 0.2}, apart: 10,
		noise: [][]float64{{0.4, 0, 0}, {0.5, 0.3, 0}, {-0.2, 0.6, 0.5}},
	}
}

// snapshots returns the weights of a training that began long before.
func (q quadratic) snapshots(count int) (all [][]float64) {
	const before = 100
	random, w := rand.New(rand.NewPCG(11, 12)), slices.Clone(q.optimum)
	for step := range before + count*q.apart {
		if step >= before && step%q.apart == 0 {
			all = append(all, slices.Clone(w))
		}
		z := normals(random, len(w))
		for i := range w {
			gradient := q.curvature[i] * (w[i] - q.optimum[i])
			for j := range z {
				gradient += q.noise[i][j] * z[j]
			}
			w[i] -= q.rate * gradient
		}
	}
	return all
}

// covariance returns S in closed form: element i, j of the equation has no other element of S.
func (q quadratic) covariance(i, j int) float64 {
	noise := 0.0
	for k := range q.noise {
		noise += q.noise[i][k] * q.noise[j][k]
	}
	a, b := q.curvature[i], q.curvature[j]
	return q.rate * noise / (a + b - q.rate*a*b)
}

// kept returns the correlation of a weight with itself at the next snapshot.
func (q quadratic) kept(i int) float64 {
	return math.Pow(1-q.rate*q.curvature[i], float64(q.apart))
}

// meanError returns the standard error of the mean of a weight over snapshots.
func (q quadratic) meanError(i, snapshots int) float64 {
	k := q.kept(i)
	return math.Sqrt(q.covariance(i, i) * (1 + k) / (1 - k) / float64(snapshots))
}

// covarianceError returns the standard error of a covariance that is estimated from snapshots.
func (q quadratic) covarianceError(i, j, snapshots int) float64 {
	k, s := q.kept(i)*q.kept(j), q.covariance(i, j)
	products := q.covariance(i, i)*q.covariance(j, j) + s*s
	return math.Sqrt(products * (1 + k) / (1 - k) / float64(snapshots))
}

// drawnCovariance returns the exact covariance of a sampler's draws, which are linear in their
// standard normal numbers: the sum of the outer products of what each number adds to the mean.
func drawnCovariance(c *moments, draw sampler) [][]float64 {
	size, low := len(c.mean), len(c.deviations)
	covariance := make([][]float64, size)
	for i := range covariance {
		covariance[i] = make([]float64, size)
	}
	for k := range size + low {
		z := make([]float64, size+low)
		z[k] = 1
		moved := float64s(draw(z[:size], z[size:]))
		for i := range moved {
			for j := range moved {
				covariance[i][j] += (moved[i] - float64(c.mean[i])) * (moved[j] -
					float64(c.mean[j]))
			}
		}
	}
	return covariance
}

// compare returns an error for the first moment of a sampler that isn't that of the weights within
// five standard errors. SWAG takes half of the variances from all snapshots, and half of the
// covariance from those whose deviations it has: S on the diagonal, and S/2 elsewhere.
func (q quadratic) compare(c *moments, draw sampler) error {
	const standardErrors = 5
	covariance := drawnCovariance(c, draw)
	for i := range q.optimum {
		bound := standardErrors * q.meanError(i, c.snapshots)
		if got := float64(c.mean[i]); math.Abs(got-q.optimum[i]) > bound {
			return fmt.Errorf("mean %d is %g, want %g within %g", i, got, q.optimum[i], bound)
		}
		for j := range q.optimum {
			want, bound := q.covariance(i, j)/2, standardErrors*q.covarianceError(i, j,
				len(c.deviations))/2
			if i == j {
				want, bound = 2*want, bound+standardErrors*q.covarianceError(i, i, c.snapshots)/2
			}
			if got := covariance[i][j]; math.Abs(got-want) > bound {
				return fmt.Errorf("covariance %d, %d is %g, want %g within %g", i, j, got, want,
					bound)
			}
		}
	}
	return nil
}

func TestSWAGOnAQuadratic(t *testing.T) {
	const snapshots, rank = 4000, 2000
	q := correlatedQuadratic()
	c := collected(rank, q.snapshots(snapshots))
	if err := q.compare(c, c.sample); err != nil {
		t.Error(err)
	}
	variances := *c // used as standard deviations
	variances.square = slices.Clone(c.square)
	for i, square := range c.square {
		mean := float64(c.mean[i])
		variance := float64(square) - mean*mean
		variances.square[i] = float32(variance*variance + mean*mean)
	}
	if err := q.compare(c, variances.sample); err == nil {
		t.Error("variances used as standard deviations give the covariance of the weights")
	}
	whole := func(diagonal, low []float64) []float32 { // both parts in full, not half of each
		for i := range diagonal {
			diagonal[i] *= math.Sqrt2
		}
		for i := range low {
			low[i] *= math.Sqrt2
		}
		return c.sample(diagonal, low)
	}
	if err := q.compare(c, whole); err == nil {
		t.Error("twice the covariance is that of the weights")
	}
}
