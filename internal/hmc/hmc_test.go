package hmc

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/nbbnn/workbench/internal/testkit"
)

// takeTransitions moves every chain a number of times.
func takeTransitions(t *testing.T, h *Sampler, count int) {
	t.Helper()
	for range count {
		testkit.NoError(t, h.Next())
	}
}

// newSampler begins chains at zero.
func newSampler(density LogDensity, dimensions, chains, warmup int) *Sampler {
	h := &Sampler{Density: density, Leapfrog: 12, Jitter: true, Warmup: warmup, Seed: 1}
	starts := make([][]float64, chains)
	for c := range starts {
		starts[c] = make([]float64, dimensions)
	}
	h.Start(NewTrace(starts), slices.Repeat([]float64{1}, dimensions))
	return h
}

// linearGaussian is y = A z + N(0, 1/4), z ~ N(1, s^2): its posterior is Gaussian.
type linearGaussian struct {
	a        *mat.Dense
	y        []float64
	priorStd float64
}

func newLinearGaussian() linearGaussian {
	return linearGaussian{mat.NewDense(3, 3, []float64{1, 0.8, 0, 0, 1, 0.5, 0, 0, 6}),
		[]float64{0.5, 2, 4}, 0.7}
}

func (m linearGaussian) density(z []float64) (value float64, gradient []float64, err error) {
	gradient = make([]float64, len(z))
	for i, x := range z {
		value -= (x - 1) * (x - 1) / (2 * m.priorStd * m.priorStd)
		gradient[i] = -(x - 1) / (m.priorStd * m.priorStd)
	}
	for row, y := range m.y {
		r := y - mat.Dot(m.a.RowView(row), mat.NewVecDense(len(z), z))
		value -= 2 * r * r
		for i := range z {
			gradient[i] += 4 * r * m.a.At(row, i)
		}
	}
	return value, gradient, nil
}

// posterior returns the mean and the covariance in closed form.
func (m linearGaussian) posterior() (mean []float64, covariance *mat.Dense) {
	d := len(m.y)
	precision, right := mat.NewDense(d, d, nil), mat.NewVecDense(d, nil)
	precision.Mul(m.a.T(), m.a)
	precision.Scale(4, precision)
	right.MulVec(m.a.T(), mat.NewVecDense(d, m.y))
	right.ScaleVec(4, right)
	for i := range d {
		precision.Set(i, i, precision.At(i, i)+1/(m.priorStd*m.priorStd))
		right.SetVec(i, right.AtVec(i)+1/(m.priorStd*m.priorStd))
	}
	covariance = mat.NewDense(d, d, nil)
	if err := covariance.Inverse(precision); err != nil {
		panic(err)
	}
	var location mat.VecDense
	location.MulVec(covariance, right)
	return location.RawVector().Data, covariance
}

// gaussianErrors returns how far the mean and the variance of the draws of each dimension are from
// those of the posterior, the largest in standard errors.
func gaussianErrors(m linearGaussian, trace Trace, warmup int) (worst float64) {
	mean, covariance := m.posterior()
	mixed := trace.Mixing(warmup)
	for i := range mean {
		var draws []float64
		for c := range trace.Positions {
			draws = append(draws, trace.series(c, i, 1+warmup, len(trace.Positions[c]))...)
		}
		variance := covariance.At(i, i)
		have, haveVariance := stat.MeanVariance(draws, nil)
		count := min(mixed.EffectiveSamples[i], float64(len(draws)))
		// squares mix more slowly
		worst = max(worst, math.Abs(have-mean[i])/math.Sqrt(variance/count),
			math.Abs(haveVariance/variance-1)/math.Sqrt(4/count))
	}
	return worst
}

// The draws from a Gaussian posterior have its mean and variances. A likelihood that counts twice,
// and a momentum that forgets the mass, don't pass.
func TestSamplesOfAGaussian(t *testing.T) {
	const warmup, draws, most = 300, 2000, 4.0
	m := newLinearGaussian()
	h := newSampler(m.density, 3, 4, warmup)
	takeTransitions(t, h, warmup+draws)
	mixed := h.Trace.Mixing(warmup)
	if worst := gaussianErrors(m, h.Trace, warmup); worst > most {
		t.Errorf("moments are up to %.1f standard errors off, want at most %g", worst, most)
	}
	if r := slices.Max(mixed.RHat); r > 1.02 || mixed.Divergences > 0 || mixed.Acceptance < 0.7 ||
		mixed.Acceptance > 0.97 {
		t.Errorf("R-hat %.3f, %d divergences, acceptance %.2f, want at most 1.02, 0, near 0.8", r,
			mixed.Divergences, mixed.Acceptance)
	}
	doubled := newSampler(func(z []float64) (float64, []float64, error) {
		value, gradient, err := m.density(z)
		for i := range gradient {
			gradient[i] *= 2
		}
		return 2 * value, gradient, err
	}, 3, 4, warmup)
	takeTransitions(t, doubled, warmup+draws)
	if worst := gaussianErrors(m, doubled.Trace, warmup); worst < most {
		t.Errorf("a log-density times 2 is %.1f standard errors off and passes", worst)
	}
	forgetful := newSampler(m.density, 3, 4, warmup)
	takeTransitions(t, forgetful, warmup)
	moveWithoutMass(t, forgetful, draws)
	if worst := gaussianErrors(m, forgetful.Trace, warmup); worst < most {
		t.Errorf("a momentum without the mass is %.1f standard errors off and passes", worst)
	}
}

// The steps are as long as the acceptance that is asked for allows.
func TestStepsSuitTheAcceptance(t *testing.T) {
	const warmup, draws = 300, 500
	accepted := func(target float64) (acceptance, step float64) {
		h := newSampler(newLinearGaussian().density, 3, 4, warmup)
		h.Acceptance = target
		h.Start(h.Trace, []float64{1, 1, 1})
		takeTransitions(t, h, warmup+draws)
		return h.Trace.Mixing(warmup).Acceptance, h.StepSize()
	}
	usual, long := accepted(0)
	same, equal := accepted(0.8)
	careful, short := accepted(0.95)
	if same != usual || equal != long || careful < 0.93 || careful > 0.98 || short >= long {
		t.Errorf("acceptance %.3f by default, %.3f with 0.8, %.3f with 0.95, steps of %.3f, %.3f "+
			"and %.3f", usual, same, careful, long, equal, short)
	}
}

// Draws that alternate between two sides, as after half an orbit, have equal means in all chains.
// R-hat of their distances from the median tells the chains apart. The values are ArviZ's.
func TestFoldedRHatSeesWidths(t *testing.T) {
	trace := Trace{Transitions: make([][]Transition, 4), Positions: make([][][]float64, 4)}
	for c := range trace.Positions {
		trace.Positions[c] = [][]float64{{0}} // where the chain begins
		for i := range 100 {
			x := math.Pow(-1, float64(i))*(1+.2*float64(c)) + .1*math.Sin(float64(i*i))
			trace.Positions[c] = append(trace.Positions[c], []float64{x})
			trace.Transitions[c] = append(trace.Transitions[c], Transition{})
		}
	}
	mixing := trace.Mixing(0)
	if r, folded := mixing.RHat[0], mixing.FoldedRHat[0]; math.Abs(r-0.98999691) > 1e-7 ||
		math.Abs(folded-3.59703334) > 1e-7 {
		t.Errorf("R-hat is %.8f, folded %.8f, want 0.98999691 and 3.59703334", r, folded)
	}
}

// Steps of half an orbit leave widths where they began, and a varying number of them doesn't.
func TestJitterMixesWidths(t *testing.T) {
	const dimensions, warmup, draws = 100, 200, 300
	normal := func(z []float64) (value float64, gradient []float64, err error) {
		for _, x := range z {
			value -= x * x / 2
			gradient = append(gradient, -x)
		}
		return value, gradient, nil
	}
	folded := func(leapfrog int, jitter bool) (r95, step float64) {
		h := newSampler(normal, dimensions, 4, warmup)
		h.Leapfrog, h.Jitter = leapfrog, jitter
		takeTransitions(t, h, warmup+draws)
		r := h.Trace.Mixing(warmup).FoldedRHat
		slices.Sort(r)
		return r[len(r)*95/100], h.StepSize()
	}
	_, step := folded(8, false)
	half := int(math.Round(math.Pi / step))
	if r, _ := folded(half, false); r < 1.05 {
		t.Errorf("%d steps of %.2f: folded R-hat %.3f, want the widths unmixed", half, step, r)
	}
	if r, _ := folded(half, true); r > 1.05 {
		t.Errorf("a varying number of %d steps of %.2f: folded R-hat %.3f", half, step, r)
	}
}

// moveWithoutMass takes transitions whose momentum is drawn as if the mass were 1.
func moveWithoutMass(t *testing.T, h *Sampler, count int) {
	t.Helper()
	inverse := h.adapted.inverseMass
	for n := range count {
		for c, from := range h.current {
			rng := rand.New(rand.NewPCG(uint64(n), uint64(c)))
			momentum := drawMomentum(rng, slices.Repeat([]float64{1}, len(inverse)))
			before := from.value - kinetic(momentum, inverse)
			to := testkit.Must(h.follow(from, momentum, h.adapted.step, h.Leapfrog))(t)
			if math.Log(rng.Float64()) < to.value-kinetic(momentum, inverse)-before {
				h.current[c] = to
			}
			h.Trace.Positions[c] = append(h.Trace.Positions[c], h.current[c].position)
			h.Trace.Transitions[c] = append(h.Trace.Transitions[c], Transition{})
		}
	}
}

// The error of the energy falls with the square of the length of a step, and a path followed back
// ends where it began. A gradient times 2 doesn't conserve the energy.
func TestLeapfrogConservesEnergy(t *testing.T) {
	m := newLinearGaussian()
	change := func(density LogDensity, step float64) (energy float64, back []float64) {
		h := newSampler(density, 3, 1, 0)
		h.current = testkit.Must(h.begin())(t)
		for length := 1; length <= 10; length++ {
			steps := length * int(math.Round(0.05/step))
			momentum := []float64{0.7, -0.4, 1.1}
			before := h.current[0].value - kinetic(momentum, h.adapted.inverseMass)
			to := testkit.Must(h.follow(h.current[0], momentum, step, steps))(t)
			energy += math.Abs(to.value - kinetic(momentum, h.adapted.inverseMass) - before)
			for i := range momentum {
				momentum[i] *= -1
			}
			back = testkit.Must(h.follow(to, momentum, step, steps))(t).position
		}
		return energy, back
	}
	coarse, back := change(m.density, 0.02)
	fine, _ := change(m.density, 0.01)
	if ratio := coarse / fine; math.Abs(ratio-4) > 0.4 {
		t.Errorf("half the step divides the error of the energy by %.2f, want 4", ratio)
	}
	testkit.Near(t, "the place after the way back", back, []float64{0, 0, 0}, 1e-5)
	wrong := func(z []float64) (float64, []float64, error) {
		value, gradient, err := m.density(z)
		for i := range gradient {
			gradient[i] *= 2
		}
		return value, gradient, err
	}
	coarse, _ = change(wrong, 0.02)
	fine, _ = change(wrong, 0.01)
	if ratio := coarse / fine; math.Abs(ratio-4) < 0.4 {
		t.Errorf("with twice the gradient half the step divides the error by %.2f too", ratio)
	}
}

// In simulation-based calibration (Talts et al. 2018) the ranks of the truth among draws from the
// posterior are uniform: here 200 truths, of a softmax regression whose two classes have a latent
// each. A likelihood that counts twice isn't calibrated.
func TestSamplerIsCalibrated(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if p := calibration(t, 1); p < 0.01 {
		t.Errorf("the ranks are uniform with probability %.2g, want 0.01 or more", p)
	}
	if p := calibration(t, 2); p > 0.01 {
		t.Errorf("with a likelihood that counts twice the ranks are uniform with probability "+
			"%.2g: the test can't see it", p)
	}
}

// calibration returns the probability of ranks as uneven as those of the draws, if the likelihood
// counts so often.
func calibration(t *testing.T, counts float64) float64 {
	t.Helper()
	const truths, draws, bins = 200, 49, 5
	observed := make([]float64, bins)
	for n := range truths {
		rng := rand.New(rand.NewPCG(uint64(n), 7))
		r := drawRegression(rng)
		h := newSampler(func(z []float64) (float64, []float64, error) {
			return r.density(z, counts)
		}, 2, 1, 100)
		h.Leapfrog, h.Seed = 6, uint64(n)
		takeTransitions(t, h, 100+4*draws)
		rank := 0
		for _, z := range h.Trace.Draws(100, draws) {
			if z[0] < r.truth[0] {
				rank++
			}
		}
		observed[rank*bins/(draws+1)]++
	}
	return distuv.ChiSquared{K: bins - 1}.Survival(stat.ChiSquare(observed,
		slices.Repeat([]float64{truths / bins}, bins)))
}

// regression is softmax(z_k w_k x) of two classes with z ~ N(1, 0.6^2).
type regression struct {
	truth  [2]float64
	x      [][2]float64 // logits of each image at z = 1
	labels []int
}

const regressionPrior = 0.6

func drawRegression(rng *rand.Rand) (r regression) {
	for i := range r.truth {
		r.truth[i] = 1 + regressionPrior*rng.NormFloat64()
	}
	for range 12 {
		x := [2]float64{2 * rng.NormFloat64(), 2 * rng.NormFloat64()}
		label := 0
		if rng.Float64() < 1/(1+math.Exp(r.truth[0]*x[0]-r.truth[1]*x[1])) {
			label = 1
		}
		r.x, r.labels = append(r.x, x), append(r.labels, label)
	}
	return r
}

func (r regression) density(z []float64, counts float64) (value float64, gradient []float64,
	err error) {
	gradient = make([]float64, 2)
	for i, x := range z {
		value -= (x - 1) * (x - 1) / (2 * regressionPrior * regressionPrior)
		gradient[i] = -(x - 1) / (regressionPrior * regressionPrior)
	}
	for n, x := range r.x {
		margin := z[0]*x[0] - z[1]*x[1]
		if r.labels[n] == 1 {
			margin = -margin
		}
		wrong, sign := 1/(1+math.Exp(margin)), float64(1-2*r.labels[n])
		value -= counts * math.Log1p(math.Exp(-margin))
		gradient[0] += counts * sign * wrong * x[0]
		gradient[1] -= counts * sign * wrong * x[1]
	}
	return value, gradient, nil
}

// A sampler that continues from a trace takes the same transitions as the one that was stopped, in
// the warm-up and after it.
func TestSamplerContinues(t *testing.T) {
	m := newLinearGaussian()
	whole := newSampler(m.density, 3, 2, 60)
	takeTransitions(t, whole, 90)
	for _, stopped := range []int{1, 8, 37, 59, 60, 70} {
		first, second := newSampler(m.density, 3, 2, 60), newSampler(m.density, 3, 2, 60)
		takeTransitions(t, first, stopped)
		second.Start(first.Trace, []float64{1, 1, 1})
		takeTransitions(t, second, 90-stopped)
		if !reflect.DeepEqual(second.Trace, whole.Trace) ||
			second.StepSize() != whole.StepSize() {
			t.Errorf("stopped after %d transitions, the trace differs", stopped)
		}
	}
}

func TestSamplerRefuses(t *testing.T) {
	nowhere := newSampler(func([]float64) (float64, []float64, error) {
		return math.NaN(), []float64{0}, nil
	}, 1, 2, 9)
	testkit.Error(t, "no density", nowhere.Next(), "chain 1 begins where the log-density is NaN")
	cliff := newSampler(func(z []float64) (float64, []float64, error) {
		if z[0] != 0 {
			return math.Inf(-1), []float64{0}, nil
		}
		return 0, []float64{0}, nil
	}, 1, 1, 1000)
	var err error
	for n := 0; n < 1000 && err == nil; n++ {
		err = cliff.Next()
	}
	testkit.Error(t, "divergent steps", err, "the leapfrog steps diverge down to a length of")
}

// Chains around different places have a large R-hat and few effective samples, white noise has
// neither, and a first-order autoregression has (1 - a) / (1 + a) of its samples.
func TestMixing(t *testing.T) {
	chains := func(correlation, apart float64) (all [][]float64) {
		for c := range 4 {
			rng, x, chain := rand.New(rand.NewPCG(3, uint64(c))), 0.0, []float64(nil)
			for range 4000 {
				x = correlation*x + math.Sqrt(1-correlation*correlation)*rng.NormFloat64()
				chain = append(chain, x+apart*float64(c))
			}
			all = append(all, chain)
		}
		return all
	}
	for _, correlation := range []float64{0, 0.5, 0.9} {
		r, effective := mixing(chains(correlation, 0))
		want := 16000 * (1 - correlation) / (1 + correlation)
		if r > 1.02 || math.Abs(effective/want-1) > 0.15 {
			t.Errorf("correlation %g: R-hat %.3f, %.0f effective samples, want 1, %.0f",
				correlation, r, effective, want)
		}
	}
	if r, effective := mixing(chains(0, 3)); r < 2 || effective > 50 {
		t.Errorf("chains apart have R-hat %.2f and %.0f effective samples", r, effective)
	}
	if r, effective := mixing([][]float64{{1, 1, 1, 1}, {1, 1, 1, 1}}); !math.IsInf(r, 1) ||
		effective != 0 {
		t.Errorf("chains that never move have R-hat %g and %g effective samples", r, effective)
	}
}
