package paper

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// disagreement compares the mean predictives of two predictions of the same images: share is the
// fraction of images to which they give different answers, divergence the mean Jensen-Shannon
// divergence between them, nats: 0 for equal functions, at most log 2.
func disagreement(a, b score.Prediction) (share, divergence float64) {
	for image := range a.Images {
		p, q := a.MeanProbabilities(image), b.MeanProbabilities(image)
		if floats.MaxIdx(p) != floats.MaxIdx(q) {
			share++
		}
		divergence += jensenShannon(p, q)
	}
	return share / float64(a.Images), divergence / float64(a.Images)
}

// jensenShannon returns the mean divergence of two distributions from their mean, nats.
func jensenShannon(p, q []float64) (sum float64) {
	for class := range p {
		mean := (p[class] + q[class]) / 2
		for _, x := range []float64{p[class], q[class]} {
			if x > 0 {
				sum += x * math.Log(x/mean) / 2
			}
		}
	}
	return sum
}

// only returns the prediction of some of the samples, in the given order.
func only(p score.Prediction, samples ...int) score.Prediction {
	chosen := score.Prediction{Images: p.Images, Samples: len(samples), Classes: p.Classes}
	for image := range p.Images {
		all := p.Image(image)
		for _, sample := range samples {
			chosen.LogProbabilities = append(chosen.LogProbabilities,
				all[sample*p.Classes:][:p.Classes]...)
		}
	}
	return chosen
}
