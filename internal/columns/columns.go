// Package columns reads the tags of a struct of metrics: which columns a table has for it, in which
// groups, and where the struct keeps each.
package columns

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Group is a group of columns that a line has all or none of.
type Group struct {
	Columns []string
	fields  [][]int // where the struct keeps them, as in reflect.Value.FieldByIndex
	always  bool    // every line has them
}

// Of returns the groups of the float64s of a struct: a column is a JSON key behind the prefix of
// its struct, in the group of the outermost tag, or in the first, which every line has.
func Of(structure reflect.Type) []Group {
	return add(structure, []Group{{always: true}}, nil, "", "")
}

func add(structure reflect.Type, groups []Group, parent []int, group, prefix string) []Group {
	for field := range structure.Fields() {
		place := append(slices.Clone(parent), field.Index...)
		group, prefix := cmp.Or(group, field.Tag.Get("group")), prefix+field.Tag.Get("prefix")
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch inner.Kind() {
		case reflect.Struct:
			groups = add(inner, groups, place, group, prefix)
		case reflect.Float64:
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			number, _ := strconv.Atoi(group)
			for number >= len(groups) {
				groups = append(groups, Group{})
			}
			g := &groups[number]
			g.Columns, g.fields = append(g.Columns, prefix+key), append(g.fields, place)
		}
	}
	return groups
}

// Has reports whether a struct, given by a pointer, has the metrics: only those that every line has
// may be zero.
func (g Group) Has(structure any) bool {
	return g.always || g.fields != nil &&
		!reflect.ValueOf(structure).Elem().Field(g.fields[0][0]).IsZero()
}

// Field returns where a struct, given by a pointer, keeps a column. It adds the structs around it.
func (g Group) Field(structure any, column int) *float64 {
	value := reflect.ValueOf(structure).Elem()
	for _, index := range g.fields[column] {
		if value.Kind() == reflect.Pointer {
			if value.IsNil() {
				value.Set(reflect.New(value.Type().Elem()))
			}
			value = value.Elem()
		}
		value = value.Field(index)
	}
	return value.Addr().Interface().(*float64)
}
