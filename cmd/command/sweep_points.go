package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
)

// planned is what a sweep is planned from.
type planned struct {
	configs []nbbnn.Config
	leftOut []leftOutOption
}

// leftOutOption is an option of a product that some of its methods don't have.
type leftOutOption struct {
	Option  string          `json:"option"` // the flag, such as "init-std"
	Methods []baseline.Name `json:"methods"`
}

// text says what became of the points.
func (o leftOutOption) text() string {
	names := make([]string, len(o.Methods))
	for i, name := range o.Methods {
		names[i] = string(name)
	}
	return fmt.Sprintf("--%s is left out for %s, without such an option: one point for all its values",
		o.Option, strings.Join(names, ", "))
}

// choice is a value of a flag.
type choice struct{ flag, text string }

// points collects the configurations of a product. Each method gets the options that it has.
type points struct {
	start   startingPoint
	configs []nbbnn.Config
	reduced map[string]bool // by the hash of a configuration: whether an option was left out
	leftOut []leftOutOption
	taken   map[choice]bool // values that some configuration has
	refused []refusal
}

// refusal is a value that a method refused, and why.
type refusal struct {
	choice
	err error
}

func newPoints(start startingPoint) *points {
	return &points{start: start, reduced: map[string]bool{}, taken: map[choice]bool{}}
}

// add adds the configuration of a combination without the options that its method doesn't have,
// unless that is there already. isReduced says that some were left out before.
func (p *points) add(combination []choice, isReduced bool) error {
	config, err := p.config(combination)
	if at, option := refusedOption(err, combination); at >= 0 {
		p.refused = append(p.refused, refusal{combination[at], err})
		p.leaveOut(option)
		return p.add(slices.Delete(slices.Clone(combination), at, at+1), true)
	}
	if err != nil {
		return err
	}
	for _, c := range combination {
		p.taken[c] = true
	}
	hash := config.WithDefaults().Hash()
	if wasReduced, isThere := p.reduced[hash]; isThere && (isReduced || wasReduced) {
		return nil
	}
	p.reduced[hash] = isReduced
	p.configs = append(p.configs, config)
	return nil
}

// config returns the configuration of a combination, as `nbbnn train` would train it.
func (p *points) config(combination []choice) (nbbnn.Config, error) {
	var config nbbnn.Config
	given := pflag.NewFlagSet("train", pflag.ContinueOnError)
	addConfigFlags(given, &config)
	for _, c := range combination {
		if err := given.Set(c.flag, c.text); err != nil {
			return config, fmt.Errorf("nbbnn sweep plan: %w", err)
		}
	}
	return readConfig(p.start, given)
}

// refusedOption returns where the option that an error is about is in a combination, or -1.
func refusedOption(err error, combination []choice) (at int, option nbbnn.OptionError) {
	if !errors.As(err, &option) {
		return -1, option
	}
	return slices.IndexFunc(combination, func(c choice) bool { return c.flag == option.Flag }), option
}

// leaveOut notes that a method doesn't have an option.
func (p *points) leaveOut(option nbbnn.OptionError) {
	at := slices.IndexFunc(p.leftOut, func(o leftOutOption) bool { return o.Option == option.Flag })
	if at < 0 {
		at, p.leftOut = len(p.leftOut), append(p.leftOut, leftOutOption{Option: option.Flag})
	}
	if o := &p.leftOut[at]; !slices.Contains(o.Methods, option.Method) {
		o.Methods = append(o.Methods, option.Method)
	}
}

// planned returns what was collected, or an error about a value that no method takes.
func (p *points) planned() (planned, error) {
	for _, r := range p.refused {
		if !p.taken[r.choice] {
			return planned{}, r.err
		}
	}
	return planned{p.configs, p.leftOut}, nil
}
