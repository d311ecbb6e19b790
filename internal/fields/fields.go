// Package fields lists the fields of configurations by reflection, and names configurations by the
// fields in which they differ.
package fields

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
)

// Field is a field of a struct, or of the structs in it, that holds a value: a number, a text or a
// struct with a text form. Tags of the struct describe it.
type Field struct {
	Keys []string          // in JSON, for example "objective", "gamma"
	Tag  reflect.StructTag // of the field in Go

	Help   string   // tag help: what the flag sets, with unit and default; "" if it has no flag
	Flag   string   // tag flag, by default the key, for example "init-std"; "" if none sets it
	Values []string // tag values: the words that the field takes; none means any
	Of     []string // tag of: the methods that have the field; none means all
	From   []string // tag from: the flags of the fields that its default follows from

	index []int // as in reflect.Value.FieldByIndex
}

// Of lists the fields of a struct type in their order.
func Of(structure reflect.Type) []Field { return inside(structure, Field{}) }

// inside lists the fields of a structure that is the field parent itself.
func inside(structure reflect.Type, parent Field) (list []Field) {
	for i := range structure.NumField() {
		inner := structure.Field(i)
		key, _, _ := strings.Cut(inner.Tag.Get("json"), ",")
		f := Field{
			Keys:  append(slices.Clone(parent.Keys), cmp.Or(key, strings.ToLower(inner.Name))),
			Tag:   inner.Tag,
			index: append(slices.Clone(parent.index), i),
		}
		if inner.Type.Kind() == reflect.Struct &&
			!inner.Type.Implements(reflect.TypeFor[fmt.Stringer]()) {
			list = append(list, inside(inner.Type, f)...)
			continue
		}
		list = append(list, f.described())
	}
	return list
}

// described returns the field with what its tags say.
func (f Field) described() Field {
	words := func(tag string) []string { return strings.Fields(f.Tag.Get(tag)) }
	f.Help, f.Values, f.Of, f.From = f.Tag.Get("help"), words("values"), words("of"), words("from")
	if f.Help != "" {
		f.Flag = strings.ReplaceAll(f.Label(), " ", "-")
	}
	if flag, has := f.Tag.Lookup("flag"); has {
		f.Flag = flag
	}
	return f
}

// Path returns the keys of the field, "objective.gamma".
func (f Field) Path() string { return strings.Join(f.Keys, ".") }

// Label names the field in a sentence, for example "learning rate". A field called "name" has the
// label of its section, and a seed of a section both labels.
func (f Field) Label() string {
	key := f.Keys[len(f.Keys)-1]
	switch {
	case len(f.Keys) > 1 && key == "name":
		key = f.Keys[0]
	case len(f.Keys) > 1 && key == "seed":
		key = strings.Join(f.Keys, " ")
	}
	return strings.ReplaceAll(key, "_", " ")
}

// In returns the field's value in a struct, which may be a pointer to set it.
func (f Field) In(structure any) reflect.Value {
	return reflect.Indirect(reflect.ValueOf(structure)).FieldByIndex(f.index)
}

// Text returns the field's value in a struct, for example "0.5", or "" for a struct that is zero.
func (f Field) Text(structure any) string {
	value := f.In(structure)
	if value.Kind() == reflect.Struct && value.IsZero() {
		return ""
	}
	return fmt.Sprint(value)
}

// most is the number of fields in a name.
const most = 3

// Titled is a configuration and the title of its method.
type Titled struct {
	Title  string // for example "SWAG"; "" if it has none
	Config any    // a struct with JSON keys; nil has no fields
}

// Names names configurations by their differences: the title if there are several, then up to three
// fields that differ among configurations of that title. Configurations that would have the same
// name get all fields, checksums included. One without differences is named by its title, or
// without one by its number.
func Names(list []Titled) []string {
	short, full := Differences(list), parts(list, difference.exactText)
	names, uses := make([]string, len(list)), map[string]int{}
	for i := range list {
		names[i] = Join(short[i])
		uses[names[i]]++
	}
	for i, name := range names {
		if uses[name] > 1 {
			names[i] = strings.Join(full[i], ", ")
		}
		names[i] = cmp.Or(names[i], list[i].Title, fmt.Sprintf("method %d", i+1))
	}
	return names
}

// Differences lists, for each configuration, the parts of its name, without the fields of the
// paths.
func Differences(list []Titled, without ...string) [][]string {
	return parts(list, difference.textIn, without...)
}

// Exceptions is Differences without the values that most configurations of a title have.
func Exceptions(list []Titled, without ...string) [][]string {
	return parts(list, difference.exception, without...)
}

// Join writes the parts of a name: the first ones, and how many others there are.
func Join(parts []string) string {
	if len(parts) > most+1 { // a title or a field more is as short as the number of others
		rest := fmt.Sprintf(" and %d more", len(parts)-most)
		return strings.Join(parts[:most], ", ") + rest
	}
	return strings.Join(parts, ", ")
}

// parts is Differences with the texts that text writes for a configuration among all of its title.
func parts(list []Titled, text func(d difference, all []any, config any) string,
	without ...string) [][]string {
	groups := map[string][]any{}
	for _, t := range list {
		groups[t.Title] = append(groups[t.Title], t.Config)
	}
	differing := map[string][]difference{}
	for title, configs := range groups {
		differing[title] = differences(configs, without)
	}
	all, titled := make([][]string, len(list)), len(groups) > 1
	for i, t := range list {
		for _, d := range differing[t.Title] {
			if part := text(d, groups[t.Title], t.Config); part != "" {
				all[i] = append(all[i], part)
			}
		}
		titled = titled || len(list) > 1 && len(all[i]) == 0
	}
	for i, t := range list {
		if titled && t.Title != "" {
			all[i] = slices.Insert(all[i], 0, t.Title)
		}
	}
	return all
}

// difference is a field in which configurations differ.
type difference struct {
	Field
	exact bool // some values read the same without the errors of rounding
}

// differences lists the fields in which configurations of one type differ, the options of the
// method first and the counts of images last. The seed is none of them.
func differences(configs []any, without []string) (list []difference) {
	first := reflect.TypeOf(configs[0])
	other := func(c any) bool { return reflect.TypeOf(c) != first }
	if first == nil || slices.ContainsFunc(configs, other) {
		return nil
	}
	for _, f := range Of(first) {
		if f.Path() == "seed" || slices.Contains(without, f.Path()) {
			continue
		}
		texts, plain := map[string]bool{}, map[string]bool{}
		for _, config := range configs {
			text := f.Text(config)
			texts[text], plain[quantity.Plain(text)] = true, true
		}
		if len(texts) > 1 {
			list = append(list, difference{f, len(plain) < len(texts)})
		}
	}
	slices.SortStableFunc(list, func(a, b difference) int {
		return cmp.Compare(a.rank(), b.rank())
	})
	return list
}

// rank orders fields by how well they distinguish configurations.
func (f Field) rank() int { return map[string]int{"method": -1, "data": 1}[f.Keys[0]] }

// checksumPattern fits SHA-256 sums.
var checksumPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// exactText is Part, with all digits if they are needed.
func (d difference) exactText(_ []any, config any) string {
	if d.exact {
		return d.Label() + " " + d.Text(config)
	}
	return d.Part(config)
}

// textIn returns exactText, or "" for a checksum.
func (d difference) textIn(all []any, config any) string {
	if checksumPattern.MatchString(d.Text(config)) {
		return ""
	}
	return d.exactText(all, config)
}

// exception is textIn, "" for the value of more than half of the configurations, unless others have
// no text.
func (d difference) exception(all []any, config any) string {
	text, count := d.textIn(all, config), 0
	for _, other := range all {
		switch d.textIn(all, other) {
		case "":
			return text
		case text:
			count++
		}
	}
	if 2*count > len(all) {
		return ""
	}
	return text
}

// Part names what the field adds to a configuration: "gamma 8", or "no augmentation" for a switch
// that is on. It's "" for a switch that is off and for an empty text.
func (f Field) Part(config any) string {
	switch text := f.Text(config); text {
	case "", "false":
		return ""
	case "true":
		return f.Label()
	case "0":
		if path := f.Path(); path == "data.train" || path == "data.test" {
			text = "all"
		}
		return f.Label() + " " + text
	default:
		return f.Label() + " " + quantity.Plain(text)
	}
}
