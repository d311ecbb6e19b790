package network

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
)

// Law is the shape of the noise of the latents.
type Law string

// The laws. Those of a location and a scale have the cross-entropy of the Gaussian with the
// Gaussian prior, which depends on mean and variance alone, and its entropy up to a constant.
const (
	GaussianLaw  Law = ""
	LogNormalLaw Law = "lognormal" // z = mu exp(sigma e - sigma^2/2), of mean mu
	SignLaw      Law = "sign"      // z = mu + sigma or mu - sigma
	DropoutLaw   Law = "dropout"   // z = mu - 3 sigma with probability 0.1, or mu + sigma/3
	FactorLaw    Law = "factor"    // z = mu + sigma e + u f, one f for all latents of a layer
	PointsLaw    Law = "points"    // z = mu of one of K components, without width
)

// further returns how many numbers a layer's draw needs beside one for each latent.
func (w Law) further() int {
	if w == FactorLaw {
		return 1
	}
	return 0
}

// sample returns the latents of each layer, [rows, D], from the posterior of all layers, [K, sum of
// D], and standard normal draws.
func (w Law) sample(mean, rho *Node, draws []*Node) []*Node {
	switch w {
	case SignLaw:
		for i, e := range draws {
			draws[i] = Sign(e)
		}
	case DropoutLaw:
		const quantile = -1.2815515655446004 // of 0.1
		for i, e := range draws {
			dropped := ConvertDType(LessThan(e, Scalar(e.Graph(), e.DType(), quantile)), e.DType())
			draws[i] = AddScalar(MulScalar(dropped, -10.0/3), 1.0/3)
		}
	case PointsLaw:
		for i, e := range draws {
			draws[i] = MulScalar(e, 0)
		}
	case LogNormalLaw:
		return logNormal(mean, rho, draws)
	case FactorLaw:
		return factors(mean, rho, draws)
	}
	return operation.SampleLatents(mean, rho, draws)
}

func logNormal(mean, rho *Node, draws []*Node) []*Node {
	sigma, at := standardDeviation(rho), 0 // [1, sum of D]
	half := MulScalar(Square(sigma), 0.5)
	for i, e := range draws {
		of := func(x *Node) *Node {
			return Slice(x, AxisRange(), AxisRange(at, at+e.Shape().Dim(1)))
		}
		draws[i] = Mul(of(mean), Exp(Sub(Mul(of(sigma), e), of(half))))
		at += e.Shape().Dim(1)
	}
	return draws
}

// factors takes the first component as the Gaussian, and the means of the second less one as u.
func factors(mean, rho *Node, draws []*Node) []*Node {
	sigma, at := standardDeviation(rho), 0
	for i, e := range draws {
		dimensions := e.Shape().Dim(1) - 1
		of := func(x *Node, row int) *Node {
			return Slice(x, AxisRange(row, row+1), AxisRange(at, at+dimensions))
		}
		own := Slice(e, AxisRange(), AxisRange(0, dimensions)) // [rows, D]
		shared := Slice(e, AxisRange(), AxisRange(dimensions)) // [rows, 1]
		draws[i] = Add(Add(of(mean, 0), Mul(of(sigma, 0), own)),
			Mul(AddScalar(of(mean, 1), -1), shared))
		at += dimensions
	}
	return draws
}

// terms returns the terms of the objective, up to constants.
func (w Law) terms(p joinedPosteriors, priorStd float64) Terms {
	first := func(x *Node) *Node { return Slice(x, AxisRange(0, 1)) }
	var t Terms
	switch w {
	case LogNormalLaw: // in log z, whose prior is N(-s^2/2, s^2)
		m := Sub(Log(AddScalar(Abs(p.mean), 1e-6)), MulScalar(Square(p.sigma), 0.5))
		t.CrossEntropy = crossEntropy(AddScalar(m, 1+priorStd*priorStd/2), p.sigma, priorStd)
		t.Entropy = ReduceAllMean(gaussianEntropy(p.sigma))
	case FactorLaw:
		mean, sigma := first(p.mean), first(p.sigma)
		u := AddScalar(Slice(p.mean, AxisRange(1, 2)), -1)
		t.CrossEntropy = Add(crossEntropy(mean, sigma, priorStd),
			MulScalar(ReduceAllSum(Square(u)), 0.5/(priorStd*priorStd)))
		t.Entropy = ReduceAllMean(gaussianEntropy(sigma))
		at, ratios := 0, Square(Div(u, sigma))
		for _, dimensions := range p.dimensions {
			own := Slice(ratios, AxisRange(), AxisRange(at, at+dimensions))
			t.Entropy = Add(t.Entropy, MulScalar(Log1P(ReduceAllSum(own)), 0.5))
			at += dimensions
		}
	case PointsLaw:
		t.CrossEntropy = MulScalar(ReduceAllMean(ReduceSum(Square(AddScalar(p.mean, -1)), -1)),
			0.5/(priorStd*priorStd))
		t.Entropy = MulScalar(ReduceAllMean(p.sigma), 0)
	default:
		t.CrossEntropy = crossEntropy(p.mean, p.sigma, priorStd)
		t.Entropy = ReduceAllMean(gaussianEntropy(p.sigma))
	}
	t.KL = Sub(t.CrossEntropy, t.Entropy)
	return t
}
