// Package hmc samples a density by Hamiltonian Monte Carlo, and says how well its chains agree.
// Every random number is counted, so that a stopped sampler continues bit for bit: libraries that
// draw from a shared generator, and write to channels, can't.
package hmc

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/nbbnn/workbench/internal/random"
)

// LogDensity returns the logarithm of a density at a position, up to a constant, and its gradient.
type LogDensity func(position []float64) (value float64, gradient []float64, err error)

// Sampler samples a density by Hamiltonian Monte Carlo (Neal 2011): several chains take one
// transition each in turn. A step size by dual averaging and a diagonal mass from the variances of
// all chains are adapted during the warm-up and constant after it. Positions are rounded to
// float32, and every random number is counted: a sampler that is given the Trace of another
// continues bit for bit.
type Sampler struct {
	Density  LogDensity
	Leapfrog int    // steps of a transition
	Warmup   int    // transitions of a chain before its draws count
	Seed     uint64 // of momenta, lengths of steps and acceptance

	trace   Trace
	adapted adaptation
	current []point // of each chain; nil before the first transition of a process
}

// Trace is all that the chains of a sampler have done.
type Trace struct {
	Positions   [][][]float32  // [chain][1 + transitions][dimensions]; the first is the start
	Transitions [][]Transition // [chain][transitions]
}

// Transition says how one transition of a chain went.
type Transition struct {
	Acceptance float32 // probability, 0 to 1
	Diverged   bool    // the energy isn't finite, or has grown by more than 1,000
}

// point is a place with its density.
type point struct {
	position, gradient []float64
	value              float64 // of the logarithm of the density
}

// divergence is the error of the energy from which a transition counts as divergent, as in Stan.
const divergence = 1000

// Start begins chains at positions. scale holds what is known of the standard deviations: the
// inverse mass begins with their squares.
func (h *Sampler) Start(positions [][]float64, scale []float64) {
	h.trace = Trace{Positions: make([][][]float32, len(positions)),
		Transitions: make([][]Transition, len(positions))}
	for c, position := range positions {
		h.trace.Positions[c] = [][]float32{Rounded(position)}
	}
	h.current, h.adapted = nil, newAdaptation(h.Warmup, scale)
}

// Continue gives the chains of Start the trace of an earlier sampler.
func (h *Sampler) Continue(t Trace) {
	h.trace, h.current = t, nil
	for i := range t.Transitions[0] {
		h.adapted.add(t, i)
	}
}

// Trace returns what the chains have done so far.
func (h *Sampler) Trace() Trace { return h.trace }

// StepSize returns the length of the leapfrog steps, in units of the adapted standard deviations.
func (h *Sampler) StepSize() float64 { return h.adapted.step }

// Next takes one transition of every chain. With an error no chain has moved.
func (h *Sampler) Next() error {
	done := len(h.trace.Transitions[0])
	if h.current == nil {
		if err := h.begin(); err != nil {
			return err
		}
	}
	next, how := make([]point, len(h.current)), make([]Transition, len(h.current))
	for c, from := range h.current {
		rng := random.New(h.Seed, random.Chains, uint64(c), uint64(done))
		var err error
		if next[c], how[c], err = h.transition(rng, from); err != nil {
			return err
		}
	}
	for c := range next {
		h.trace.Positions[c] = append(h.trace.Positions[c], Rounded(next[c].position))
		h.trace.Transitions[c] = append(h.trace.Transitions[c], how[c])
	}
	h.current = next
	h.adapted.add(h.trace, done)
	if step := h.adapted.step; step < smallestStep {
		return fmt.Errorf("nbbnn: the leapfrog steps diverge down to a length of %.1g: check "+
			"that the network's predictions are finite, or choose a smaller standard deviation "+
			"of the prior", step)
	}
	return nil
}

// smallestStep is the length below which a chain doesn't move in float32.
const smallestStep = 1e-7

// begin computes the density where the chains are.
func (h *Sampler) begin() error {
	points := make([]point, len(h.trace.Positions))
	for c, positions := range h.trace.Positions {
		position := Position(positions)
		value, gradient, err := h.Density(position)
		if err != nil {
			return err
		}
		if !finite(value) {
			return fmt.Errorf("nbbnn: chain %d begins where the log-density is %g: begin elsewhere",
				c+1, value)
		}
		points[c] = point{position, gradient, value}
	}
	h.current = points
	return nil
}

// transition draws a momentum, follows the dynamics and accepts the end or stays. The lengths of
// the steps vary by a tenth, so that no orbit closes.
func (h *Sampler) transition(rng *rand.Rand, from point) (point, Transition, error) {
	momentum := drawMomentum(rng, h.adapted.inverseMass)
	before := from.value - kinetic(momentum, h.adapted.inverseMass)
	to, err := h.follow(from, momentum, h.adapted.step*(0.9+0.2*rng.Float64()))
	if err != nil {
		return from, Transition{}, err
	}
	u := rng.Float64()
	gain := to.value - kinetic(momentum, h.adapted.inverseMass) - before
	if !finite(gain) || gain < -divergence {
		return from, Transition{Diverged: true}, nil
	}
	how := Transition{Acceptance: float32(math.Exp(min(0, gain)))}
	if u < float64(how.Acceptance) {
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

// follow takes the leapfrog steps of a transition from a point, and leaves the momentum as it is at
// their end. It stops where the density isn't finite.
func (h *Sampler) follow(from point, momentum []float64, step float64) (to point, err error) {
	kick := func(share float64) {
		for i, g := range to.gradient {
			momentum[i] += share * step * g
		}
	}
	to = from
	kick(0.5)
	for n := 1; n <= h.Leapfrog; n++ {
		position := make([]float64, len(momentum))
		for i, p := range momentum {
			position[i] = float64(float32(to.position[i] + step*h.adapted.inverseMass[i]*p))
		}
		to.position = position
		if to.value, to.gradient, err = h.Density(position); err != nil || !finite(to.value) {
			return to, err
		}
		kick(1 - 0.5*float64(n/h.Leapfrog))
	}
	return to, nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Rounded returns a position in float32.
func Rounded(values []float64) []float32 {
	narrow := make([]float32, len(values))
	for i, x := range values {
		narrow[i] = float32(x)
	}
	return narrow
}

// Position returns the last of a chain's positions.
func Position(positions [][]float32) []float64 {
	values := positions[len(positions)-1]
	wide := make([]float64, len(values))
	for i, x := range values {
		wide[i] = float64(x)
	}
	return wide
}
