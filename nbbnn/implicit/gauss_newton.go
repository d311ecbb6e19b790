package implicit

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Constants of the search, chosen on All-CNN-C at a quarter of its width.
const (
	calmDecrease = 0.05 // relative decrease of the objective by a small Gauss-Newton step
	calmSteps    = 2    // small steps in a row after which momentum takes over
	dampings     = 12   // of one Gauss-Newton step before momentum takes over
	firstDamping = 0.01 // after a failed step without damping, relative to the metric's eigenvalues

	momentumSteps  = 40  // before the next Jacobian
	momentumKept   = 0.8 // part of the last step that remains in the next one
	momentumRate   = 0.3 // of the first step; 1 is the Gauss-Newton step
	momentumGrowth = 1.1 // of the rate after a step that lowered the objective
	momentumFall   = 0.5 // of the rate after another step, which is undone
	momentumKink   = 0.8 // of the rate after another step across a kink, with a better gradient
	momentumCheck  = 10  // steps between two checks
	// relative decrease of the objective between two checks that ends a search
	settled = 2e-3
	stuck   = 1e-6 // relative decrease in all these steps that ends it too
)

// newtonDescent is the search for one lambda. The Hessian of the objective is J'J + lambda in each
// piece in which f is linear, so Gauss-Newton steps lead far while the network bends much between
// their ends. Near a minimiser only the kinks of the ReLUs are left, and another Jacobian says no
// more than the one before. There, descent with momentum in the metric of the last Jacobian costs
// one gradient a step; where the gradient is no direction of descent, the subgradient is.
type newtonDescent struct {
	asker
	*problem
	lambda  float64
	initial float64 // norm of the gradient at change 0
	best    point
	taken   int // steps
	nearby  nearby
}

// run descends until the search has settled or has taken all steps. It returns false if the search
// is to stop.
func (d *newtonDescent) run() bool {
	if d.initial == 0 {
		return true
	}
	for d.taken < d.settings.Steps {
		before := d.best.objective(d.lambda)
		m, ok := d.newtonSteps()
		if !ok {
			return false
		}
		done, ok := d.momentum(m)
		if !ok {
			return false
		}
		if now := d.best.objective(d.lambda); done || before-now <= stuck*now {
			break
		}
	}
	return true
}

// try evaluates the objective at a step from the best point.
func (d *newtonDescent) try(step []float64) (p point, ok bool) {
	d.taken++
	p, ok = d.point(addScaled(slices.Clone(step), 1, d.best.change), d.target)
	if ok {
		d.nearby.add(p)
	}
	return p, ok
}

// newtonSteps takes damped Gauss-Newton steps, each with a new Jacobian, until they gain little. It
// returns the last metric.
func (d *newtonDescent) newtonSteps() (m metric, ok bool) {
	damping := 0.0
	for calm := 0; calm < calmSteps && d.taken < d.settings.Steps; {
		jacobian, ok := d.jacobian(d.best.change, len(d.target))
		if !ok {
			return m, false
		}
		m = newMetric(jacobian)
		before := d.best.objective(d.lambda)
		if !d.dampedStep(m, &damping) {
			return m, false
		}
		switch decrease := before - d.best.objective(d.lambda); {
		case decrease == 0:
			return m, true
		case decrease < calmDecrease*before:
			calm++
		default:
			calm = 0
		}
	}
	return m, true
}

// dampedStep minimises the objective of the linearised network with a further penalty damping/2
// |step|^2, which it adapts until the step lowers the objective (Levenberg and Marquardt). It
// returns false if the search is to stop.
func (d *newtonDescent) dampedStep(m metric, damping *float64) bool {
	slope, before := d.best.slope(d.lambda), d.best.objective(d.lambda)
	for range dampings {
		if d.taken >= d.settings.Steps {
			return true
		}
		step := m.descend(slope, d.lambda+*damping)
		predicted := (*damping*dot(step, step) - dot(slope, step)) / 2
		p, ok := d.try(step)
		if !ok {
			return false
		}
		gain := (before - p.objective(d.lambda)) / predicted
		switch {
		case gain > 0.75:
			*damping /= 4
		case gain > 0.25:
		default:
			*damping = max(4**damping, firstDamping*m.size())
		}
		if gain > 1e-4 {
			d.best = p
			return true
		}
	}
	return true
}

// momentum descends with momentum in a metric. done reports whether the search has settled.
func (d *newtonDescent) momentum(m metric) (done, ok bool) {
	rate, velocity := momentumRate, make([]float64, len(d.clean))
	slope, checked := d.best.slope(d.lambda), d.best.objective(d.lambda)
	for i := 1; i <= momentumSteps && d.taken < d.settings.Steps; i++ {
		addScaled(velocity, rate, m.descend(slope, d.lambda))
		p, ok := d.try(velocity)
		if !ok {
			return false, false
		}
		kept := momentumKept
		if p.objective(d.lambda) < d.best.objective(d.lambda) {
			d.best, rate, slope = p, rate*momentumGrowth, p.slope(d.lambda)
		} else {
			kept, slope = 0, d.nearby.subgradient(d.best, d.lambda)
			rate *= momentumFall
			if dot(p.slope(d.lambda), velocity) > 0 {
				rate *= momentumKink / momentumFall
			}
		}
		for k := range velocity {
			velocity[k] *= kept
		}
		if i%momentumCheck == 0 {
			now := d.best.objective(d.lambda)
			if checked-now < settled*now && d.subgradient() <= d.settings.Tolerance {
				return true, true
			}
			checked = now
		}
	}
	return false, true
}

// subgradient returns the norm of the shortest mean of gradients near the best point, relative to
// the gradient at change 0.
func (d *newtonDescent) subgradient() float64 {
	return norm(d.nearby.subgradient(d.best, d.lambda)) / d.initial
}

// solution returns the best point.
func (d *newtonDescent) solution() solution {
	if d.initial == 0 {
		return solution{point: d.best}
	}
	return solution{d.best, d.taken, norm(d.best.slope(d.lambda)) / d.initial, d.subgradient()}
}

// metric is J'J of the Jacobian of f, the Hessian of the misfit where f is linear. It has as many
// positive eigenvalues as f has classes, so that J'J + l I is inverted by solving one equation for
// each class:
//
//	(J'J + l I)^-1 v = (v - J' (J J' + l I)^-1 J v) / l
type metric struct {
	jacobian [][]float64 // [classes][values]
	gram     *mat.SymDense
}

func newMetric(jacobian [][]float64) metric {
	m := metric{jacobian, mat.NewSymDense(len(jacobian), nil)}
	for i, row := range jacobian {
		for j := range i + 1 {
			m.gram.SetSym(i, j, dot(row, jacobian[j]))
		}
	}
	return m
}

// size returns the mean of the positive eigenvalues.
func (m metric) size() float64 {
	return mat.Trace(m.gram) / float64(len(m.jacobian))
}

// descend returns the step -(J'J + l I)^-1 v, for l above 0, or -v/l if l is lost in rounding.
func (m metric) descend(v []float64, l float64) []float64 {
	classes := len(m.jacobian)
	shifted, right := mat.NewSymDense(classes, nil), mat.NewVecDense(classes, nil)
	shifted.CopySym(m.gram)
	for i, row := range m.jacobian {
		shifted.SetSym(i, i, shifted.At(i, i)+l)
		right.SetVec(i, dot(row, v))
	}
	step := make([]float64, len(v))
	addScaled(step, -1/l, v)
	var factors mat.Cholesky
	weights := mat.NewVecDense(classes, nil)
	if !factors.Factorize(shifted) || factors.SolveVecTo(weights, right) != nil {
		return step
	}
	for i, row := range m.jacobian {
		addScaled(step, weights.AtVec(i)/l, row)
	}
	return step
}
