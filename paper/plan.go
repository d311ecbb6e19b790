package paper

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/estimate"
	"github.com/nbbnn/workbench/internal/trial"
	"github.com/nbbnn/workbench/nbbnn"
)

// Plan lists a figure's parts and what is still to be computed.
type Plan struct {
	Figure  Figure
	Scale   Scale
	Subject string   // the network and the data, for example "allcnnc, width 16, shapes10"
	Data    []string // names of the data sets
	Methods []string
	Seeds   []uint64
	// in words, for example "8 corruptions x 5 levels + clean, 500 images, 16 samples"
	Test string
	Runs []RunPlan // in the order in which they are made; one in several curves once

	Trained int // runs that are trained to the end, or measured without their weights
	// measured runs: trained ones, and complete records without weights
	Measured int

	Disk float64 // approximate bytes of the missing runs
	// approximate maximum of a process that makes a missing run; 0 if unknown
	Memory float64 // bytes

	Replaced bool // Shapes10 is taken because CIFAR-10 isn't here, as by figures on it at quick

	// approximate, of the missing training and measurement; 0 if unknown
	Left          time.Duration
	NetworkMemory float64 // that it takes to train, bytes; 0 if unknown

	Verdicts Verdicts      // set by Overview; nil without a complete seed
	Checks   []CheckResult // of the same seeds

	config nbbnn.Config // whose speed is measured, filled
	speed  estimate.Speed
}

// RunPlan is one run of a plan.
type RunPlan struct {
	Name      string // for example "M32 seed 2"
	Directory string // name of the run's directory
	nbbnn.State
	Measured bool

	Training, Measuring float64 // floating-point operations that are missing

	method string // its title
	seed   uint64
	lacks  string // a record's missing measurement
	alone  bool   // every measurement on the run alone is done
}

// operations counts the floating-point operations of the missing parts.
func (p Plan) operations() (operations float64) {
	for _, run := range p.Runs {
		operations += run.Training + run.Measuring
	}
	return operations
}

// Missing reports whether there is something to do.
func (p Plan) Missing() bool { return p.Measured < len(p.Runs) }

// Measure sets Left and NetworkMemory: in about a second it measures how fast this machine trains
// the network.
func (p *Plan) Measure(ctx context.Context) error { return p.measure(ctx, estimate.Speeds{}) }

func (p *Plan) measure(ctx context.Context, known estimate.Speeds) (err error) {
	if !p.Missing() {
		return nil
	}
	p.speed, err = known.Of(ctx, p.config)
	p.Left, p.NetworkMemory = p.speed.Duration(p.operations()), p.speed.Memory
	return err
}

// Plan looks at the runs of the figure. It computes nothing and creates nothing. It returns an
// error if the set-up can't be run.
func (f Figure) Plan(scale Scale, options Options) (Plan, error) {
	setup, err := f.setup(scale)
	if err != nil {
		return Plan{}, err
	}
	config := setup.Config.WithDefaults()
	plan := Plan{
		Figure: f, Scale: scale, Data: setup.dataNames(), Methods: setup.methodNames(),
		Seeds: setup.Seeds,
		Subject: fmt.Sprintf("%s, width %d, %s", config.Network.Name, config.Network.Width,
			join(setup.dataNames())),
		Test: f.collect.describe(setup), config: trialConfig(setup),
		Replaced: f.replacesData(scale),
	}
	for _, part := range setup.batches() {
		runs, err := part.open(options.withDefaults().Runs)
		if err != nil {
			return Plan{}, err
		}
		states, err := f.states(setup, runs)
		if err != nil {
			return Plan{}, err
		}
		for i, state := range states {
			plan.add(state, runs[i].Config(), f.collect.operations(setup, runs[i].Config()))
		}
	}
	return plan, nil
}

// add adds a run with the operations of its measurement. A run that another curve has added gets
// another test.
func (p *Plan) add(state RunPlan, config nbbnn.Config, measuring float64) {
	if at := slices.IndexFunc(p.Runs, func(run RunPlan) bool {
		return run.Directory == state.Directory
	}); at >= 0 {
		if !p.Runs[at].Measured {
			p.Runs[at].Measuring += measuring
		}
		return
	}
	if state.usable() {
		p.Trained++
	} else {
		state.Training = estimate.Training(config)
		p.Disk += diskBytes(config)
	}
	if state.Measured {
		p.Measured++
	} else {
		state.Measuring, p.Memory = measuring, max(p.Memory,
			trial.MostMemory(config.Settings(), dataSize(config)))
	}
	p.Runs = append(p.Runs, state)
}

// trialConfig returns the configuration whose steps are timed for a plan, the same for all figures
// with a network, images and batches: one component, noise on the outputs.
func trialConfig(setup Setup) nbbnn.Config {
	config := setup.Config
	config.Posterior, config.Objective = nbbnn.Posterior{}, nbbnn.Objective{}
	return config.WithDefaults()
}

// states looks at runs, without their missing operations.
func (f Figure) states(setup Setup, runs []Run) (states []RunPlan, err error) {
	for _, run := range runs {
		state, err := run.State()
		plan := RunPlan{
			Name: run.Name(), Directory: run.Config().RunName(), State: state,
			method: run.title(), seed: run.Seed, lacks: f.collect.describe(setup),
		}
		if err == nil && state.Card != nil {
			if plan.Measured = f.collect.done(setup, run.Run); !plan.Measured {
				plan.alone = f.collect.done(setup.alone(run.Run), run.Run)
				_, _, err = run.CleanTest(0) // reads the cells: damaged ones aren't missing
			}
		}
		if err != nil {
			return nil, err
		}
		states = append(states, plan)
	}
	return states, nil
}

// usable reports whether a run is trained to the end, or has no weights and all results that the
// figure measures.
func (r RunPlan) usable() bool { return r.Trained || r.Measured }

// String returns a line like "4 runs: M16 and M32, seeds 1 2 · 1 trained already".
func (p Plan) String() string {
	const mostMethods = 5 // that a line names
	methods := join(p.Methods)
	if len(p.Methods) > mostMethods {
		methods = counted(len(p.Methods), "method")
	}
	text := fmt.Sprintf("%s: %s, %s", counted(len(p.Runs), "run"), methods, seedsText(p.Seeds))
	switch {
	case !p.Missing():
		return text + " · nothing left to do"
	case p.Trained == 0:
		return text
	default:
		return fmt.Sprintf("%s · %d trained already", text, p.Trained)
	}
}

// Measured returns a function that reports whether a trained run has every measurement of the
// figure that needs no other run.
func (f Figure) Measured(scale Scale) (func(*nbbnn.Run) bool, error) {
	setup, err := f.setup(scale)
	return func(run *nbbnn.Run) bool { return f.collect.done(setup.alone(run), run) }, err
}

// MakeRun trains and measures one run of a figure, named by the beginning of its directory's name,
// so that a queue or a cluster can take the runs one by one. Make measures several runs together,
// for example an ensemble. If the context ends, the run is saved and the error wraps
// nbbnn.ErrStopped.
func (f Figure) MakeRun(ctx context.Context, scale Scale, name string, options Options) error {
	setup, runs, err := f.open(scale, options)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if name == "" || !strings.HasPrefix(run.Config().RunName(), name) {
			continue
		}
		one := f.Adjust(func(s *Setup) { *s = setup.alone(run.Run) })
		if _, err := one.Train(ctx, scale, options); err != nil {
			return err
		}
		_, err = one.Evaluate(ctx, scale, options)
		return err
	}
	return fmt.Errorf("paper: figure %s has no run %q at the scale %s: "+
		"`nbbnn figure %[1]s --scale %[3]s --plan` lists them", f.Command(), name, scale)
}
