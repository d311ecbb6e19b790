package paper

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/estimate"
	"github.com/nbbnn/workbench/internal/quantity"
)

// collected returns the result of the methods and seeds whose runs are all measured, and computes
// nothing. LeftOut names the others. Without a complete seed, the error names what is missing.
func collected(ctx context.Context, f Figure, scale Scale, options Options) (*Result, error) {
	runs := options.withDefaults().Runs
	part, err := partOf(f, scale, runs)
	if err != nil {
		return nil, err
	}
	if len(part.seeds) > 0 {
		return part.result(ctx, f, scale, options)
	}
	data := ""
	if f.replacesData(scale) {
		data = "; CIFAR-10 isn't here, so that it looks for runs on Shapes10: " +
			"`nbbnn data get cifar10` fetches it, or set NBBNN_DATA to its folder"
	}
	return nil, fmt.Errorf("paper: figure %s has no seed at the scale %s whose runs in %s are "+
		"all trained and evaluated (%s): run `nbbnn figure %[1]s --scale %[2]s` with the same "+
		"settings, or name the directory of the runs with --runs%[5]s",
		f.Command(), scale, runs, strings.Join(quantity.First(part.leftOut, 3), "; "), data)
}

// part is the part of a figure whose runs are all measured.
type part struct {
	methods []Method
	seeds   []uint64
	// runs of the figure that aren't in it, for example "M16 seed 3: stopped at epoch 4 of 30"
	leftOut []string
}

// result returns the measured result of the part.
func (p part) result(ctx context.Context, f Figure, scale Scale, options Options) (*Result, error) {
	result, err := f.Adjust(func(s *Setup) {
		s.Methods, s.Seeds = p.methods, p.seeds
	}).Evaluate(ctx, scale, options)
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
	states, err := f.states(setup, all)
	if err != nil {
		return part{}, err
	}
	best := choosePart(f, setup, states)
	for _, s := range states {
		drawn := slices.ContainsFunc(best.methods, func(m Method) bool {
			return m.title() == s.method
		})
		if !drawn || !slices.Contains(best.seeds, s.seed) {
			best.leftOut = append(best.leftOut, s.left())
		}
	}
	return best, nil
}

// left explains why a run isn't drawn: "M16 seed 3: stopped at epoch 4 of 30".
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
		return fmt.Sprintf("%s: stopped at epoch %d of %d", r.Name, r.Epoch, r.Epochs)
	}
	return r.Name + ": not begun"
}

// choosePart returns the best part. It has the methods of the first claim; the others are left out
// if no claim is about all methods and more seeds are complete without them.
func choosePart(f Figure, setup Setup, states []RunPlan) (best part) {
	measured := map[string][]uint64{} // seeds by method
	for _, s := range states {
		if s.Measured {
			measured[s.method] = append(measured[s.method], s.seed)
		}
	}
	lacks := func(method string, seeds []uint64) bool {
		return slices.ContainsFunc(seeds, func(seed uint64) bool {
			return !slices.Contains(measured[method], seed)
		})
	}
	common := func(methods ...string) []uint64 { // the seeds that are measured for all of them
		return slices.DeleteFunc(slices.Clone(setup.Seeds), func(seed uint64) bool {
			return slices.ContainsFunc(methods, func(method string) bool {
				return lacks(method, []uint64{seed})
			})
		})
	}
	needed := neededMethods(f, setup)
	candidates := [][]uint64{common(needed...)}
	for _, method := range setup.methodTitles() {
		candidates = append(candidates, common(append(slices.Clone(needed), method)...))
	}
	for _, seeds := range append(candidates, common(setup.methodTitles()...)) {
		p := part{seeds: seeds}
		for _, method := range setup.Methods {
			if !lacks(method.title(), seeds) {
				p.methods = append(p.methods, method)
			}
		}
		if comparePart(p, best) > 0 {
			best = p
		}
	}
	return best
}

// neededMethods returns the methods that every part has: a benchmark's first, whose claims take the
// methods that it has; otherwise the first claim's, or all if a claim is about all methods.
func neededMethods(f Figure, setup Setup) []string {
	all := setup.methodTitles()
	if f.benchmark {
		return all[:1]
	}
	if len(f.claims) == 0 || slices.ContainsFunc(f.claims, func(c claim) bool {
		return len(c.Methods) == 0
	}) {
		return all
	}
	first := f.claims[0].Methods
	if slices.ContainsFunc(first, func(name string) bool { return !slices.Contains(all, name) }) {
		return all
	}
	return first
}

// comparePart orders parts: enough seeds first, then more runs, then more seeds.
func comparePart(a, b part) int {
	return cmp.Or(
		cmp.Compare(min(len(a.seeds), decidingSeeds), min(len(b.seeds), decidingSeeds)),
		cmp.Compare(len(a.seeds)*len(a.methods), len(b.seeds)*len(b.methods)),
		cmp.Compare(len(a.seeds), len(b.seeds)),
	)
}

// Overview looks at the paper's figures at a scale, with the verdicts and the checks of the seeds
// whose runs are all there, and returns about how long all together still take. It trains and tests
// nothing.
func Overview(ctx context.Context, scale Scale, options Options) (all []Plan, left time.Duration,
	err error) {
	known := estimate.Speeds{}
	figures, _ := Figures()
	for _, figure := range figures {
		plan, err := figure.Plan(scale, options)
		if err = cmp.Or(err, plan.measure(ctx, known)); err != nil {
			return nil, 0, err
		}
		part, err := partOf(figure, scale, options.withDefaults().Runs)
		if err != nil {
			return nil, 0, err
		}
		if len(part.seeds) > 0 {
			result, err := part.result(ctx, figure, scale, options)
			if err != nil {
				return nil, 0, err
			}
			plan.Verdicts, plan.Checks = result.Verdicts(), result.Checks()
		}
		all = append(all, plan)
	}
	return all, leftOf(all), nil
}

// leftOf is about how long all figures together still take. Runs that several figures share are
// trained once.
func leftOf(all []Plan) time.Duration {
	var left float64
	trained := map[string]bool{}
	for _, plan := range all {
		for _, run := range plan.Runs {
			operations := run.Measuring
			if !trained[run.Directory] {
				operations += run.Training
			}
			trained[run.Directory] = true
			left += plan.speed.Seconds(operations)
		}
	}
	return quantity.Duration(left)
}
