package command

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/options"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// condition is one of --where: a field of a listed run compared with a value.
type condition struct{ field, operator, value string }

var conditionPattern = regexp.MustCompile(
	`^\s*([a-z0-9_. ]+?)\s*(>=|<=|!=|=|>|<)\s*([^=<>!].*?|)\s*$`)

// parseConditions reads conditions ("gamma>0") that a command was given.
func parseConditions(command string, texts []string) (all []condition, err error) {
	for _, text := range texts {
		parts := conditionPattern.FindStringSubmatch(text)
		if parts == nil {
			return nil, fmt.Errorf("nbbnn %s: --where %q is no condition: give a key, one of = "+
				"!= < <= > >= and a value in quotes, for example 'gamma>0' or 'network=vgg16'",
				command, text)
		}
		all = append(all, condition{parts[1], parts[2], parts[3]})
	}
	return all, nil
}

// filterRuns returns the runs that fulfil all conditions. Unknown fields are an error.
func filterRuns(list []listed, conditions []condition) ([]listed, error) {
	for _, c := range conditions {
		field, err := findField(c.field)
		if err != nil {
			return nil, err
		}
		if share, is := strings.CutSuffix(c.value, "%"); is && field.path == "error" {
			percent, err := strconv.ParseFloat(strings.TrimSpace(share), 64)
			if err == nil {
				c.value = strconv.FormatFloat(percent/100, 'g', -1, 64)
			}
		}
		number, wrong := strconv.ParseFloat(quantity.Plain(c.value), 64)
		if field.path == "error" && wrong == nil && number > 1 {
			return nil, fmt.Errorf("nbbnn: --where error%s%s: the error is a share from 0 to 1: "+
				"write error%[1]s%[2]s%%", c.operator, c.value)
		}
		if field.isNumber && c.value != "" && (wrong != nil || math.IsNaN(number)) {
			return nil, fmt.Errorf("nbbnn: --where %s%s%s: %s is a number, as in '%[1]s>0'",
				c.field, c.operator, c.value, field.path)
		}
		isState := func(state string) bool { return strings.HasPrefix(c.value, state) }
		if field.path == "state" && !slices.ContainsFunc(states, isState) {
			return nil, fmt.Errorf("nbbnn: --where state%s%s: a state is one of %s", c.operator,
				c.value, strings.Join(states, ", "))
		}
		if c.value == "" && strings.ContainsAny(c.operator, "<>") {
			return nil, fmt.Errorf("nbbnn: --where %s%s has no value: give one, as in '%[1]s>0'",
				c.field, c.operator)
		}
		list = slices.DeleteFunc(list, func(l listed) bool { return !c.holds(field.text(&l)) })
	}
	return list, nil
}

// states begin the texts of nbbnn.State.String.
var states = []string{"not begun", "being trained", "stopped", "trained", "evaluated"}

// holds compares a run's value, by number if both are numbers. A value that is unknown fulfils no
// condition but "!=".
func (c condition) holds(value string) bool {
	if value == "" && c.value != "" {
		return c.operator == "!="
	}
	if c.field == "state" && strings.HasPrefix(value, c.value) {
		value = c.value
	}
	if c.field == "method" { // MAP, or map as after --method
		value, c.value = letters(value), letters(c.value)
	}
	order := compareTexts(value, c.value)
	if strings.HasPrefix(c.operator, "!") {
		return order != 0
	}
	return order < 0 && c.operator[0] == '<' || order > 0 && c.operator[0] == '>' || order == 0 &&
		strings.HasSuffix(c.operator, "=")
}

// letters returns the letters and digits of a name, in lower case: "mcdropout" of "MC dropout".
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// compareTexts orders two values: by number if both are numbers. Errors of rounding, which lists
// don't show, don't count.
func compareTexts(a, b string) int {
	a, b = quantity.Plain(a), quantity.Plain(b)
	x, notX := strconv.ParseFloat(a, 64)
	y, notY := strconv.ParseFloat(b, 64)
	if notX == nil && notY == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(a, b)
}

// runField is a property of a run for --where and --sort: a field of its configuration, or a column
// of the list.
type runField struct {
	path     string // for example "objective.gamma"
	text     func(l *listed) string
	isNumber bool
}

var runFields = func() []runField {
	all := []runField{
		{path: "run", text: func(l *listed) string { return l.Run }},
		{path: "state", text: func(l *listed) string { return l.State }},
		{path: "name", text: func(l *listed) string { return l.Name }},
		{"epoch", func(l *listed) string { return strconv.Itoa(l.Epoch) }, true},
		{"error", func(l *listed) string { // with all digits
			if l.TestError == nil {
				return ""
			}
			return fmt.Sprint(*l.TestError)
		}, true},
		{path: "network", text: func(l *listed) string { return l.Config.Network.Name }},
		{path: "data", text: func(l *listed) string { return l.Config.Data.Name }},
		{path: "method", text: func(l *listed) string { return l.Config.Title() }},
	}
	for _, f := range configFields {
		value := f.In(new(nbbnn.Config))
		all = append(all, runField{f.Path(), func(l *listed) string {
			// words, for example mode none, are clear
			if len(f.Values) == 0 && !options.Has(f, l.Config.Method, l.Config.Settings()) {
				return ""
			}
			return f.Text(l.Config)
		}, value.CanFloat() || value.CanInt() || value.CanUint()})
	}
	return all
}()

func pathOf(f runField) string { return f.path }

// findField finds a field by its path, or by a unique end of it.
func findField(name string) (runField, error) {
	name = strings.ReplaceAll(name, " ", "_")
	var found []runField
	var ends []string
	for _, f := range runFields {
		_, end, _ := strings.Cut(f.path, ".")
		ends = append(ends, cmp.Or(end, f.path))
		switch name {
		case f.path:
			return f, nil
		case end:
			found = append(found, f)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return runField{}, fmt.Errorf("nbbnn: no run has a field %q%s: give a key of "+
			"config.json (gamma, training.batch), or run, name, state, epoch, error",
			name, nearest.Hint(name, ends))
	}
	return runField{}, fmt.Errorf("nbbnn: %q may be %s: give one of them", name,
		strings.Join(quantity.Texts(found, pathOf), " or "))
}
