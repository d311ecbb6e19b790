package paper

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Collected returns the measured result of the runs that are there, without computing anything: of the
// methods and seeds that are complete together. LeftOut names the others. The error of a figure without
// a complete seed says what is missing.
func Collected(ctx context.Context, figure Figure, scale Scale, options Options) (*Result, error) {
	runs := options.withDefaults().Runs
	part, err := partOf(figure, scale, runs)
	if err != nil {
		return nil, err
	}
	if len(part.seeds) > 0 {
		return part.result(ctx, figure, scale, options)
	}
	if err := missingData(figure, scale, runs); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("paper: figure %s has no seed at the scale %s whose runs are all trained and evaluated (%s): run `nbbnn figure %[1]s --scale %[2]s` with the same settings, or name the directory of the runs with --runs",
		figure.Command(), scale, strings.Join(quantity.First(part.leftOut, 3), "; "))
}

// missingData returns an error if a directory has runs on CIFAR-10, and a figure takes Shapes10 because
// CIFAR-10 isn't here.
func missingData(figure Figure, scale Scale, runs string) error {
	if !figure.ReplacesData(scale) {
		return nil
	}
	directories, err := nbbnn.Directories(runs)
	if err != nil {
		return err
	}
	for _, directory := range directories {
		if run, err := nbbnn.OpenDirectory(directory); err == nil && run.Config().Data.Name == dataset.CIFAR10 {
			return fmt.Errorf("paper: %s holds runs on CIFAR-10, which isn't here, so that figure %s looks for runs on Shapes10: `nbbnn data get cifar10` brings it, or set NBBNN_DATA to its folder", runs, figure.Command())
		}
	}
	return nil
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
	setup, all, err := f.open(scale, Options{Runs: runs})
	if err != nil {
		return part{}, err
	}
	var states []RunPlan
	for _, run := range all {
		state, err := f.lookAt(setup, run)
		if err != nil {
			return part{}, err
		}
		states = append(states, state)
	}
	best := choosePart(f, setup, states)
	for _, s := range states {
		if !best.has(s) {
			best.leftOut = append(best.leftOut, s.left())
		}
	}
	return best, nil
}

// left says why a run isn't drawn, such as "M16 seed 3: stopped at epoch 4 of 30".
func (r RunPlan) left() string {
	switch {
	case r.Measured:
		return r.Name + ": its seed or its method lacks others"
	case r.alone:
		return r.Name + ": evaluated, what it shares with other runs isn't"
	case r.Trained:
		return r.Name + ": trained, not evaluated"
	case r.Recorded:
		return r.Name + ": its record lacks " + r.lacks + ", and has no weights to measure it with"
	case r.Begun:
		return fmt.Sprintf("%s: stopped at epoch %d of %d", r.Name, r.epochs, r.of)
	}
	return r.Name + ": not begun"
}

func (p part) has(s RunPlan) bool {
	return slices.Contains(p.seeds, s.seed) && slices.ContainsFunc(p.methods, func(m Method) bool { return m.title() == s.method })
}

// choosePart returns the best part. It has the methods of the first claim; the others are left out
// if no claim is about all methods and more seeds are complete without them.
func choosePart(f Figure, setup Setup, states []RunPlan) part {
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
	if f.Benchmark {
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
func commonSeeds(setup Setup, states []RunPlan, methods []string, of ...uint64) (seeds []uint64) {
	if of == nil {
		of = setup.Seeds
	}
	for _, seed := range of {
		missing := slices.ContainsFunc(states, func(s RunPlan) bool {
			return s.seed == seed && slices.Contains(methods, s.method) && !s.Measured
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
		cmp.Compare(min(len(a.seeds), score.DecidingSeeds), min(len(b.seeds), score.DecidingSeeds)),
		cmp.Compare(len(a.seeds)*len(a.methods), len(b.seeds)*len(b.methods)),
		cmp.Compare(len(a.seeds), len(b.seeds)),
	)
}
