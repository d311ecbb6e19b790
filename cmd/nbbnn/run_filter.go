package main

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/internal/nearest"
)

// condition is one of --where: a field of a listed run compared with a value.
type condition struct{ field, operator, value string }

var conditionPattern = regexp.MustCompile(`^\s*([a-z0-9_. ]+?)\s*(>=|<=|!=|=|>|<)\s*(.*?)\s*$`)

// parseConditions reads conditions such as "gamma>0" that a command was given.
func parseConditions(command string, texts []string) (all []condition, err error) {
	for _, text := range texts {
		parts := conditionPattern.FindStringSubmatch(text)
		if parts == nil {
			return nil, fmt.Errorf("nbbnn %s: --where %q is no condition: give such as 'gamma>0', 'network=vgg16' or 'error<0.1', in quotes", command, text)
		}
		all = append(all, condition{parts[1], parts[2], parts[3]})
	}
	return all, nil
}

// filterRuns returns the runs that fulfil all conditions. Unknown fields are an error.
func filterRuns(list []listed, conditions []condition) ([]listed, error) {
	kept := []listed{}
	for _, entry := range list {
		values := entry.fields()
		fits := true
		for _, c := range conditions {
			value, err := fieldValue(values, c.field)
			if err != nil {
				return nil, err
			}
			fits = fits && c.holds(value)
		}
		if fits {
			kept = append(kept, entry)
		}
	}
	return kept, nil
}

// holds compares a run's value, which may be a list of tags, by number if both are numbers. A value
// that is unknown fulfils no condition but "!=".
func (c condition) holds(value string) bool {
	if c.field == "tag" {
		has := slices.Contains(strings.Fields(value), c.value)
		return has == (c.operator != "!=")
	}
	if value == "" && c.value != "" {
		return c.operator == "!="
	}
	order := compareTexts(value, c.value)
	switch c.operator {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case ">":
		return order > 0
	case "<=":
		return order <= 0
	default:
		return order >= 0
	}
}

// compareTexts orders two values: by number if both are numbers.
func compareTexts(a, b string) int {
	x, err := strconv.ParseFloat(a, 64)
	if err == nil {
		if y, err := strconv.ParseFloat(b, 64); err == nil {
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(a, b)
}

// fields returns what --where and --sort know of a run, by path: the fields of its configuration, such
// as "objective.gamma", and what the list shows.
func (l listed) fields() map[string]string {
	values := map[string]string{
		"run": l.Run, "state": l.State, "name": l.Name, "tag": strings.Join(l.Tags, " "), "epoch": strconv.Itoa(l.Epoch), "error": "",
	}
	if l.TestError != nil {
		values["error"] = fmt.Sprint(*l.TestError)
	}
	addFields(values, "", reflect.ValueOf(l.Config))
	for _, section := range []string{"network", "data", "method"} {
		values[section] = values[section+".name"]
	}
	return values
}

// addFields adds the fields of a structure by their JSON names after a prefix.
func addFields(values map[string]string, prefix string, structure reflect.Value) {
	for i := range structure.NumField() {
		field := structure.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		name = prefix + cmp.Or(name, strings.ToLower(field.Name))
		if field.Type.Kind() == reflect.Struct {
			addFields(values, name+".", structure.Field(i))
			continue
		}
		values[name] = fmt.Sprint(structure.Field(i))
	}
}

// fieldValue finds a field by its path, or by the end of it if one alone has that.
func fieldValue(values map[string]string, field string) (string, error) {
	field = strings.ReplaceAll(field, " ", "_")
	if value, found := values[field]; found {
		return value, nil
	}
	var paths, ends []string
	for path := range values {
		_, end, _ := strings.Cut(path, ".")
		ends = append(ends, cmp.Or(end, path))
		if end == field {
			paths = append(paths, path)
		}
	}
	switch len(paths) {
	case 1:
		return values[paths[0]], nil
	case 0:
		return "", fmt.Errorf("nbbnn runs: no run has a field %q%s: give a key of config.json, such as gamma or training.batch, or run, name, tag, state, epoch, error",
			field, nearest.Hint(field, ends))
	}
	slices.Sort(paths)
	return "", fmt.Errorf("nbbnn runs: %q may be %s: give one of them", field, strings.Join(paths, " or "))
}
