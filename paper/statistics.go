package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// confidence is the coverage of the intervals of effects.
const confidence = 0.95

// direction is the side of zero on which a claim expects a difference.
type direction string

// The sides.
const (
	belowZero direction = "below zero"
	aboveZero direction = "above zero"
	nearZero  direction = "near zero" // nearer than the effect's margin: an equivalence
)

// sign is -1 below zero, 1 above and 0 near it.
func (s direction) sign() float64 { return map[direction]float64{belowZero: -1, aboveZero: 1}[s] }

// Effect is a difference between two values of the same seed, over several seeds.
type Effect struct {
	// the comparison, for example "M32 - M16, level 5"
	Name string `json:"name"`
	Unit string `json:"unit"` // of the differences, for example "nats"
	// side of zero on which the claim expects it
	Claimed     direction `json:"claimed"`
	Differences []float64 `json:"differences,omitempty"` // one for each seed
	Mean        float64   `json:"mean"`                  // over the seeds
	// 95 % t-interval of the mean; nil for fewer than 3 seeds
	Interval *[2]float64 `json:"interval,omitempty"`
	Margin   float64     `json:"margin,omitempty"` // of an effect near zero
	// the paper's difference of means, if both are public for the same data and network
	Paper *float64 `json:"paper,omitempty"`
}

// newEffect summarises differences, one for each seed. The interval assumes that they are normal:
// mean ± t(0.975; n-1) s/sqrt(n).
func newEffect(name, unit string, claimed direction, differences []float64) Effect {
	e := Effect{Name: name, Unit: unit, Claimed: claimed, Differences: slices.Clone(differences)}
	s := score.Summarise(differences)
	e.Mean, e.Interval = s.Mean, s.Interval(confidence)
	return e
}

// pValue returns the two-sided probability of a mean as far from zero without an effect, by
// Student's t; 1 without an interval.
func (e Effect) pValue() float64 {
	if e.Interval == nil {
		return 1
	}
	degrees := float64(len(e.Differences) - 1)
	half := (e.Interval[1] - e.Interval[0]) / 2
	if half == 0 {
		return 0
	}
	t := math.Abs(e.Mean) * score.StudentQuantile(len(e.Differences)-1, confidence) / half
	return 2 * distuv.StudentsT{Sigma: 1, Nu: degrees}.Survival(t)
}

// outcomeAmong returns the outcome of one of several effects, corrected for their number by Holm's
// steps: the smallest p of m is compared with 0.05/m, the next with 0.05/(m-1), up to the first
// that is larger. An equivalence is decided by its own interval.
func outcomeAmong(e Effect, all []Effect) Outcome {
	own := Undecided
	switch {
	case e.holds():
		own = Holds
	case e.fails():
		own = Fails
	}
	if every(all, Effect.holds) || every(all, Effect.fails) {
		return own // of a claim that holds, or whose opposite does, each comparison does
	}
	var ordered []float64
	for _, other := range all {
		ordered = append(ordered, other.pValue())
	}
	slices.Sort(ordered)
	for i, p := range ordered {
		if p > (1-confidence)/float64(len(ordered)-i) && p <= e.pValue() && e.Claimed != nearZero {
			return Undecided
		}
	}
	return own
}

// contrast returns the effects that decide a claim; none if the result has nothing to compare.
type contrast func(*Result) []Effect

// averaged returns the mean of the effects as one, the contrast of a primary claim. The paper's is
// the mean of its effects, if all are public.
func (c contrast) averaged(name string) contrast {
	return func(r *Result) []Effect {
		all := c(r)
		if len(all) == 0 {
			return nil
		}
		var each [][]float64
		var published []float64
		for _, e := range all {
			each = append(each, e.Differences)
			if e.Paper != nil {
				published = append(published, *e.Paper)
			}
		}
		differences, _ := meansAndStds(summarise(each))
		mean := newEffect(name, all[0].Unit, all[0].Claimed, differences)
		if len(published) == len(all) {
			paper := score.Summarise(published).Mean
			mean.Paper = &paper
		}
		return []Effect{mean}
	}
}

// sharing widens the intervals of a contrast in which each training enters the differences of two
// of n seeds: the variance of their mean is then up to twice as large as independent ones', and
// their estimate of it is too small by (n-2)/(n-1).
func (c contrast) sharing() contrast {
	return func(r *Result) []Effect {
		effects := c(r)
		for _, e := range effects {
			if e.Interval != nil {
				n := float64(len(e.Differences))
				half := math.Sqrt(2*(n-1)/(n-2)) * (e.Interval[1] - e.Interval[0]) / 2
				*e.Interval = [2]float64{e.Mean - half, e.Mean + half}
			}
		}
		return effects
	}
}

// family asks a contrast in any metric, on the images of its claim or on clean ones.
type family func(metric string, clean bool) contrast

// besides go with a primary contrast: the contrast after one temperature and in scores that a
// temperature hardly changes, and its cost on clean images.
var besides = []struct {
	name, metric string
	clean        bool
}{
	{"with one temperature", ScaledNLL, false},
	{"error", Error, false},
	{"AUGRC", augrc, false},
	{"clean NLL", NLL, true},
	{"clean error", Error, true},
}

// beside returns the effects of besides that the runs have.
func (f family) beside(r *Result) (effects []Effect) {
	if f == nil {
		return nil
	}
	for _, b := range besides {
		if len(r.measured(b.metric)) == 0 {
			continue
		}
		for _, e := range f(b.metric, b.clean)(r) {
			if !math.IsNaN(e.Mean) {
				e.Name, e.Paper = b.name, nil
				effects = append(effects, e)
			}
		}
	}
	return effects
}

// lowerFamily is lower under corruption in any metric.
func lowerFamily(method, other string) family {
	return func(metric string, clean bool) contrast {
		if clean {
			return lower(metric, atLevels[:1], method, other)
		}
		return lower(metric, underCorruption, method, other)
	}
}

// minus returns the effects less those of another contrast, one by one.
func (c contrast) minus(name string, other contrast) contrast {
	return func(r *Result) (effects []Effect) {
		less := other(r)
		for i, e := range c(r) {
			effects = append(effects, newEffect(name, e.Unit, e.Claimed, differences(e.Differences,
				less[i].Differences)))
		}
		return effects
	}
}

// together returns the effects of several contrasts.
func together(contrasts ...contrast) contrast {
	return func(r *Result) (effects []Effect) {
		for _, c := range contrasts {
			effects = append(effects, c(r)...)
		}
		return effects
	}
}

// claimed returns the effects with another claimed direction; margin is an equivalence's.
func (c contrast) claimed(side direction, margin float64) contrast {
	return func(r *Result) []Effect {
		effects := c(r)
		for i := range effects {
			effects[i].Claimed, effects[i].Margin = side, margin
		}
		return effects
	}
}

// lower returns the effects of the claim that a metric of one method is below the others' on some
// images, of the others that the figure has. Fractions are compared in percentage points.
func lower(metric string, on []split, method string, others ...string) contrast {
	return func(r *Result) (effects []Effect) {
		ours, isPublic := r.published(method, metric)
		for _, other := range others {
			if len(r.of(method)) == 0 || len(r.of(other)) == 0 {
				continue
			}
			theirs, isAlsoPublic := r.published(other, metric)
			for _, images := range on {
				effect := lowerEffect(metric, method+" - "+other+", "+images.name,
					r.on(images, method, metric), r.on(images, other, metric))
				if isPublic && isAlsoPublic && images.mean != nil {
					difference := metricOf(metric).Shown(images.mean(ours.Mean) -
						images.mean(theirs.Mean))
					effect.Paper = &difference
				}
				effects = append(effects, effect)
			}
		}
		return effects
	}
}

// lowerEffect returns the difference of two series of a metric; the claim is that the first is
// lower.
func lowerEffect(metric, name string, lower, higher []float64) Effect {
	of, values := metricOf(metric), differences(lower, higher)
	floats.Scale(of.Shown(1), values)
	return newEffect(name, unitOf(of), belowZero, values)
}

// unitOf returns the unit of differences of a metric.
func unitOf(metric score.Metric) string {
	return cmp.Or(metric.DifferenceUnit(), metric.Name)
}

// favour returns a difference's size in the claimed direction, negative in the other.
func (e Effect) favour(difference float64) float64 {
	if e.Claimed == nearZero {
		return e.Margin - math.Abs(difference)
	}
	return e.Claimed.sign() * difference
}

// favours returns the least and the most favourable difference of an interval.
func (e Effect) favours(interval [2]float64) (least, most float64) {
	low, high := e.favour(interval[0]), e.favour(interval[1])
	if e.Claimed == nearZero && interval[0]*interval[1] < 0 {
		return min(low, high), e.Margin
	}
	return min(low, high), max(low, high)
}

// holds reports whether the whole interval is on the claimed side.
func (e Effect) holds() bool {
	return e.Interval != nil && e.nearest() > 0
}

// fails reports whether the whole interval lies on the other side.
func (e Effect) fails() bool {
	if e.Interval == nil {
		return false
	}
	_, most := e.favours(*e.Interval)
	return most < 0
}

// excludesPaper reports whether the whole interval is short of the paper's effect.
func (e Effect) excludesPaper() bool {
	if e.Interval == nil || e.Paper == nil || e.Claimed == nearZero {
		return false
	}
	_, most := e.favours(*e.Interval)
	return most < e.favour(*e.Paper)
}

// nearest returns the favour of what speaks least for the claim: an end of the interval, or without
// one a seed.
func (e Effect) nearest() float64 {
	if e.Interval != nil {
		least, _ := e.favours(*e.Interval)
		return least
	}
	least := math.Inf(1)
	for _, difference := range e.Differences {
		least = min(least, e.favour(difference))
	}
	return least
}

// String returns a text like "M32 - M16, level 5: -0.58 nats [-0.71, -0.45], 5 seeds". Below 3
// seeds it has the difference of each seed instead of an interval.
func (e Effect) String() string {
	if e.Interval == nil {
		each := quantity.Texts(e.Differences, func(difference float64) string {
			return quantity.Signed(difference, decimals(e.Mean/2))
		})
		return fmt.Sprintf("%s: %s %s, %s", e.Name, join(each), e.Unit, counted(len(each), "seed"))
	}
	return fmt.Sprintf("%s: %s, %s", e.Name, e.amount(), counted(len(e.Differences), "seed"))
}

// decided returns the effect without an interval if it has too few seeds to decide anything.
func (e Effect) decided() Effect {
	if len(e.Differences) < decidingSeeds {
		e.Interval = nil
	}
	return e
}

// drawn returns the effect as pictures take it.
func (e Effect) drawn() viz.Difference {
	return viz.Difference{Name: e.Name, Mean: e.Mean, Interval: e.Interval, Each: e.Differences,
		Paper: e.Paper}
}

// amount returns the mean with its unit and, if it has one, its interval: "-0.58 nats [-0.71,
// -0.45]".
func (e Effect) amount() string {
	if e.Interval == nil {
		return quantity.Signed(e.Mean, decimals(e.Mean/2)) + " " + e.Unit
	}
	places := decimals((e.Interval[1] - e.Interval[0]) / 2)
	return fmt.Sprintf("%s %s [%s, %s]", quantity.Signed(e.Mean, places), e.Unit,
		quantity.Signed(e.Interval[0], places), quantity.Signed(e.Interval[1], places))
}

// decimals returns the number of decimals that show two digits of a half-width, 0 to 4.
func decimals(half float64) int {
	if half = math.Abs(half); half == 0 {
		return 2
	}
	return int(max(0, min(4, 1-math.Floor(math.Log10(half)))))
}

// pairedEffects compares two series, [seeds][points], at each point. names holds the point's part
// of the effect's name, "at level 5".
func pairedEffects(name, unit string, claimed direction, a, b [][]float64,
	points []string) []Effect {
	effects := make([]Effect, len(points))
	for point := range points {
		effects[point] = newEffect(name+" "+points[point], unit, claimed,
			differences(column(a, point), column(b, point)))
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

func meansAndStds(summaries []score.Summary) (mean, std []float64) {
	for _, s := range summaries {
		mean, std = append(mean, s.Mean), append(std, s.Std)
	}
	return mean, std
}

// seriesOf returns values over the seeds, [seeds][points], as pictures take them.
func seriesOf(name string, each [][]float64) viz.Series {
	s := viz.Series{Name: name, Seeds: len(each), Each: each}
	s.Mean, s.Std = meansAndStds(summarise(each))
	return s
}

// differences returns a - b, one for each seed.
func differences(a, b []float64) []float64 { return floats.SubTo(make([]float64, len(a)), a, b) }
