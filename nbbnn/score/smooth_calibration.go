package score

import "math"

// minBandwidth bounds the bandwidth of smoothECE from below, and so the work. A smaller error is
// measured with it.
const minBandwidth = 1e-3

// smoothECE returns the smooth expected calibration error, 0 to 1, of the confidences (Blasiok and
// Nakkiran 2023, "Smooth ECE: Principled Reliability Diagrams via Kernel Smoothing", definition 3):
// the residuals, right (1) or wrong (0) minus confidence, are smoothed by a Gaussian kernel of
// bandwidth s that is reflected at 0 and 1, and the absolute value of
//
//	g(t) = mean over the images i of K_s(t, confidence_i) residual_i
//
// is integrated over t from 0 to 1. The bandwidth is the one that the error equals. Unlike ECE it
// has no bins to choose and is continuous in the predictions. 0 is perfect. A calibrated network
// measured on a few images has a small positive value. Errors below 0.001 are measured at the
// bandwidth 0.001.
//
// The error falls as the bandwidth grows, so error minus bandwidth has one root. Halving brackets
// it from above, where kernels are wide and errors cheap; the method of Illinois, a secant that
// keeps the bracket, finds it there.
func smoothECE(outcomes []outcome) float64 {
	s := newResidualSeries(outcomes)
	excess := func(bandwidth float64) float64 { return s.error(bandwidth) - bandwidth }
	low, high := 1.0, 2.0
	below, above := excess(low), 0.0 // the excess at low and at high
	for below <= 0 {
		if low == minBandwidth {
			return s.error(low)
		}
		high, above = low, below
		low = max(low/2, minBandwidth)
		below = excess(low)
	}
	side := 0
	for range 60 {
		middle := (low*above - high*below) / (above - below)
		at := excess(middle)
		switch {
		case math.Abs(at) < 1e-9:
			return middle
		case at > 0:
			low, below = middle, at
			if side == 1 {
				above /= 2
			}
			side = 1
		default:
			high, above = middle, at
			if side == -1 {
				below /= 2
			}
			side = -1
		}
	}
	return (low + high) / 2
}

// residualSeries holds the cosine coefficients of the residuals as a measure on the confidences.
// The reflected Gaussian kernel multiplies coefficient k by exp(-(pi k s)^2 / 2).
type residualSeries struct {
	// of each image: 2 cos(pi c), and cos(pi k c) of the last two k
	twiceCosine, last, before []float64
	residuals                 []float64
	coefficients              []float64
}

func newResidualSeries(outcomes []outcome) *residualSeries {
	count := len(outcomes)
	s := &residualSeries{
		twiceCosine: make([]float64, count), last: make([]float64, count),
		before:    make([]float64, count),
		residuals: make([]float64, count),
	}
	for i, o := range outcomes {
		confidence := min(1, o.confidence)
		cosine := math.Cos(math.Pi * confidence)
		s.twiceCosine[i], s.last[i], s.before[i] = 2*cosine, 1, cosine // cos(0), cos(-pi c)
		s.residuals[i] = -confidence / float64(count)
		if o.correct {
			s.residuals[i] += 1 / float64(count)
		}
	}
	return s
}

// extend computes coefficients up to the given number. Each image's cosines follow from the last
// two: cos((k+1) x) = 2 cos(x) cos(k x) - cos((k-1) x).
func (s *residualSeries) extend(count int) {
	for len(s.coefficients) < count {
		sum := 0.0
		for i, residual := range s.residuals {
			sum += residual * s.last[i]
			s.last[i], s.before[i] = s.twiceCosine[i]*s.last[i]-s.before[i], s.last[i]
		}
		s.coefficients = append(s.coefficients, sum)
	}
}

// error returns the integral of abs(g) for a bandwidth, by the midpoint rule.
func (s *residualSeries) error(bandwidth float64) float64 {
	terms := 1 + int(math.Ceil(7.5/(math.Pi*bandwidth))) // the next factor is below 1e-12
	s.extend(terms)
	damped := make([]float64, terms)
	for k := range damped {
		x := math.Pi * float64(k) * bandwidth
		damped[k] = 2 * s.coefficients[k] * math.Exp(-x*x/2)
	}
	damped[0] /= 2
	points := max(512, int(8/bandwidth))
	sum := 0.0
	for j := range points {
		sum += math.Abs(cosineSeries(damped, math.Pi*(float64(j)+0.5)/float64(points)))
	}
	return sum / float64(points)
}

// cosineSeries returns the sum over k of coefficients[k] cos(k x), by Clenshaw's recurrence.
func cosineSeries(coefficients []float64, x float64) float64 {
	cosine := math.Cos(x)
	var next, afterNext float64
	for k := len(coefficients) - 1; k > 0; k-- {
		next, afterNext = coefficients[k]+2*cosine*next-afterNext, next
	}
	return coefficients[0] + cosine*next - afterNext
}
