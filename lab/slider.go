package lab

import (
	"fmt"
	"html"
	"strings"
)

// Slider is a control of a panel: a whole number that the reader moves between Min and Max, or one
// of a list.
type Slider struct {
	Name            string
	Min, Max, Value int      // Value is the start
	Choices         []string // nil for a number; else a list in place of the numbers from 0, and Min and Max stay 0

	step int // between two values; 0 means 1
}

// check returns an error unless the start lies between the ends.
func (s Slider) check() error {
	low, high := s.ends()
	if low > high {
		return fmt.Errorf("lab: slider %q goes from %d to %d: give it a smaller Min than Max, or a list of at least one choice", s.Name, low, high)
	}
	if low > s.Value || s.Value > high {
		return fmt.Errorf("lab: slider %q begins at %d, outside of %d to %d: choose a start between the ends", s.Name, s.Value, low, high)
	}
	return nil
}

// ends returns the least and the largest value.
func (s Slider) ends() (low, high int) {
	if s.Choices != nil {
		return 0, len(s.Choices) - 1
	}
	return s.Min, s.Max
}

// stride is the distance of two values.
func (s Slider) stride() int { return max(1, s.step) }

// places returns how many values the slider has.
func (s Slider) places() int {
	low, high := s.ends()
	return (high-low)/s.stride() + 1
}

// starts returns the values at which the sliders begin.
func starts(sliders []Slider) (values []int) {
	for _, s := range sliders {
		values = append(values, s.Value)
	}
	return values
}

// joined returns values as a page writes them, such as "3 0".
func joined(values []int) string { return strings.Trim(fmt.Sprint(values), "[]") }

// ownKeys keeps JupyterLab's shortcuts, such as the arrow keys, away from an element that has the
// focus. On an element around it alone it does not.
const ownKeys = `data-lm-suppress-shortcuts="true"`

// html returns the control with its name, at its value, as an element with the given identifier. It
// is disabled until the panel's script connects it with the cell, and so it is in a notebook that
// was saved.
func (s Slider) html(id string) string {
	name := html.EscapeString(s.Name)
	if s.Choices == nil {
		return fmt.Sprintf(`<label style="display:flex;gap:6px">%s <input type="range" %s id="%s" min="%d" max="%d" step="%d" value="%d" disabled><output>%[7]d</output></label>`,
			name, ownKeys, id, s.Min, s.Max, s.stride(), s.Value)
	}
	var options strings.Builder
	for i, choice := range s.Choices {
		selected := ""
		if i == s.Value {
			selected = " selected"
		}
		fmt.Fprintf(&options, `<option value="%d"%s>%s</option>`, i, selected, html.EscapeString(choice))
	}
	return fmt.Sprintf(`<label style="display:flex;gap:6px">%s <select %s id="%s" disabled>%s</select></label>`, name, ownKeys, id, options.String())
}
