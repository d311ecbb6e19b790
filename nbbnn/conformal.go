package nbbnn

import (
	"github.com/nbbnn/workbench/internal/random"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Images that prediction sets are randomised for.
const (
	heldOutUniforms = iota
	testedUniforms
)

// uniforms returns u of each image for randomised prediction sets. They depend on the seed of the
// evaluation and the place of the image, so a stopped evaluation continues with the same.
func uniforms(seed uint64, images uint64, count int) []float64 {
	rng := random.New(seed, random.PredictionSets, images)
	values := make([]float64, count)
	for i := range values {
		values[i] = rng.Float64()
	}
	return values
}

// fitThresholds returns the thresholds of prediction sets with and without randomisation for
// held-out images.
func fitThresholds(p score.Prediction, labels []uint8, seed uint64) (*[2]float64, error) {
	randomised, err := score.APSThreshold(p, labels, score.SetLevel, uniforms(seed, heldOutUniforms, p.Images))
	if err != nil {
		return nil, err
	}
	plain, err := score.APSThreshold(p, labels, score.SetLevel, nil)
	return &[2]float64{randomised, plain}, err
}

// predictionSets measures the prediction sets of tested images.
func predictionSets(p score.Prediction, labels []uint8, thresholds [2]float64, seed uint64) (*score.ConformalSets, error) {
	randomised, err := score.MeasureSets(p, labels, thresholds[0], uniforms(seed, testedUniforms, p.Images))
	if err != nil {
		return nil, err
	}
	plain, err := score.MeasureSets(p, labels, thresholds[1], nil)
	return &score.ConformalSets{Randomised: randomised, Plain: plain}, err
}
