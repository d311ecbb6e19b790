package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
)

// Setup is the experiment of a figure at one scale: the product of its methods and its seeds.
type Setup struct {
	Methods []Method     // one curve each
	Config  nbbnn.Config // of every run, before its method and its seed change it
	Seeds   []uint64     // of the runs that the figure trains, for each method

	Evaluation nbbnn.Evaluation // of the figures that test their runs
	// each seed is tested on different test images, so that intervals cover both
	OwnImages bool
	Implicit  implicit.Settings // of the figures with implicit corruptions
	Ensemble  int               // seeds of each ensemble of the benchmarks; below 2 there are none
	Clouds    CloudSettings     // of the figures with clouds of outputs
}

// Method is one curve of a figure: a name, and its change to the configuration that all runs share.
type Method struct {
	Name   string
	Change func(*nbbnn.Config)
	// of panels, for example "CIFAR-10", in a figure with several; "" in one with a single row
	Row string
}

// M returns the method that the paper calls M16 for 0.16 and M32 for 0.32: the initial standard
// deviation of the posterior, which is the prior's too (METHOD.md section 4).
func M(std float64) Method {
	return Method{
		Name: fmt.Sprintf("M%02.0f", math.Round(100*std)),
		Change: func(config *nbbnn.Config) {
			config.Posterior.InitStd, config.Posterior.PriorStd = std, std
		},
	}
}

// inRow returns the method in a row of panels, whose runs have a change of the configuration before
// its own.
func (m Method) inRow(row string, before func(*nbbnn.Config)) Method {
	own := m.Change
	m.Row = row
	m.Change = func(config *nbbnn.Config) {
		before(config)
		own(config)
	}
	return m
}

// config returns the configuration of one run.
func (s Setup) config(method Method, seed uint64) nbbnn.Config {
	config := s.Config
	method.Change(&config)
	config.Seed = seed
	return config
}

// evaluation returns the test of the runs of a seed.
func (s Setup) evaluation(seed uint64) nbbnn.Evaluation {
	e := s.Evaluation
	if s.OwnImages && e.Images > 0 {
		parts := max(1, s.dataSize().Test/e.Images)
		e.First = int((seed+uint64(parts)-1)%uint64(parts)) * e.Images
	}
	return e
}

// ownImages reports whether intervals over the seeds cover the choice of test images, too: each
// seed has its own, or all have all of them.
func (s Setup) ownImages() bool { return s.OwnImages || s.Evaluation.Images == 0 }

// alone returns the part of the set-up that needs no other run: no ensemble and no other methods'
// corruptions.
func (s Setup) alone(run *nbbnn.Run) Setup {
	s.Seeds = []uint64{run.Config().Seed}
	s.Methods = slices.DeleteFunc(slices.Clone(s.Methods), func(m Method) bool {
		return s.config(m, s.Seeds[0]).WithDefaults().Hash() != run.Config().Hash()
	})
	return s
}

// partEvaluation returns a seed's test of a part: all its images uncorrupted, or as many test
// images as a cell has.
func (s Setup) partEvaluation(part nbbnn.Part, seed uint64) nbbnn.Evaluation {
	e := nbbnn.Evaluation{Suite: s.Evaluation.Suite, Samples: s.Evaluation.Samples,
		Seed: s.Evaluation.Seed, Part: part}
	if part == nbbnn.CleanPart {
		e.Images, e.First = s.Evaluation.Images, s.evaluation(seed).First
	}
	return e
}

// title identifies the method in the figure: "MAP" or "MAP on CIFAR-10".
func (m Method) title() string {
	if m.Row == "" {
		return m.Name
	}
	return m.Name + " on " + m.Row
}

func (s Setup) methodTitles() []string {
	return quantity.Texts(s.Methods, Method.title)
}

// subject returns a text like "ResNet18 on CIFAR-10 and CIFAR-100".
func (s Setup) subject() string {
	return titleOf(s.Config.WithDefaults().Network.Name) + " on " +
		join(quantity.Texts(s.dataNames(), titleOf))
}

// batches returns the parts of the set-up in the order in which they are made: the rows one after
// the other, and in each row all methods of a seed before the next seed, so that a stopped set-up
// can be compared.
func (s Setup) batches() (parts []Setup) {
	for _, row := range s.rows() {
		for _, seed := range s.Seeds {
			part := s
			part.Seeds = []uint64{seed}
			part.Methods = slices.DeleteFunc(slices.Clone(s.Methods), func(m Method) bool {
				return m.Row != row
			})
			parts = append(parts, part)
		}
	}
	return parts
}

// ofMethods returns the methods' texts, each once.
func (s Setup) ofMethods(text func(Method) string) (texts []string) {
	for _, method := range s.Methods {
		texts = quantity.AddNew(texts, text(method))
	}
	return texts
}

func (s Setup) methodNames() []string {
	return s.ofMethods(func(m Method) string { return m.Name })
}

// rows returns the names of the rows of panels, from the top; one empty name for a single row.
func (s Setup) rows() []string { return s.ofMethods(func(m Method) string { return m.Row }) }

// dataNames returns the data sets of the methods.
func (s Setup) dataNames() []string {
	return s.ofMethods(func(m Method) string { return s.config(m, 0).WithDefaults().Data.Name })
}

// dataSize returns the numbers of images and classes of the data set that the methods share.
func (s Setup) dataSize() dataset.Size { return dataSize(s.Config.WithDefaults()) }

// filledImplicit returns the settings of the search with their defaults.
func (s Setup) filledImplicit() implicit.Settings {
	return s.Implicit.WithDefaults(s.Config.WithDefaults().Posterior.Components)
}

// dataSize returns the numbers of images and classes of a configuration, without opening its data.
func dataSize(config nbbnn.Config) dataset.Size {
	return config.Data.Images().Size()
}

// validate checks the set-up of a figure and everything that its runs share.
func (s Setup) validate(f Figure) error {
	if len(s.Methods) == 0 {
		if scales := f.scales(); len(scales) > 0 {
			return fmt.Errorf("paper: figure %s has no runs at this scale: choose --scale %s",
				f.Command(), strings.Join(quantity.Words(scales...), " or "))
		}
	}
	if len(s.Methods) == 0 || len(s.Seeds) == 0 {
		return fmt.Errorf("paper: figure %s has %d methods and %d seeds: give at least one of each",
			f.Command(), len(s.Methods), len(s.Seeds))
	}
	if err := checkDistinct(s.methodTitles(), s.Seeds); err != nil {
		return err
	}
	for _, method := range s.Methods {
		config := s.config(method, s.Seeds[0]).WithDefaults()
		err := config.Validate()
		if err == nil {
			err = f.collect.validate(s, config)
		}
		if err != nil {
			return fmt.Errorf("%w (%s)", err, method.Name)
		}
	}
	return nil
}

// checkImages refuses test images that the runs don't have.
func checkImages(config nbbnn.Config, first, images int) error {
	if test := dataSize(config).Test; first+images > test {
		return fmt.Errorf("paper: the test images %d to %d are asked for, the runs have %d: "+
			"lower the numbers", first, first+images-1, test)
	}
	return nil
}

// checkDistinct refuses names and seeds that appear twice: their runs couldn't be told apart.
func checkDistinct(methods []string, seeds []uint64) error {
	for i, method := range methods {
		if slices.Contains(methods[:i], method) {
			return fmt.Errorf("paper: two methods are called %q: give each its own name", method)
		}
	}
	for i, seed := range seeds {
		if slices.Contains(seeds[:i], seed) {
			return fmt.Errorf("paper: seed %d appears twice: give each run its own seed", seed)
		}
	}
	return nil
}
