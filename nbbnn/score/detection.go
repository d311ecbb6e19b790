package score

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Detection measures how well an uncertainty of a network separates images of its data set from
// another's, which belong to none of its classes.
type Detection struct {
	Uncertainty string `json:"uncertainty"` // MaxProbability, Entropy or MutualInformation
	// area under the receiver operating characteristic: the probability that an image from outside
	// has a larger uncertainty than one from inside. 1 is perfect, 0.5 is chance
	AUROC float64 `json:"auroc"`
	// share of the images from outside that are accepted by the lowest threshold that accepts 95 %
	// of those from inside. 0 is perfect
	FPR95 float64 `json:"fpr95"`
}

// The uncertainties of a Detection.
const (
	// minus the logarithm of the largest probability (Hendrycks and Gimpel 2017)
	MaxProbability = "MaxProbability"
	Entropy        = "Entropy" // entropy of the mean predictive, in nats
	// Entropy minus the mean over the samples of their entropies, in nats
	MutualInformation = "MutualInformation"
)

// Detect returns the detection by each uncertainty, from predictions of images of the network's own
// data set and of another one with the same number of samples. A single sample has no mutual
// information, so it's left out then.
func Detect(inside, outside Prediction) ([]Detection, error) {
	if inside.Samples != outside.Samples || inside.Classes != outside.Classes {
		return nil, fmt.Errorf("score: predictions with %d samples of %d classes and with %d of "+
			"%d can't be told apart: predict both with one network and the same number of samples",
			inside.Samples, inside.Classes, outside.Samples, outside.Classes)
	}
	for _, p := range []Prediction{inside, outside} {
		if err := p.checkRows(); err != nil {
			return nil, err
		}
	}
	var found []Detection
	in, out := uncertainties(inside), uncertainties(outside)
	for i, name := range []string{MaxProbability, Entropy, MutualInformation} {
		if name == MutualInformation && inside.Samples == 1 {
			continue
		}
		area, err := auroc(in[i], out[i])
		if err != nil {
			return nil, err
		}
		rate, err := fpr(in[i], out[i], 0.95)
		if err != nil {
			return nil, err
		}
		found = append(found, Detection{name, area, rate})
	}
	return found, nil
}

// uncertainties returns MaxProbability, Entropy and MutualInformation, [3][images].
func uncertainties(p Prediction) (all [3][]float64) {
	for i := range p.Images {
		mean := p.logMean(i)
		total, aleatoric := entropy(mean), 0.0
		sample := make([]float64, p.Classes)
		for s := range p.Samples {
			for class := range sample {
				sample[class] = float64(p.Image(i)[s*p.Classes+class])
			}
			aleatoric += entropy(sample) / float64(p.Samples)
		}
		for k, value := range []float64{-mean[floats.MaxIdx(mean)], total, total - aleatoric} {
			all[k] = append(all[k], value)
		}
	}
	return all
}

// auroc returns the area under the receiver operating characteristic: the probability that an image
// from outside has a larger uncertainty than one from inside, where equal ones count half (Hanley
// and McNeil 1982). 1 is perfect, 0.5 is chance. It depends only on the order of the values.
func auroc(inside, outside []float64) (float64, error) {
	if err := checkUncertainties(inside, outside); err != nil {
		return 0, err
	}
	in, out := slices.Sorted(slices.Values(inside)), slices.Sorted(slices.Values(outside))
	pairs, below, notAbove := 0.0, 0, 0
	for _, value := range out {
		for below < len(in) && in[below] < value {
			below++
		}
		for notAbove < len(in) && in[notAbove] <= value {
			notAbove++
		}
		pairs += float64(below+notAbove) / 2
	}
	return pairs / float64(len(in)) / float64(len(out)), nil
}

// fpr returns the false positive rate at a true positive rate above 0 up to 1: the share of outside
// images that the lowest threshold accepts that also accepts at least the share tpr of inside
// images (Liang et al. 2018, section 4.3). An image is accepted if its uncertainty isn't above the
// threshold. 0 is perfect.
func fpr(inside, outside []float64, tpr float64) (float64, error) {
	if err := checkUncertainties(inside, outside); err != nil {
		return 0, err
	}
	if !(tpr > 0 && tpr <= 1) {
		return 0, fmt.Errorf("score: true positive rate %g: give one above 0 up to 1, for "+
			"example 0.95", tpr)
	}
	in := slices.Sorted(slices.Values(inside))
	threshold := in[atLeast(tpr, len(in))-1]
	accepted := 0
	for _, value := range outside {
		if value <= threshold {
			accepted++
		}
	}
	return float64(accepted) / float64(len(outside)), nil
}

// atLeast returns the smallest number of count things that is at least a share of them, 1 to count.
// The share may be a decimal that binary numbers round.
func atLeast(share float64, count int) int {
	return min(count, max(1, int(math.Ceil(share*float64(count)-1e-9))))
}

func checkUncertainties(inside, outside []float64) error {
	if len(inside) == 0 || len(outside) == 0 {
		return fmt.Errorf("score: %d images from inside and %d from outside can't be told apart: "+
			"give at least one of each", len(inside), len(outside))
	}
	if slices.ContainsFunc(inside, math.IsNaN) || slices.ContainsFunc(outside, math.IsNaN) {
		return fmt.Errorf("score: an uncertainty isn't a number: train the network again with a " +
			"lower learning rate")
	}
	return nil
}
