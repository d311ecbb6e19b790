package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
)

// product is a set of configurations: every combination of the values of its flags.
type product struct {
	start  startingPoint
	values map[string]*valueList // by the name of a flag of `nbbnn train`
	names  []string              // of those flags, in their order
	seeds  valueList             // of --seeds
}

// valueList is the value of a flag that takes several: separated by commas, and for whole numbers
// also a range such as 1..5. Normalisations in numbers are given one at a time.
type valueList struct {
	kind  string // of the flag of `nbbnn train`, such as "int"
	texts []string
}

func (l *valueList) String() string { return strings.Join(l.texts, ",") }

// Type is shown in the help.
func (l *valueList) Type() string { return l.kind + ",..." }

func (l *valueList) Set(text string) error {
	if l.kind == new(normalisation).Type() && strings.Contains(text, "/") { // one value, with commas
		l.texts = []string{text}
		return nil
	}
	l.texts = nil
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		first, last, isRange := strings.Cut(part, "..")
		if !isRange || l.kind != "int" && l.kind != "uint64" {
			l.texts = append(l.texts, part)
			continue
		}
		numbers, err := expand(first, last)
		if err != nil {
			return err
		}
		l.texts = append(l.texts, numbers...)
	}
	return nil
}

// longestRange is the most numbers that a range may have: more are a slip.
const longestRange = 1_000_000

// expand returns the whole numbers of a range.
func expand(first, last string) (numbers []string, err error) {
	from, err := strconv.Atoi(first)
	if err != nil {
		return nil, fmt.Errorf("%q isn't a whole number, give a range as in 1..5", first)
	}
	to, err := strconv.Atoi(last)
	if err != nil {
		return nil, fmt.Errorf("%q isn't a whole number, give a range as in 1..5", last)
	}
	if to < from || to-from >= longestRange {
		return nil, fmt.Errorf("%s..%s isn't a range that rises, of at most %d numbers", first, last, longestRange)
	}
	for number := from; number <= to; number++ {
		numbers = append(numbers, strconv.Itoa(number))
	}
	return numbers, nil
}

// addFlags makes the flags of `nbbnn train`, each of which takes a list, and --seeds.
func (p *product) addFlags(f *pflag.FlagSet) {
	var config nbbnn.Config
	var start startingPoint
	plain := pflag.NewFlagSet("train", pflag.ContinueOnError)
	addTrainFlags(plain, &config, &start)
	p.values = map[string]*valueList{}
	plain.SortFlags = false
	plain.VisitAll(func(flag *pflag.Flag) {
		switch flag.Name {
		case "config":
			f.StringVar(&p.start.file, flag.Name, "", flag.Usage)
		case "preset":
			f.StringVar(&p.start.preset, flag.Name, "", flag.Usage)
		case "compress":
			f.IntVar(&p.start.compress, flag.Name, 0, flag.Usage)
		default:
			list := &valueList{kind: flag.Value.Type()}
			p.values[flag.Name], p.names = list, append(p.names, flag.Name)
			f.VarPF(list, flag.Name, "", flag.Usage).NoOptDefVal = flag.NoOptDefVal
		}
		f.Lookup(flag.Name).Annotations = flag.Annotations
	})
	p.seeds.kind = "uint64"
	f.Var(&p.seeds, "seeds", "seeds of all random numbers, such as 1..5 or 1,2,7")
}

// given reports whether a flag that makes points was given.
func (p *product) given(f *pflag.FlagSet) (name string, is bool) {
	for _, name := range append([]string{"config", "preset", "compress", "seeds"}, p.names...) {
		if f.Changed(name) {
			return name, true
		}
	}
	return "", false
}

// points returns a configuration for each combination: all of the first seed, then those of the
// next, so that a sweep that is stopped early can be compared.
func (p *product) points() (planned, error) {
	if len(p.seeds.texts) > 0 {
		p.values["seed"].texts = p.seeds.texts
	}
	axes := []string{"seed"} // the outermost
	for _, name := range p.names {
		if name != "seed" {
			axes = append(axes, name)
		}
	}
	axes = slices.DeleteFunc(axes, func(name string) bool { return len(p.values[name].texts) == 0 })
	points := newPoints(p.start)
	chosen := make([]choice, len(axes))
	var choose func(axis int) error
	choose = func(axis int) error {
		if axis == len(axes) {
			return points.add(chosen, false)
		}
		for _, text := range p.values[axes[axis]].texts {
			chosen[axis] = choice{axes[axis], text}
			if err := choose(axis + 1); err != nil {
				return err
			}
		}
		return nil
	}
	if err := choose(0); err != nil {
		return planned{}, err
	}
	return points.planned()
}

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
