package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// confidence is the coverage of the intervals of effects.
const confidence = 0.95

// decidingSeeds is the smallest number of seeds whose interval decides a claim. With two seeds the
// interval has one degree of freedom, and half of all pairs agree in their sign by chance.
const decidingSeeds = 3

// Side is the side of zero on which a claim expects a difference.
type Side string

// The sides.
const (
	BelowZero Side = "below zero"
	AboveZero Side = "above zero"
)

// sign is -1 below zero and 1 above.
func (s Side) sign() float64 {
	if s == BelowZero {
		return -1
	}
	return 1
}

// other is the other side.
func (s Side) other() Side {
	if s == BelowZero {
		return AboveZero
	}
	return BelowZero
}

// Effect is a difference between two values of the same seed, over several seeds.
//
// Values on a grid, such as the best of a few gammas or a count, are rounded: three seeds may agree
// exactly though the effect is uncertain by a step. Their interval has the variance of the
// rounding, step²/12 for each value, added to that of the differences. This is our choice,
// METHOD.md has none.
type Effect struct {
	Name        string      `json:"name"`               // the comparison, such as "M32 - M16 at level 5"
	Unit        string      `json:"unit"`               // of the differences, such as "nats"
	Claimed     Side        `json:"claimed"`            // side of zero on which the claim expects it
	Differences []float64   `json:"differences"`        // one for each seed
	Mean        float64     `json:"mean"`               // over the seeds
	Interval    *[2]float64 `json:"interval,omitempty"` // 95 % t-interval of the mean; nil for fewer than 3 seeds
	Rounding    float64     `json:"rounding,omitempty"` // variance of a difference that the grid of its values adds
	Paper       *float64    `json:"paper,omitempty"`    // the paper's difference of means, where both are public for the same data and network
}

// newEffect summarises differences, one for each seed. The interval assumes that they are normal:
// mean ± t(0.975; n-1) s/sqrt(n).
func newEffect(name, unit string, claimed Side, differences []float64) Effect {
	return newRoundedEffect(name, unit, claimed, differences, 0)
}

// newRoundedEffect summarises differences of rounded values: rounding is the variance that the
// rounding adds to each difference.
func newRoundedEffect(name, unit string, claimed Side, differences []float64, rounding float64) Effect {
	e := Effect{Name: name, Unit: unit, Claimed: claimed, Differences: slices.Clone(differences), Rounding: rounding}
	s := score.Summarise(differences)
	e.Mean = s.Mean
	if s.N >= decidingSeeds {
		half := tQuantile(s.N-1, confidence) * math.Sqrt((s.Std*s.Std+rounding)/float64(s.N))
		e.Interval = &[2]float64{s.Mean - half, s.Mean + half}
	}
	return e
}

// roundingVariance returns the variance of a value that is rounded to a grid with a step.
func roundingVariance(step float64) float64 { return step * step / 12 }

// tQuantile returns the quantile of Student's t distribution that bounds a two-sided interval.
func tQuantile(degrees int, confidence float64) float64 {
	return score.StudentQuantile(degrees, confidence)
}

// holds reports whether the whole interval lies on the claimed side of zero.
func (e Effect) holds() bool {
	return e.Interval != nil && min(e.Claimed.sign()*e.Interval[0], e.Claimed.sign()*e.Interval[1]) > 0
}

// fails reports whether the whole interval lies on the other side of zero.
func (e Effect) fails() bool {
	return e.Interval != nil && max(e.Claimed.sign()*e.Interval[0], e.Claimed.sign()*e.Interval[1]) < 0
}

// failsAmong reports whether the whole interval lies on the other side of zero if it is widened for
// a number of effects, to the confidence 1 - 0.05/number (Bonferroni): without any effect, one of
// them does so in at most 5 % of the studies.
func (e Effect) failsAmong(number int) bool {
	if e.Interval == nil {
		return false
	}
	degrees := len(e.Differences) - 1
	half := (e.Interval[1] - e.Interval[0]) / 2
	half *= tQuantile(degrees, 1-(1-confidence)/float64(number)) / tQuantile(degrees, confidence)
	return e.Claimed.sign()*e.Mean+half < 0
}

// nearest returns the end of the interval that speaks least for the claim, on the claimed side if
// positive. Without an interval it is the least favourable seed.
func (e Effect) nearest() float64 {
	values := e.Differences
	if e.Interval != nil {
		values = e.Interval[:]
	}
	least := math.Inf(1)
	for _, value := range values {
		least = min(least, e.Claimed.sign()*value)
	}
	return least
}

// String is such as "M32 - M16 at level 5: -0.58 nats [-0.71, -0.45], 5 seeds". Below 3 seeds it
// has the difference of each seed instead of an interval.
func (e Effect) String() string {
	if e.Interval == nil {
		var each []string
		for _, difference := range e.Differences {
			each = append(each, signed(difference, decimals(e.Mean/2)))
		}
		return fmt.Sprintf("%s: %s %s, %s", e.Name, join(each), e.Unit, counted(len(each), "seed"))
	}
	mean, interval, _ := strings.Cut(e.estimate(), " ")
	return fmt.Sprintf("%s: %s %s %s, %s", e.Name, mean, e.Unit, interval, counted(len(e.Differences), "seed"))
}

// estimate is the mean with its interval, if there is one, such as "-0.58 [-0.71, -0.45]".
func (e Effect) estimate() string {
	if e.Interval == nil {
		return signed(e.Mean, decimals(e.Mean/2))
	}
	places := decimals((e.Interval[1] - e.Interval[0]) / 2)
	return fmt.Sprintf("%s [%s, %s]", signed(e.Mean, places), signed(e.Interval[0], places), signed(e.Interval[1], places))
}

// decimals returns how many decimals show two digits of a half-width, 0 to 4.
func decimals(half float64) int {
	if half = math.Abs(half); half == 0 {
		return 2
	}
	return int(max(0, min(4, 1-math.Floor(math.Log10(half)))))
}

// signed writes a number with its sign; a number that rounds to zero has none.
func signed(value float64, places int) string {
	text := fmt.Sprintf("%+.*f", places, value)
	if strings.Trim(text, "+-0.") == "" {
		return text[1:]
	}
	return text
}

// pairedEffects compares two series, [seeds][points], at each point. names holds the point's part
// of the effect's name, such as "at level 5".
func pairedEffects(name, unit string, claimed Side, a, b [][]float64, points []string) []Effect {
	effects := make([]Effect, len(points))
	for point := range points {
		effects[point] = newEffect(name+" "+points[point], unit, claimed, differences(column(a, point), column(b, point)))
	}
	return effects
}

// summarise summarises each point of series, [seeds][points], over the seeds, up to the shortest.
func summarise(series [][]float64) []score.Summary {
	if len(series) == 0 {
		return nil
	}
	shortest := slices.MinFunc(series, func(a, b []float64) int { return len(a) - len(b) })
	summaries := make([]score.Summary, len(shortest))
	for point := range summaries {
		summaries[point] = score.Summarise(column(series, point))
	}
	return summaries
}

// column returns the values of all seeds at one point.
func column(series [][]float64, point int) []float64 {
	values := make([]float64, len(series))
	for seed := range series {
		values[seed] = series[seed][point]
	}
	return values
}

// meansAndStds returns the means and the standard deviations of summaries.
func meansAndStds(summaries []score.Summary) (mean, std []float64) {
	for _, s := range summaries {
		mean, std = append(mean, s.Mean), append(std, s.Std)
	}
	return mean, std
}

// differences returns a - b, one for each seed.
func differences(a, b []float64) []float64 {
	result := make([]float64, len(a))
	for seed := range a {
		result[seed] = a[seed] - b[seed]
	}
	return result
}
