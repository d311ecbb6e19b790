package paper

import (
	"context"
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/nbbnn"
)

// Plan says what a figure consists of and what is still to be computed.
type Plan struct {
	Figure  int
	Scale   Scale
	Subject string // the network and the data, such as "allcnnc, width 16, shapes10"
	Methods []string
	Seeds   []uint64
	Test    string    // in words, such as "8 corruptions x 5 levels + clean, 500 images, 16 samples"
	Runs    []RunPlan // in the order in which they are made
	Disk    float64   // bytes that the missing runs will take, about

	largest nbbnn.Config // of the missing runs, the one with the most operations a step
}

// RunPlan is one run of a plan.
type RunPlan struct {
	Name      string // such as "M32 seed 2"
	Directory string // name of the run's directory
	Begun     bool
	Trained   bool // to its last epoch
	Measured  bool

	Training, Measuring float64 // floating-point operations that are missing
}

// Operations counts the floating-point operations of the training and the measurement that are
// missing.
func (p Plan) Operations() (operations float64) {
	for _, run := range p.Runs {
		operations += run.Training + run.Measuring
	}
	return operations
}

// Trained counts the runs that are trained to the end.
func (p Plan) Trained() int { return p.count(func(r RunPlan) bool { return r.Trained }) }

// Measured counts the runs that are trained and measured.
func (p Plan) Measured() int { return p.count(func(r RunPlan) bool { return r.Measured }) }

func (p Plan) count(of func(RunPlan) bool) (count int) {
	for _, run := range p.Runs {
		if of(run) {
			count++
		}
	}
	return count
}

// Missing reports whether there is something to do.
func (p Plan) Missing() bool { return p.Measured() < len(p.Runs) }

// Speed measures how fast this machine trains the plan's largest missing run.
func (p Plan) Speed(ctx context.Context) (Speed, error) {
	if !p.Missing() {
		return Speed{}, nil
	}
	return MeasureSpeed(ctx, p.largest)
}

// Plan looks at the runs of the figure. It computes nothing and creates nothing. It returns an
// error if the set-up can't be run.
func (f Figure) Plan(scale Scale, options Options) (Plan, error) {
	setup, err := f.setup(scale)
	if err != nil {
		return Plan{}, err
	}
	runs := options.withDefaults().Runs
	setup = setup.withFurther(f, runs)
	plan := Plan{
		Figure: f.Number, Scale: scale, Subject: subject(setup),
		Methods: setup.methodNames(), Seeds: setup.Seeds, Test: f.Collect.describe(setup),
	}
	for _, seed := range setup.Seeds {
		for _, method := range setup.Methods {
			if err := plan.add(f, setup, method, seed, runs); err != nil {
				return Plan{}, err
			}
		}
	}
	return plan, nil
}

// subject names the network and the data of a set-up.
func subject(setup Setup) string {
	var data []string
	for _, method := range setup.Methods {
		if name := setup.config(method, 0).WithDefaults().Data.Name; !slices.Contains(data, name) {
			data = append(data, name)
		}
	}
	config := setup.Config.WithDefaults()
	return fmt.Sprintf("%s, width %d, %s", config.Network.Name, config.Network.Width, join(data))
}

// add adds a run and what it lacks.
func (p *Plan) add(f Figure, setup Setup, method Method, seed uint64, runs string) error {
	config := setup.config(method, seed).WithDefaults()
	run, err := planRun(f, setup, config, runs)
	if err != nil {
		return err
	}
	run.Name = Run{Method: method.Name, Seed: seed, Row: method.Row}.Name()
	if !run.Trained {
		run.Training = trainingOperations(config)
		p.Disk += diskBytes(config)
	}
	if !run.Measured {
		run.Measuring = f.Collect.operations(setup, config)
		if p.largest.Network.Name == "" || stepOperations(config) > stepOperations(p.largest) {
			p.largest = config
		}
	}
	p.Runs = append(p.Runs, run)
	return nil
}

// stepOperations is proportional to the operations of one training step.
func stepOperations(config nbbnn.Config) float64 {
	return multiplyAdds(config) * float64(config.Training.Batch*config.Training.Samples)
}

// planRun looks at one run.
func planRun(f Figure, setup Setup, config nbbnn.Config, runs string) (RunPlan, error) {
	plan, _, err := lookAt(f, setup, config, runs)
	return plan, err
}

// lookAt returns the plan of one run and its history so far.
func lookAt(f Figure, setup Setup, config nbbnn.Config, runs string) (plan RunPlan, history []nbbnn.Epoch, err error) {
	plan.Directory = config.RunName()
	run, err := nbbnn.Open(runs, config)
	if err != nil {
		return plan, nil, err
	}
	if history, err = run.History(); err != nil {
		return plan, nil, err
	}
	plan.Begun, plan.Trained = len(history) > 0, run.Complete()
	plan.Measured = plan.Trained && f.Collect.done(setup, run)
	return plan, history, nil
}

// String is such as "4 runs: M16 and M32, seeds 1 2 · 1 trained already".
func (p Plan) String() string {
	text := fmt.Sprintf("%s: %s, %s", counted(len(p.Runs), "run"), join(p.Methods), seedsText(p.Seeds))
	switch {
	case !p.Missing():
		return text + " · nothing left to do"
	case p.Trained() == 0:
		return text
	default:
		return fmt.Sprintf("%s · %d trained already", text, p.Trained())
	}
}

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
