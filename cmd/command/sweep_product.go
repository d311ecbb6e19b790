package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/options"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
)

// product is a set of configurations: every combination of the values of its flags. Each method
// gets the options that it has.
type product struct {
	start  startingPoint
	values map[string]*valueList // by the name of a flag of `nbbnn train`
	names  []string              // of those flags, the seed first

	configs []nbbnn.Config
	isThere map[string]bool // by the hashes of these configurations
	// why a method refused a value; nil for a value that some configuration has
	refused map[choice]error
	leftOut []leftOutOption
}

type choice struct{ flag, text string }

// leftOutOption is an option that some of the methods don't have.
type leftOutOption struct {
	Option  string          `json:"option"` // the flag, for example "init-std"
	Methods []baseline.Name `json:"methods"`
}

// text describes what happened to the points.
func (o leftOutOption) text() string {
	if o.Option == "method" {
		return fmt.Sprintf("some points of %s would train as without it: they are planned "+
			"without it, once", strings.Join(quantity.Words(o.Methods...), ", "))
	}
	return fmt.Sprintf("--%s is left out for %s, without such an option: one point for all its "+
		"values",
		o.Option, strings.Join(quantity.Words(o.Methods...), ", "))
}

// valueList is the value of a flag that takes several values. Commas separate them, and whole
// numbers may be a range (1..5). A normalisation in numbers needs a flag of its own.
type valueList struct {
	of    pflag.Value // of the flag of `nbbnn train`
	texts []string
}

func (l *valueList) String() string { return strings.Join(l.texts, ",") }

// Type is shown in the help.
func (l *valueList) Type() string { return l.of.Type() + ",..." }

func (l *valueList) Set(text string) error {
	// one value, with commas
	kind := l.of.Type()
	if kind == new(normalisation).Type() && strings.Contains(text, "/") {
		l.texts = []string{text}
		return l.of.Set(text)
	}
	l.texts = nil
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		first, last, isRange := strings.Cut(part, "..")
		if !isRange || kind != "int" && kind != "uint64" {
			l.texts = append(l.texts, part)
			continue
		}
		numbers, err := expand(first, last)
		if err != nil {
			return err
		}
		l.texts = append(l.texts, numbers...)
	}
	known := map[string]string{}
	for _, text := range l.texts {
		if err := l.of.Set(text); err != nil {
			return fmt.Errorf("%q %w%s", text, err, map[string]string{"float64": ", or a list as " +
				"0,0.5,2", "int": wholeList, "uint64": wholeList}[kind])
		}
		value := l.canonical(text)
		if other, isKnown := known[value]; isKnown && other != text {
			return fmt.Errorf("it has %s twice, as %s and %s, leave one of them out", value, other,
				text)
		} else if isKnown {
			return fmt.Errorf("it has %s twice, leave one of them out", value)
		}
		known[value] = text
	}
	return nil
}

// wholeList says how whole numbers are listed.
const wholeList = ", or a list as 1,2,7 or 1..5"

// canonical returns one text for equal numbers, for example 0.5 and .50.
func (l *valueList) canonical(text string) string {
	if number, err := strconv.ParseFloat(text, 64); err == nil && l.of.Type() == "float64" {
		return strconv.FormatFloat(number+0, 'g', -1, 64) // without the sign of -0
	}
	if number, err := strconv.ParseUint(text, 0, 64); err == nil && l.of.Type() != "string" {
		return strconv.FormatUint(number, 10)
	}
	return text
}

// longestRange is the most numbers that a range may have: more are a slip.
const longestRange = 10_000

// expand returns the whole numbers of a range.
func expand(first, last string) (numbers []string, err error) {
	from, err := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	if err != nil || err2 != nil || to < from || to-from >= longestRange {
		return nil, fmt.Errorf("%s..%s isn't a range that rises, of at most %d whole numbers, as "+
			"in 1..5", first, last, longestRange)
	}
	for number := from; number <= to; number++ {
		numbers = append(numbers, strconv.Itoa(number))
	}
	return numbers, nil
}

// addFlags makes the flags of `nbbnn train`, each of which takes a list, and --seeds.
func (p *product) addFlags(f *pflag.FlagSet) {
	addStartFlags(f, &p.start)
	single := newConfigFlags(new(nbbnn.Config))
	p.values, p.names = map[string]*valueList{}, []string{"seed"}
	single.SortFlags = false
	single.VisitAll(func(flag *pflag.Flag) {
		list := &valueList{of: flag.Value}
		p.values[flag.Name] = list
		if flag.Name != "seed" {
			p.names = append(p.names, flag.Name)
		}
		added := f.VarPF(list, flag.Name, "", flag.Usage)
		added.NoOptDefVal, added.Annotations = flag.NoOptDefVal, flag.Annotations
	})
	f.Var(p.values["seed"], "seeds", "seeds of all random numbers: 1..5 or 1,2,7")
}

// given returns the name of a flag that makes points and was given, or "".
func (p *product) given(f *pflag.FlagSet) (name string) {
	f.Visit(func(flag *pflag.Flag) {
		if flag.Name == "seeds" || flag.Annotations[groupAnnotation] != nil {
			name = flag.Name
		}
	})
	return name
}

// points returns a configuration for each combination: all of the first seed, then the next seed's,
// so that a sweep that is stopped early can be compared. It is an error if no method takes a value.
func (p *product) points() ([]nbbnn.Config, error) {
	combinations := [][]choice{nil}
	for _, name := range p.names {
		var longer [][]choice
		for _, combination := range combinations {
			for _, text := range p.values[name].texts {
				longer = append(longer, append(slices.Clip(combination), choice{name, text}))
			}
		}
		if len(longer) > 0 {
			combinations = longer
		}
	}
	p.isThere, p.refused = map[string]bool{}, map[choice]error{}
	for _, combination := range combinations {
		if err := p.add(combination); err != nil {
			return nil, err
		}
	}
	for _, name := range p.names {
		for _, text := range p.values[name].texts {
			if err := p.refused[choice{name, text}]; err != nil {
				return nil, err
			}
		}
	}
	return p.configs, nil
}

// add adds the configuration of a combination without the options that its method doesn't have,
// unless it has been added.
func (p *product) add(combination []choice) error {
	config, err := p.config(combination)
	var option options.Error
	for errors.As(err, &option) {
		at := slices.IndexFunc(combination, func(c choice) bool { return c.flag == option.Flag })
		if at < 0 {
			return err // of the starting point
		}
		if _, isKnown := p.refused[combination[at]]; !isKnown {
			p.refused[combination[at]] = err
		}
		p.leaveOut(option)
		combination = slices.Delete(slices.Clone(combination), at, at+1)
		config, err = p.config(combination)
	}
	if err != nil {
		return err
	}
	for _, c := range combination {
		p.refused[c] = nil
	}
	if hash := config.WithDefaults().Hash(); !p.isThere[hash] {
		p.isThere[hash] = true
		p.configs = append(p.configs, config)
	}
	return nil
}

// config returns the configuration of a combination, as `nbbnn train` would train it.
func (p *product) config(combination []choice) (nbbnn.Config, error) {
	given := newConfigFlags(new(nbbnn.Config))
	for _, c := range combination {
		if err := given.Set(c.flag, c.text); err != nil {
			return nbbnn.Config{}, err
		}
	}
	return readConfig(p.start, given)
}

// leaveOut notes that a method doesn't have an option.
func (p *product) leaveOut(option options.Error) {
	at := slices.IndexFunc(p.leftOut, func(o leftOutOption) bool { return o.Option == option.Flag })
	if at < 0 {
		at, p.leftOut = len(p.leftOut), append(p.leftOut, leftOutOption{Option: option.Flag})
	}
	o := &p.leftOut[at]
	o.Methods = quantity.AddNew(o.Methods, option.Method)
}
