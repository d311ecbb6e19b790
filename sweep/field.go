package sweep

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/nbbnn/workbench/nbbnn"
)

// field is a field of a configuration that holds a number or a text.
type field struct {
	path []int    // of nested fields, as in reflect.Value.FieldByIndex
	keys []string // in JSON, such as "objective", "gamma"
}

// fields are all of them, in the order of the configuration.
var fields = fieldsOf(reflect.TypeFor[nbbnn.Config](), field{})

func fieldsOf(structure reflect.Type, parent field) (list []field) {
	for i := range structure.NumField() {
		inner := structure.Field(i)
		key, _, _ := strings.Cut(inner.Tag.Get("json"), ",")
		f := field{append(parent.path[:len(parent.path):len(parent.path)], i), append(parent.keys[:len(parent.keys):len(parent.keys)], key)}
		if inner.Type.Kind() == reflect.Struct {
			list = append(list, fieldsOf(inner.Type, f)...)
			continue
		}
		list = append(list, f)
	}
	return list
}

// name is the field's column in tables, such as "objective.gamma".
func (f field) name() string { return strings.Join(f.keys, ".") }

// label names the field in a sentence, such as "learning rate"; a field called "name" has the name
// of its section.
func (f field) label() string {
	key := f.keys[len(f.keys)-1]
	if key == "name" {
		key = f.keys[0]
	}
	return strings.ReplaceAll(key, "_", " ")
}

func (f field) value(config nbbnn.Config) reflect.Value {
	return reflect.ValueOf(config).FieldByIndex(f.path)
}

// text is the field's value, such as "0.5" or "cifar10".
func (f field) text(config nbbnn.Config) string { return fmt.Sprint(f.value(config).Interface()) }

// varying returns the fields that aren't the same in all configurations.
func varying(configs []nbbnn.Config) (list []field) {
	differs := make([]bool, len(fields))
	first := reflect.ValueOf(configs[0])
	for _, config := range configs[1:] {
		value := reflect.ValueOf(config)
		for i, f := range fields {
			differs[i] = differs[i] || !value.FieldByIndex(f.path).Equal(first.FieldByIndex(f.path))
		}
	}
	for i, f := range fields {
		if differs[i] {
			list = append(list, f)
		}
	}
	return list
}

// patch returns the JSON object that sets some fields of a configuration, zeros included.
func patch(config nbbnn.Config, list []field) (json.RawMessage, error) {
	object := map[string]any{}
	for _, f := range list {
		at := object
		for _, key := range f.keys[:len(f.keys)-1] {
			if at[key] == nil {
				at[key] = map[string]any{}
			}
			at = at[key].(map[string]any)
		}
		at[f.keys[len(f.keys)-1]] = f.value(config).Interface()
	}
	return json.Marshal(object)
}
