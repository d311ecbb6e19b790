package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/nbbnn"
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
		if len(p.values["seed"].texts) > 0 {
			return planned{}, errors.New("nbbnn sweep plan: --seed and --seeds were both given: leave one of them out")
		}
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
