package score

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// Two images, (0.5, 0.3, 0.2) with the class 1 and (0.1, 0.7, 0.2) with the class 1. With u = 1 the
// scores of the right classes are 0.5 and 0; with u = 0.5, 0.65 and 0.35.
func TestAPSByHand(t *testing.T) {
	p, labels := of([]float64{0.5, 0.3, 0.2}, []float64{0.1, 0.7, 0.2}), []uint8{1, 1}
	half := []float64{0.5, 0.5}
	for _, c := range []struct {
		name     string
		alpha    float64
		uniforms []float64
		want     float64 // ceil(3 (1 - alpha))-th smallest
	}{
		{"second of two", 0.4, nil, 0.5}, {"first of two", 0.7, nil, 0},
		{"third of two", 0.1, nil, 1},
		{"second, randomised", 0.4, half, 0.65}, {"first, randomised", 0.7, half, 0.35},
	} {
		got := testkit.Must(APSThreshold(p, labels, c.alpha, c.uniforms))(t)
		testkit.Near(t, c.name, got, c.want, 1e-7)
	}
	for _, c := range []struct {
		threshold float64
		uniforms  []float64
		want      [][]int
		coverage  float64
	}{
		{0, nil, [][]int{{0}, {1}}, 0.5},
		{0.75, nil, [][]int{{0, 1}, {1, 2}}, 1},
		{0.85, nil, [][]int{{0, 1, 2}, {1, 2}}, 1},
		{1, nil, [][]int{{0, 1, 2}, {1, 2, 0}}, 1},
		{0.3, half, [][]int{{0}, {}}, 0},
		{0.7, half, [][]int{{0, 1}, {1}}, 1},
	} {
		sets := testkit.Must(apsSets(p, c.threshold, c.uniforms))(t)
		if !slices.EqualFunc(sets, c.want, slices.Equal) {
			t.Errorf("threshold %g: sets %v, want %v", c.threshold, sets, c.want)
		}
		measured := testkit.Must(MeasureSets(p, labels, c.threshold, c.uniforms))(t)
		testkit.Near(t, "coverage", measured.Coverage, c.coverage, 0)
		testkit.Near(t, "size", measured.Size, float64(len(c.want[0])+len(c.want[1]))/2, 0)
	}
}

// publishedSet is S(x, u; pi, tau) of Romano et al., equations 4 and 5: the L likeliest classes,
// the fewest that add up to tau, without the last one if u isn't above V.
func publishedSet(order []int, probabilities []float64, tau, u float64) []int {
	sum := 0.0
	for l, probability := range probabilities {
		sum += probability
		if sum < tau && l+1 < len(probabilities) {
			continue
		}
		if v := (sum - tau) / probability; u <= v {
			return order[:l]
		}
		return order[:l+1]
	}
	return order
}

// randomPredictions returns predictions of images in four classes, and labels drawn from
// probabilities that aren't those predicted.
func randomPredictions(rng *rand.Rand, images int) (Prediction, []uint8) {
	probabilities, labels := make([][]float64, images), make([]uint8, images)
	for i := range probabilities {
		sum := 0.0
		for range 4 {
			probabilities[i] = append(probabilities[i], math.Exp(2*rng.NormFloat64()))
			sum += probabilities[i][len(probabilities[i])-1]
		}
		for class := range probabilities[i] {
			probabilities[i][class] /= sum
		}
		labels[i] = uint8(slices.Index(probabilities[i], slices.Max(probabilities[i])))
		if rng.IntN(5) < 2 { // the network is too sure
			labels[i] = uint8(rng.IntN(4))
		}
	}
	return of(probabilities...), labels
}

func TestAPSSetsAreThePublishedOnes(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	p, _ := randomPredictions(rng, 300)
	uniforms := make([]float64, p.Images)
	for i := range uniforms {
		uniforms[i] = rng.Float64()
	}
	for range 20 {
		threshold := 0.999 * rng.Float64()
		sets := testkit.Must(apsSets(p, threshold, uniforms))(t)
		for i, set := range sets {
			order, probabilities := ranked(p, i)
			if want := publishedSet(order, probabilities, threshold, uniforms[i]); !slices.Equal(
				set, want) {
				t.Fatalf("image %d, threshold %g, u %g: set %v, want %v", i, threshold, uniforms[i],
					set, want)
			}
		}
	}
}

// On exchangeable images, the mean coverage over many splits is at least 1 - alpha, and at most
// 1/(n+1) above it with randomisation. Without, coverage is no smaller and no set is empty.
func TestAPSCoversExchangeableImages(t *testing.T) {
	const held, tested, splits = 99, 200, 200
	for _, alpha := range []float64{0.05, 0.1, 0.3} {
		var plain, randomised PredictionSets // sums
		rng := rand.New(rand.NewPCG(13, 14))
		for range splits {
			calibration, calibrationLabels := randomPredictions(rng, held)
			test, labels := randomPredictions(rng, tested)
			uniforms := make([]float64, held+tested)
			for i := range uniforms {
				uniforms[i] = rng.Float64()
			}
			measure := func(sum *PredictionSets, first, second []float64) {
				threshold := testkit.Must(APSThreshold(calibration, calibrationLabels, alpha,
					first))(t)
				measured := testkit.Must(MeasureSets(test, labels, threshold, second))(t)
				sum.Coverage += measured.Coverage / splits
				sum.Size += measured.Size / splits
			}
			measure(&plain, nil, nil)
			measure(&randomised, uniforms[:held], uniforms[held:])
		}
		const noise = 0.008 // three standard errors of the mean coverage
		if plain.Coverage < 1-alpha-noise || plain.Coverage < randomised.Coverage-1e-9 {
			t.Errorf("alpha %g: coverage %.4f without randomisation, want %.2f at least, and no "+
				"less than %.4f with it",
				alpha, plain.Coverage, 1-alpha, randomised.Coverage)
		}
		testkit.Near(t, "randomised coverage", randomised.Coverage, 1-alpha+0.005, 0.005+noise)
		if plain.Size < 1 {
			t.Errorf("alpha %g: size %.3f without randomisation, want 1 at least", alpha,
				plain.Size)
		}
	}
}

func TestAPSRefuses(t *testing.T) {
	p := of([]float64{0.5, 0.5})
	for _, alpha := range []float64{0, 1, math.NaN()} {
		_, err := APSThreshold(p, []uint8{0}, alpha, nil)
		checkError(t, "alpha", err, "for example 0.1")
	}
	_, err := APSThreshold(Prediction{Samples: 1, Classes: 2}, []uint8{}, 0.1, nil)
	checkError(t, "no image", err, "0 images have no prediction sets")
	_, err = apsSets(p, 0.5, []float64{0.1, 0.2})
	checkError(t, "uniforms", err, "2 uniform numbers for 1 predicted images")
}
