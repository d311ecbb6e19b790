// Package hmc samples a density by Hamiltonian Monte Carlo, and measures how well its chains agree.
// Every random number is counted, so that a stopped sampler continues bit for bit: libraries that
// draw from a shared generator, and write to channels, can't.
package hmc

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/nbbnn/workbench/internal/random"
)

// LogDensity returns the logarithm of a density at a position, up to a constant, and its gradient.
type LogDensity func(position []float64) (value float64, gradient []float64, err error)

// Sampler lets several chains take one transition each in turn (Neal 2011). A step size by dual
// averaging and a diagonal mass from the variances of all chains are adapted during the warm-up and
// constant after it.
type Sampler struct {
	Density  LogDensity
	Leapfrog int  // steps of a transition, or their mean with Jitter
	Jitter   bool // varies the steps of a transition from half of Leapfrog to 3/2 of it
	Warmup   int  // transitions of a chain before its draws count
	// mean acceptance that the length of the steps is adapted to; 0 means the constant of that name
	Acceptance float64
	Seed       uint64 // of momenta, lengths of steps and acceptance
	Trace      Trace  // that Start was given, continued by the chains

	adapted adaptation
	current []point // of each chain; nil before the first transition of a process
}

// Trace is all that chains have done. Its numbers are of float32's precision.
type Trace struct {
	Positions   [][][]float64  // [chain][1 + transitions][dimensions]; the first is the start
	Transitions [][]Transition // [chain][transitions]
}

// Transition describes one transition of a chain.
type Transition struct {
	Acceptance float64 // probability, 0 to 1
	Diverged   bool    // the energy isn't finite, or has grown by more than 1,000
}

type point struct {
	position, gradient []float64
	value              float64 // of the logarithm of the density
}

// divergence is the energy error from which a transition counts as divergent, as in Stan.
const divergence = 1000

// smallestStep is the length below which a chain doesn't move in float32.
const smallestStep = 1e-7

// NewTrace returns the trace of chains that begin at positions.
func NewTrace(starts [][]float64) Trace {
	t := Trace{Transitions: make([][]Transition, len(starts))}
	for _, start := range starts {
		t.Positions = append(t.Positions, [][]float64{rounded(start)})
	}
	return t
}

// Start begins at the end of a trace. scale holds the standard deviations estimated at its
// beginning.
func (h *Sampler) Start(t Trace, scale []float64) {
	h.Trace, h.current = t, nil
	h.adapted = newAdaptation(h.Warmup, cmp.Or(h.Acceptance, Acceptance), rounded(scale))
	for i := range t.Transitions[0] {
		h.adapted.add(t, i)
	}
}

// StepSize returns the length of the leapfrog steps, in units of the adapted standard deviations.
func (h *Sampler) StepSize() float64 { return h.adapted.step }

// Next takes one transition of every chain. With an error no chain has moved.
func (h *Sampler) Next() (err error) {
	done := len(h.Trace.Transitions[0])
	if h.current == nil {
		if h.current, err = h.begin(); err != nil {
			return err
		}
	}
	next, how := make([]point, len(h.current)), make([]Transition, len(h.current))
	for c, from := range h.current {
		rng := random.New(h.Seed, random.Chains, uint64(c), uint64(done))
		if next[c], how[c], err = h.transition(rng, from); err != nil {
			return err
		}
	}
	for c := range next {
		h.Trace.Positions[c] = append(h.Trace.Positions[c], next[c].position)
		h.Trace.Transitions[c] = append(h.Trace.Transitions[c], how[c])
	}
	h.current = next
	h.adapted.add(h.Trace, done)
	if step := h.adapted.step; step < smallestStep {
		return fmt.Errorf("nbbnn: the leapfrog steps diverge down to a length of %.1g: check "+
			"that the network's predictions are finite, or choose a smaller standard deviation "+
			"of the prior", step)
	}
	return nil
}

// begin computes the density where the chains are.
func (h *Sampler) begin() (points []point, err error) {
	for c, positions := range h.Trace.Positions {
		p := point{position: positions[len(positions)-1]}
		if p.value, p.gradient, err = h.Density(p.position); err != nil {
			return nil, err
		}
		if !finite(p.value) {
			return nil, fmt.Errorf("nbbnn: chain %d begins where the log-density is %g: begin "+
				"elsewhere", c+1, p.value)
		}
		points = append(points, p)
	}
	return points, nil
}

// transition draws a momentum, follows the dynamics and accepts the end or stays. The lengths of
// the steps vary by a tenth, so that no orbit closes. Only a varying number of them keeps draws
// from alternating between two sides, if Leapfrog is half an orbit.
func (h *Sampler) transition(rng *rand.Rand, from point) (point, Transition, error) {
	momentum := drawMomentum(rng, h.adapted.inverseMass)
	before := from.value - kinetic(momentum, h.adapted.inverseMass)
	step, steps := h.adapted.step*(0.9+0.2*rng.Float64()), h.Leapfrog
	if h.Jitter {
		steps = (steps+1)/2 + rng.IntN(2*(steps/2)+1)
	}
	to, err := h.follow(from, momentum, step, steps)
	if err != nil {
		return from, Transition{}, err
	}
	u := rng.Float64()
	gain := to.value - kinetic(momentum, h.adapted.inverseMass) - before
	if !finite(gain) || gain < -divergence {
		return from, Transition{Diverged: true}, nil
	}
	how := Transition{Acceptance: float64(float32(math.Exp(min(0, gain))))}
	if u < how.Acceptance {
		return to, how, nil
	}
	return from, how, nil
}

// drawMomentum draws from N(0, M).
func drawMomentum(rng *rand.Rand, inverseMass []float64) []float64 {
	momentum := make([]float64, len(inverseMass))
	for i, w := range inverseMass {
		momentum[i] = rng.NormFloat64() / math.Sqrt(w)
	}
	return momentum
}

// kinetic returns the energy of a momentum, p^T M^-1 p / 2.
func kinetic(momentum, inverseMass []float64) (energy float64) {
	for i, p := range momentum {
		energy += p * p * inverseMass[i] / 2
	}
	return energy
}

// follow takes the leapfrog steps of a transition from a point, and leaves the final momentum. It
// stops where the density isn't finite.
func (h *Sampler) follow(from point, momentum []float64, step float64, steps int) (to point,
	err error) {
	to = from
	kick := func() { floats.AddScaled(momentum, step/2, to.gradient) }
	for range steps {
		kick()
		position := make([]float64, len(momentum))
		for i, p := range momentum {
			position[i] = to.position[i] + step*h.adapted.inverseMass[i]*p
		}
		to.position = rounded(position)
		if to.value, to.gradient, err = h.Density(to.position); err != nil || !finite(to.value) {
			return to, err
		}
		kick()
	}
	return to, nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// rounded returns numbers that a checkpoint can hold.
func rounded(values []float64) []float64 {
	narrow := make([]float64, len(values))
	for i, x := range values {
		narrow[i] = float64(float32(x))
	}
	return narrow
}
