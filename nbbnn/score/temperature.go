package score

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/nbbnn/workbench/internal/npy"
)

// MaxTemperature is the largest result of FitTemperature; the smallest is 0.05.
const (
	minTemperature = 0.05
	MaxTemperature = 20
)

// FitTemperature returns the temperature T that minimises the mean negative log-likelihood of
// softmax(log p / T) over the images, where p is the mean over the samples of the probabilities
// (Guo et al. 2017, "On Calibration of Modern Neural Networks"; there p is a single network's). A T
// above 1 makes predictions less confident. The images should be held out from training and from
// the test that T is used on. T lies between 0.05 and MaxTemperature, and is 1 if none is
// best: predictions give all classes the same probability, or are right wherever they are held out,
// so that T would fall below 0.05.
func FitTemperature(p Prediction, labels []uint8) (float64, error) {
	if err := p.check(labels); err != nil {
		return 0, err
	}
	if p.Images == 0 {
		return 0, fmt.Errorf("score: a temperature can't be fitted to 0 images: give at least one")
	}
	return p.fitTemperature(labels, 0, 1), nil
}

// CrossFitTemperatures returns two temperatures of FitTemperature for images of which none are held
// out: even is fitted to the images at odd places, counted from 0, and scales those at even places;
// odd the reverse. So no image is scaled by a temperature that was fitted to it.
func (p Prediction) CrossFitTemperatures(labels []uint8) (even, odd float64, err error) {
	if err := p.check(labels); err != nil {
		return 0, 0, err
	}
	if p.Images < 2 {
		return 0, 0, fmt.Errorf("score: temperatures can't be fitted to the halves of %d images: "+
			"give at least two", p.Images)
	}
	return p.fitTemperature(labels, 1, 2), p.fitTemperature(labels, 0, 2), nil
}

// fitTemperature fits a temperature to every step-th image from the first on. There must be one.
func (p Prediction) fitTemperature(labels []uint8, first, step int) float64 {
	var means [][]float64
	var chosen []uint8
	for i := first; i < p.Images; i += step {
		means, chosen = append(means, p.logMean(i)), append(chosen, labels[i])
	}
	slope := func(inverse float64) (slope, curvature float64) {
		return likelihoodSlope(means, chosen, inverse)
	}
	return 1 / root(slope, 1.0/MaxTemperature, 1/minTemperature)
}

// scaledNLL returns the mean negative log-likelihood, in nats, of softmax(log p / T), where p is
// the mean over the samples of the probabilities and T a temperature of FitTemperature, one for the
// images at even places and one for those at odd places. T = 1 gives the NLL of the mean
// predictive.
func (p Prediction) scaledNLL(labels []uint8, temperatures [2]float64) (float64, error) {
	if err := p.check(labels); err != nil {
		return 0, err
	}
	for _, temperature := range temperatures {
		if !(temperature > 0) || math.IsInf(temperature, 1) {
			return 0, fmt.Errorf("score: temperature %g: give a positive number, for example "+
				"FitTemperature's", temperature)
		}
	}
	sum := 0.0
	for i, label := range labels {
		logs, temperature := p.logMean(i), temperatures[i%2]
		logSum, _, _ := scaledMoments(logs, 1/temperature)
		sum += logSum - logs[label]/temperature
	}
	return sum / float64(max(1, p.Images)), nil
}

// Scaled returns a cell of the prediction with its ScaledNLL for the cell's Temperature and
// OddTemperature.
func (p Prediction) Scaled(cell Cell, labels []uint8) (_ Cell, err error) {
	cell.ScaledNLL, err = p.scaledNLL(labels, [2]float64{cell.Temperature,
		cmp.Or(cell.OddTemperature, cell.Temperature)})
	return cell, err
}

// logMean returns the logarithm of the mean predictive of one image, [classes].
func (p Prediction) logMean(index int) []float64 {
	return MeanPredictive(npy.Float64s(p.Image(index)), p.Classes)
}

// likelihoodSlope returns the first and the second derivative of the summed negative log-likelihood
// with respect to the inverse temperature b: the sum over the images of E[log p] - log p[label],
// and of Var[log p], under softmax(b log p). The second is never negative, so the first has one
// root.
func likelihoodSlope(means [][]float64, labels []uint8, inverse float64) (slope,
	curvature float64) {
	for i, logs := range means {
		_, mean, variance := scaledMoments(logs, inverse)
		slope += mean - logs[labels[i]]
		curvature += variance
	}
	return slope, curvature
}

// scaledMoments returns the logarithm of the sum of exp(b log p) over the classes, and the mean and
// the variance of log p under softmax(b log p). Classes of probability 0 count for nothing.
func scaledMoments(logs []float64, b float64) (logSum, mean, variance float64) {
	largest := logs[floats.MaxIdx(logs)]
	var sum, first, second float64
	for _, l := range logs {
		if math.IsInf(l, -1) {
			continue
		}
		weight, distance := math.Exp(b*(l-largest)), l-largest
		sum += weight
		first += weight * distance
		second += weight * distance * distance
	}
	first, second = first/sum, second/sum
	return b*largest + math.Log(sum), largest + first, second - first*first
}

// root returns where a rising function crosses zero between low and high: low if it's positive from
// there on, and 1 if it's never positive. It takes Newton's step if that stays between the
// bounds that it has narrowed so far, and halves them otherwise.
func root(f func(x float64) (value, slope float64), low, high float64) float64 {
	atLow, _ := f(low)
	atHigh, _ := f(high)
	x := min(max(1, low), high)
	switch {
	case atHigh <= 0: // and below it
		return x
	case atLow >= 0:
		return low
	}
	for range 200 {
		value, slope := f(x)
		if value < 0 {
			low = x
		} else {
			high = x
		}
		next := x - value/slope
		if !(next > low && next < high) {
			next = low + (high-low)/2
		}
		if math.Abs(next-x) <= 1e-12*x {
			return next
		}
		x = next
	}
	return x
}
