package paper

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// Collected is Available with an error that names the missing runs if no seed is complete.
func Collected(ctx context.Context, figure Figure, scale Scale, options Options) (*Result, error) {
	part, err := partOf(figure, scale, options.withDefaults().Runs)
	if err != nil {
		return nil, err
	}
	if len(part.seeds) == 0 {
		return nil, fmt.Errorf("paper: figure %s has no seed at the scale %s whose runs are all trained and evaluated (%s): run `nbbnn figure %[1]s --scale %[2]s` with the same settings, or name the directory of the runs with --runs",
			figure.Command(), scale, strings.Join(quantity.First(part.leftOut, 3), "; "))
	}
	return part.result(ctx, figure, scale, options)
}

// part is the part of a figure whose runs are all measured.
type part struct {
	methods []Method
	seeds   []uint64
	leftOut []string // runs of the figure that aren't in it, such as "M16 seed 3: stopped at epoch 4 of 30"
}

// of returns the figure with the methods and seeds of the part only.
func (p part) of(f Figure) Figure {
	return f.Adjust(func(s *Setup) { s.Methods, s.Seeds = p.methods, p.seeds })
}

// result returns the measured result of the part.
func (p part) result(ctx context.Context, f Figure, scale Scale, options Options) (*Result, error) {
	result, err := p.of(f).Evaluate(ctx, scale, options)
	if err != nil {
		return nil, err
	}
	result.LeftOut = p.leftOut
	return result, nil
}

// partOf looks at the runs of the figure and chooses the part to draw: enough seeds for an interval
// if possible, then as many runs as possible, then as many seeds.
func partOf(f Figure, scale Scale, runs string) (part, error) {
	setup, err := f.setup(scale)
	if err != nil {
		return part{}, err
	}
	states, err := runStates(f, setup, runs)
	if err != nil {
		return part{}, err
	}
	best := choosePart(f, setup, states)
	for _, s := range states {
		if !best.has(s) {
			best.leftOut = append(best.leftOut, s.String())
		}
	}
	return best, nil
}

// runState is one run of a figure and how far it is.
type runState struct {
	method string // its title
	seed   uint64
	plan   RunPlan
	epochs int // trained
	of     int // epochs of the training

	lacks    string // of what the figure needs, if the run has no weights
	ensemble bool   // all that the run lacks is the test of the ensemble that it ends
}

// String is such as "M16 seed 3: stopped at epoch 4 of 30".
func (s runState) String() string {
	name := Run{Method: s.method, Seed: s.seed}.Name()
	switch {
	case s.plan.Measured:
		return name + ": its seed or its method lacks others"
	case s.ensemble:
		return name + ": evaluated, its ensemble isn't"
	case s.plan.Trained:
		return name + ": trained, not evaluated"
	case s.plan.Recorded:
		return name + ": " + s.lacks
	case s.plan.Begun:
		return fmt.Sprintf("%s: stopped at epoch %d of %d", name, s.epochs, s.of)
	}
	return name + ": not begun"
}

func (p part) has(s runState) bool {
	return slices.Contains(p.seeds, s.seed) && slices.ContainsFunc(p.methods, func(m Method) bool { return m.title() == s.method })
}

// runStates looks at all runs of the figure.
func runStates(f Figure, setup Setup, runs string) ([]runState, error) {
	var states []runState
	for _, seed := range setup.Seeds {
		for _, method := range setup.Methods {
			config := setup.config(method, seed).WithDefaults()
			plan, history, err := lookAt(f, setup, config, runs)
			if err != nil {
				return nil, err
			}
			states = append(states, runState{
				method: method.title(), seed: seed, plan: plan, epochs: max(0, len(history)-1), of: config.Training.Epochs, lacks: f.lacks(setup),
				ensemble: (plan.Trained || plan.Recorded) && !plan.Measured && lacksEnsemble(f, setup, config, runs),
			})
		}
	}
	return states, nil
}

// lacksEnsemble reports whether the test of its ensemble is all that a trained run lacks.
func lacksEnsemble(f Figure, setup Setup, config nbbnn.Config, runs string) bool {
	m, is := f.Collect.(benchmarkMeasurement)
	if !is {
		return false
	}
	run, err := nbbnn.Open(runs, config)
	return err == nil && m.levelMeasurement.done(setup, run)
}

// choosePart returns the best part. It has the methods of the first claim; the others are left out
// if no claim is about all methods and more seeds are complete without them.
func choosePart(f Figure, setup Setup, states []runState) part {
	needed := neededMethods(f, setup)
	common := commonSeeds(setup, states, needed)
	candidates := [][]uint64{common}
	for _, method := range setup.methodTitles() {
		candidates = append(candidates, commonSeeds(setup, states, append(slices.Clone(needed), method)))
	}
	candidates = append(candidates, commonSeeds(setup, states, setup.methodTitles()))
	var best part
	for _, seeds := range candidates {
		p := part{seeds: seeds}
		for _, method := range setup.Methods {
			if len(commonSeeds(setup, states, []string{method.title()}, seeds...)) == len(seeds) {
				p.methods = append(p.methods, method)
			}
		}
		if comparePart(p, best) > 0 {
			best = p
		}
	}
	return best
}

// neededMethods are those that every part has.
func neededMethods(f Figure, setup Setup) []string {
	all := setup.methodTitles()
	if _, is := f.Collect.(benchmarkMeasurement); is {
		return all[:1] // its claims are asked of the methods that are there
	}
	if len(f.Claims) == 0 || slices.ContainsFunc(f.Claims, func(c Claim) bool { return len(c.Methods) == 0 }) {
		return all
	}
	if first := f.Claims[0].Methods; !slices.ContainsFunc(first, func(name string) bool { return !slices.Contains(all, name) }) {
		return first
	}
	return all
}

// commonSeeds returns the seeds, of those given or of all, that are measured for all methods.
func commonSeeds(setup Setup, states []runState, methods []string, of ...uint64) (seeds []uint64) {
	if of == nil {
		of = setup.Seeds
	}
	for _, seed := range of {
		missing := slices.ContainsFunc(states, func(s runState) bool {
			return s.seed == seed && slices.Contains(methods, s.method) && !s.plan.Measured
		})
		if !missing {
			seeds = append(seeds, seed)
		}
	}
	return seeds
}

// comparePart orders parts by what they can decide.
func comparePart(a, b part) int {
	return cmp.Or(
		cmp.Compare(min(len(a.seeds), decidingSeeds), min(len(b.seeds), decidingSeeds)),
		cmp.Compare(len(a.seeds)*len(a.methods), len(b.seeds)*len(b.methods)),
		cmp.Compare(len(a.seeds), len(b.seeds)),
	)
}
