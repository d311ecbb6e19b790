package pickle

import (
	"errors"
	"fmt"
)

// Dictionary is a Python dictionary whose keys are strings.
type Dictionary struct{ values map[string]any }

func newDictionary() *Dictionary { return &Dictionary{map[string]any{}} }

// add takes keys and values in turn.
func (d *Dictionary) add(pairs []any) error {
	if len(pairs)%2 != 0 {
		return errors.New("a key without a value")
	}
	for i := 0; i < len(pairs); i += 2 {
		key, isText := textOf(pairs[i])
		if !isText {
			return errors.New("a key that isn't a string, or is a long one")
		}
		d.values[key] = pairs[i+1]
	}
	return nil
}

// maxText is the length of the longest key or name that is read: a copy is made of it wherever the
// pickle repeats it.
const maxText = 256

// textOf returns a short string in either of the forms that it has on the stack.
func textOf(value any) (text string, ok bool) {
	switch value := value.(type) {
	case string:
		return value, len(value) <= maxText
	case []byte:
		if len(value) <= maxText {
			return string(value), true
		}
	}
	return "", false
}

// Array returns the array of a key.
func (d *Dictionary) Array(key string) (*Array, error) {
	if array, ok := d.values[key].(*Array); ok {
		return array, nil
	}
	return nil, fmt.Errorf("pickle: no array is called %q", key)
}

// Integers returns the list of numbers of a key.
func (d *Dictionary) Integers(key string) ([]int, error) {
	list, ok := d.values[key].(*List)
	if !ok {
		return nil, fmt.Errorf("pickle: no list is called %q", key)
	}
	numbers := make([]int, len(list.Values))
	for i, value := range list.Values {
		if numbers[i], ok = value.(int); !ok {
			return nil, fmt.Errorf("pickle: value %d of the list %q isn't a number", i, key)
		}
	}
	return numbers, nil
}
