package paper

import "context"

// Status is what is known of a figure at one scale.
type Status struct {
	Figure   Figure
	Plan     Plan
	Verdicts Verdicts      // of the seeds whose runs are all there; nil if there is none
	Checks   []CheckResult // of the same seeds
}

// Overview looks at all figures that exist at a scale. It trains and tests nothing.
func Overview(ctx context.Context, scale Scale, options Options) ([]Status, error) {
	var all []Status
	for _, figure := range All() {
		plan, err := figure.Plan(scale, options)
		if err != nil {
			return nil, err
		}
		status := Status{Figure: figure, Plan: plan}
		result, err := figure.Available(ctx, scale, options)
		if err != nil {
			return nil, err
		}
		if result != nil {
			status.Verdicts, status.Checks = result.Verdicts(), result.Checks()
		}
		all = append(all, status)
	}
	return all, nil
}

// Missing returns the operations that all figures together still need. Runs that several figures
// share are trained once.
func Missing(all []Status) (operations float64) {
	trained := map[string]bool{}
	for _, status := range all {
		for _, run := range status.Plan.Runs {
			operations += run.Measuring
			if !trained[run.Directory] {
				operations += run.Training
			}
			trained[run.Directory] = true
		}
	}
	return operations
}
