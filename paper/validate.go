package paper

import (
	"fmt"
	"slices"
)

// Validate checks that the figure can be made at a scale: its methods, and the configuration and the evaluation of each run.
// It reads no data and writes nothing.
func (f Figure) Validate(scale Scale) error {
	_, err := f.setup(scale)
	return err
}

// setup returns the figure's set-up with the evaluation's defaults filled in.
func (f Figure) setup(scale Scale) (Setup, error) {
	if _, err := ParseScale(string(scale)); err != nil {
		return Setup{}, err
	}
	setup := f.Setup(scale)
	setup.Evaluation = setup.Evaluation.WithDefaults()
	if len(f.Methods) == 0 || len(setup.Seeds) == 0 {
		return Setup{}, fmt.Errorf("paper: figure %d has %d methods and %d seeds: both need at least one", f.Number, len(f.Methods), len(setup.Seeds))
	}
	if err := checkDistinct(f.methodNames(), setup.Seeds); err != nil {
		return Setup{}, err
	}
	for _, method := range f.Methods {
		if err := setup.check(method); err != nil {
			return Setup{}, fmt.Errorf("%w (%s)", err, method.Name)
		}
	}
	return setup, nil
}

// checkDistinct refuses methods and seeds that are there twice, whose runs nothing would tell apart.
func checkDistinct(methods []string, seeds []uint64) error {
	for i, method := range methods {
		if slices.Contains(methods[:i], method) {
			return fmt.Errorf("paper: two methods are called %q: give each a name of its own", method)
		}
	}
	for i, seed := range seeds {
		if slices.Contains(seeds[:i], seed) {
			return fmt.Errorf("paper: seed %d is there twice: give each run a seed of its own", seed)
		}
	}
	return nil
}

// check looks at what all runs of a method share.
func (s Setup) check(method Method) error {
	config := s.config(method, s.Seeds[0]).WithDefaults()
	if err := config.Validate(); err != nil {
		return err
	}
	if err := s.Evaluation.Validate(config.Posterior.Components); err != nil {
		return err
	}
	if s.isImplicit() {
		return s.checkImplicit(config)
	}
	if _, test := imageCounts(config.Data); s.Evaluation.Images > test {
		return fmt.Errorf("paper: %d test images are asked for, the runs have %d: lower the number of images", s.Evaluation.Images, test)
	}
	return nil
}
