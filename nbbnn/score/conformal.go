package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Adaptive prediction sets (Romano, Sesia and Candes 2020, "Classification with Valid and Adaptive
// Coverage", section 2): the set of an image holds its likeliest classes up to a threshold on their
// summed probability. The threshold is fitted to held-out images so that at least the share
// 1 - alpha of the sets holds the right class, for every network, as long as the images that are
// tested are exchangeable with the held-out ones. Corrupted images aren't: how far coverage falls
// below 1 - alpha, or how much the sets grow instead, tells how a network stands the shift.
//
// A class has the score
//
//	E = sum of the probabilities of the classes that are likelier + (1 - u) times its own
//
// and is in the set if E isn't above the threshold. u is uniform on 0 to 1, one for each image.
// This is as published, and makes the coverage exactly 1 - alpha up to 1/n; a set may be empty.
// Without randomisation u is 1: the likeliest class is always in the set, and the coverage is at
// least 1 - alpha.

// SetLevel is the alpha of evaluations: the share of sets that may miss the right class.
const SetLevel = 0.1

// PredictionSets measures a network's prediction sets under one condition.
type PredictionSets struct {
	Threshold float64 `json:"threshold"` // of APSThreshold, with alpha = SetLevel
	Coverage  float64 `json:"coverage"`  // share of the images whose set holds the right class
	Size      float64 `json:"size"`      // mean number of classes in a set
}

// APSThreshold returns the threshold of adaptive prediction sets (Romano et al. 2020), 0 to 1. A
// class is in an image's set if its score isn't above the threshold: the sum of the mean
// probabilities of the likelier classes, plus 1 - u times its own. The threshold is the smallest
// that is valid for n held-out images, which is the k-th smallest score of their right classes,
// k = (n + 1)(1 - alpha) rounded up. With fewer than 1/alpha - 1 images it's 1, and all classes are
// in every set. uniforms holds u for each image, 0 to 1; nil means 1, without randomisation.
func APSThreshold(p Prediction, labels []uint8, alpha float64, uniforms []float64) (float64,
	error) {
	if err := p.checkLabels(labels); err != nil {
		return 0, err
	}
	if err := checkSets(p, uniforms); err != nil {
		return 0, err
	}
	if !(alpha > 0 && alpha < 1) {
		return 0, fmt.Errorf("score: alpha %g: give the share of sets that may miss the right "+
			"class, between 0 and 1, for example 0.1", alpha)
	}
	scores := make([]float64, p.Images)
	for i, label := range labels {
		order, probabilities := ranked(p, i)
		place := slices.Index(order, int(label))
		scores[i] = setScores(probabilities, uniform(uniforms, i))[place]
	}
	slices.Sort(scores)
	if needed := math.Ceil((1-alpha)*float64(p.Images+1) - 1e-9); needed <= float64(p.Images) {
		return scores[int(needed)-1], nil
	}
	return 1, nil
}

// apsSets returns the set of each image for a threshold, its classes with the likeliest first.
func apsSets(p Prediction, threshold float64, uniforms []float64) ([][]int, error) {
	if err := checkSets(p, uniforms); err != nil {
		return nil, err
	}
	if math.IsNaN(threshold) {
		return nil, fmt.Errorf("score: threshold NaN: give APSThreshold's")
	}
	sets := make([][]int, p.Images)
	for i := range sets {
		order, probabilities := ranked(p, i)
		scores := setScores(probabilities, uniform(uniforms, i))
		sets[i] = order[:setSize(scores, threshold)]
	}
	return sets, nil
}

// MeasureSets returns coverage and mean size of the sets for a threshold.
func MeasureSets(p Prediction, labels []uint8, threshold float64,
	uniforms []float64) (PredictionSets, error) {
	if err := p.checkLabels(labels); err != nil {
		return PredictionSets{}, err
	}
	sets, err := apsSets(p, threshold, uniforms)
	if err != nil {
		return PredictionSets{}, err
	}
	classes, covered := 0, 0
	for i, set := range sets {
		classes += len(set)
		if slices.Contains(set, int(labels[i])) {
			covered++
		}
	}
	images := float64(p.Images)
	return PredictionSets{threshold, float64(covered) / images, float64(classes) / images}, nil
}

// ranked returns an image's classes by falling mean probability, ties in class order, and these
// probabilities.
func ranked(p Prediction, image int) (order []int, probabilities []float64) {
	logs := p.logMean(image)
	order = make([]int, p.Classes)
	for class := range order {
		order[class] = class
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(logs[b], logs[a]) })
	for _, class := range order {
		probabilities = append(probabilities, math.Exp(logs[class]))
	}
	return order, probabilities
}

// setScores returns E of each class, from the probabilities in falling order. E rises with the
// rank. Rounding never lifts it above 1.
func setScores(probabilities []float64, u float64) []float64 {
	scores, sum := make([]float64, len(probabilities)), 0.0
	for i, probability := range probabilities {
		scores[i] = min(1, sum+(1-u)*probability)
		sum += probability
	}
	return scores
}

// setSize returns the number of rising scores up to the threshold.
func setSize(scores []float64, threshold float64) (size int) {
	for size < len(scores) && scores[size] <= threshold {
		size++
	}
	return size
}

// uniform returns u of an image.
func uniform(uniforms []float64, image int) float64 {
	if uniforms == nil {
		return 1
	}
	return uniforms[image]
}

// checkSets checks a prediction and the uniforms that go with it; nil is none.
func checkSets(p Prediction, uniforms []float64) error {
	switch {
	case p.Images == 0:
		return fmt.Errorf("score: 0 images have no prediction sets: give at least one")
	case uniforms != nil && len(uniforms) != p.Images:
		return fmt.Errorf("score: %d uniform numbers for %d predicted images: give one for each, "+
			"or nil for sets without randomisation", len(uniforms), p.Images)
	}
	for _, u := range uniforms {
		if !(u >= 0 && u <= 1) {
			return fmt.Errorf("score: uniform number %g: give numbers from 0 to 1", u)
		}
	}
	return p.checkRows()
}
