package paper

import (
	"context"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// variants tests each run as levelMeasurement does, under its method's change of the test: methods
// may share a trained run and differ in how it predicts.
type variants struct {
	levelMeasurement
	tests      map[string]func(*nbbnn.Evaluation) // by method; a method without one has the test of the set-up
	validation bool                               // each is tested on validation images, too
}

// evaluations are the tests of a method: of the levels, then of the validation images.
func (v variants) evaluations(s Setup, method string, seed uint64) []nbbnn.Evaluation {
	all := []nbbnn.Evaluation{s.evaluation(seed)}
	if v.validation {
		all = append(all, sweepTests{}.evaluation(s, nbbnn.ValidationPart, seed))
	}
	if change := v.tests[method]; change != nil {
		for i := range all {
			change(&all[i])
		}
	}
	return all
}

func (v variants) validate(s Setup, config nbbnn.Config) error {
	for _, method := range s.Methods {
		for _, e := range v.evaluations(s, method.Name, 0) {
			if err := e.Validate(config.Posterior.Components); err != nil {
				return err
			}
		}
	}
	return v.levelMeasurement.validate(s, config)
}

// done reports whether the run has the tests of all methods that share it.
func (v variants) done(s Setup, run *nbbnn.Run) bool {
	seed := run.Config().Seed
	for _, method := range s.Methods {
		if s.config(method, seed).WithDefaults().Hash() != run.Hash() {
			continue
		}
		for _, e := range v.evaluations(s, method.Name, seed) {
			if !run.Evaluated(e) {
				return false
			}
		}
	}
	return true
}

func (v variants) measure(ctx context.Context, r *Result, run int, progress nbbnn.Progress) error {
	result := &r.Runs[run]
	for i, e := range v.evaluations(r.Setup, result.Method, result.Seed) {
		cells, err := result.Run.Evaluate(ctx, e, progress)
		if err != nil {
			return err
		}
		if i == 0 {
			result.Cells = cells
		} else {
			result.Parts = map[nbbnn.Part]score.Cell{nbbnn.ValidationPart: cells[0]}
		}
	}
	return nil
}

// corruptedSplit is the mean of the levels 1 to 5.
var corruptedSplit = split{"levels 1 to 5", onLevels(func(levels [score.LevelCount]float64) float64 {
	return score.Summarise(levels[1:]).Mean
})}

// dial is a family of methods along a number that isn't gamma.
type dial struct {
	axis    string // what the number is
	at      []float64
	methods []string // at each number
}

// on returns the metric of the dial's methods on a split, at each number and for each seed.
func (d dial) on(r *Result, metric string, on split) (sweepCurve, error) {
	curve := sweepCurve{group: on.name, gamma: d.at}
	for _, method := range d.methods {
		values, err := valuesOn(r, metric, method, on)
		if err != nil {
			return sweepCurve{}, err
		}
		curve.values = append(curve.values, values)
	}
	return curve, nil
}

// valuesOn returns a metric of a method's runs on a split.
func valuesOn(r *Result, name, method string, on split) (values []float64, err error) {
	metric, err := score.MetricByName(name)
	if err != nil {
		return nil, err
	}
	for _, run := range r.of(method) {
		value, err := on.of(metric, run)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}

// chosen returns each seed's metric under corruption at the number that has the least negative
// log-likelihood on validation images of the other seeds.
func (d dial) chosen(r *Result, metric string) ([]float64, error) {
	validation, err := d.on(r, NLL, validationSplit)
	if err != nil {
		return nil, err
	}
	drawn, err := d.on(r, metric, corruptedSplit)
	if err != nil {
		return nil, err
	}
	return drawn.at(validation.bestOfOthers(nil)), nil
}

// best returns the method with the least mean on validation images of all seeds, for pictures.
func (d dial) best(r *Result) (string, error) {
	validation, err := d.on(r, NLL, validationSplit)
	if err != nil {
		return "", err
	}
	means, _ := validation.meansAndStds()
	best := 0
	for place, mean := range means {
		if mean < means[best] {
			best = place
		}
	}
	return d.methods[best], nil
}

// panel draws a metric against the number of the dial, a curve for each split.
func (d dial) panel(r *Result, metric string, splits ...split) (*viz.Figure, error) {
	var curves []viz.GammaCurve
	for _, on := range splits {
		values, err := d.on(r, metric, on)
		if err != nil {
			return nil, err
		}
		drawn := viz.GammaCurve{Name: on.name, X: d.at, Seeds: len(values.values[0]), Axis: d.axis}
		drawn.Mean, drawn.Std = values.meansAndStds()
		curves = append(curves, drawn)
	}
	return viz.GammaCurves(metric, curves)
}

// onlyMethods returns the part of a result with some of its methods.
func onlyMethods(r *Result, names ...string) *Result {
	part := *r
	part.Setup.Methods, part.Runs = nil, nil
	for _, name := range names {
		for _, method := range r.Setup.Methods {
			if method.Name == name {
				part.Setup.Methods = append(part.Setup.Methods, method)
			}
		}
		part.Runs = append(part.Runs, r.of(name)...)
	}
	return &part
}
