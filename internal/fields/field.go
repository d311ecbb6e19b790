// Package fields lists the fields of configurations by reflection, and names configurations by the
// fields in which they differ.
package fields

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Field is a field of a struct, or of the structs in it, that holds a value: a number, a text or a
// struct with a text of its own.
type Field struct {
	Keys []string          // in JSON, such as "objective", "gamma"
	Tag  reflect.StructTag // of the field in Go

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
		if inner.Type.Kind() == reflect.Struct && !inner.Type.Implements(reflect.TypeFor[fmt.Stringer]()) {
			list = append(list, inside(inner.Type, f)...)
			continue
		}
		list = append(list, f)
	}
	return list
}

// Path returns the keys of the field, such as "objective.gamma".
func (f Field) Path() string { return strings.Join(f.Keys, ".") }

// Label names the field in a sentence, such as "learning rate". A field called "name" has the label
// of its section, and a seed of a section that of both.
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

// Text returns the field's value in a struct, such as "0.5", or "" for a struct that is zero.
func (f Field) Text(structure any) string {
	value := f.In(structure)
	if value.Kind() == reflect.Struct && value.IsZero() {
		return ""
	}
	return fmt.Sprint(value)
}
