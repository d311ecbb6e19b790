package lab

import (
	"context"
	_ "embed" // controls.js
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
)

// connect is the function of the page that connects one control with its address.
//
//go:embed controls.js
var connect string

// move is the new value of the slider in the given place.
type move struct{ place, value int }

// controls are the sliders of a panel on the page.
type controls struct {
	element string   // of the notebook, which shows them
	ids     []string // of the sliders on the page
	sliders []Slider
}

// newControls returns the controls of sliders, which no page shows yet.
func newControls(sliders []Slider) controls {
	c := controls{element: "controls_" + gonbui.UniqueId(), sliders: sliders}
	for range sliders {
		c.ids = append(c.ids, "control_"+gonbui.UniqueId())
	}
	return c
}

// html returns the sliders in a line, disabled, with a note on how to move them. The line has
// attributes and ends with a script; both may be empty.
func (c controls) html(attributes, script string) string {
	var line strings.Builder
	for i, slider := range c.sliders {
		line.WriteString(slider.html(c.ids[i]))
	}
	return `<div class="nbbnn-panel"` +
		attributes + ` style="display:flex;flex-wrap:wrap;gap:6px 28px;align-items:center;` +
		`font-family:sans-serif;font-size:14px;margin:4px 0">` +
		line.String() + `<em class="nbbnn-panel-note">run the cell to move this</em>` +
		script + `</div>`
}

// startInterval is the interval at which a panel without an answer makes GoNB reconnect with the
// page.
const startInterval = 4 * time.Second

// place shows the controls and returns the reader's moves, and whether the page has answered for
// each control within the limit. Then they are enabled.
func (c controls) place(ctx context.Context, limit time.Duration) (moves <-chan move,
	answered bool) {
	moved := make(chan move, 64)
	var script, enable strings.Builder
	for i, id := range c.ids {
		address := "/" + id
		comms.Subscribe(address, func(_ string, value int) {
			select {
			case moved <- move{i, value}:
			case <-ctx.Done():
			}
		})
		fmt.Fprintf(&script, "connect(%q, %q);\n", id, address)
		fmt.Fprintf(&enable, "document.getElementById(%q)?.dispatchEvent(new Event('answered'));\n",
			id)
	}
	comms.Start()
	gonbui.UpdateHTML(c.element, c.html("", ""))
	runScript("(() => {" + connect + script.String() + "})()")
	answered = firstAnswers(ctx, limit, moved, len(c.ids))
	if answered {
		runScript(enable.String())
	}
	return moved, answered
}

// end leaves the controls disabled, at the given values.
func (c controls) end(values []int) {
	c.sliders = append([]Slider(nil), c.sliders...)
	for i, value := range values {
		c.sliders[i].Value = value
	}
	gonbui.UpdateHTML(c.element, c.html("", ""))
	flush()
}

// runScript lets the page run a script and leaves nothing of it in the notebook. GoNB's package dom
// does the same, and would make every cell link a template engine.
func runScript(script string) {
	id := "script_" + gonbui.UniqueId()
	gonbui.UpdateHTML(id, "<script>"+script+"</script>")
	flush()
	gonbui.UpdateHTML(id, "")
}

// firstAnswers waits until every control has sent its start, which changes nothing. GoNB's
// connection with the page may have failed unnoticed by either side, so firstAnswers keeps
// requesting it.
func firstAnswers(ctx context.Context, limit time.Duration, moves <-chan move, count int) bool {
	late, again := time.After(limit), time.NewTicker(startInterval)
	defer again.Stop()
	for heard := map[int]bool{}; len(heard) < count; {
		select {
		case m := <-moves:
			heard[m.place] = true
		case <-again.C:
			comms.Start()
		case <-late:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// Slider is a control of a panel: a whole number that the reader moves between Min and Max, or one
// of a list.
type Slider struct {
	Name            string
	Min, Max, Value int // Value is the start
	// nil for a number; otherwise a list that replaces the numbers from 0; Min and Max stay 0
	Choices []string

	step int // between two values; 0 means 1
}

// check returns an error unless the start lies between the ends.
func (s Slider) check() error {
	low, high := s.ends()
	if low > high {
		return fmt.Errorf("lab: slider %q goes from %d to %d: give it a smaller Min than Max, or "+
			"a list of at least one choice", s.Name, low, high)
	}
	if low > s.Value || s.Value > high {
		return fmt.Errorf("lab: slider %q begins at %d, outside of %d to %d: choose a start "+
			"between the ends", s.Name, s.Value, low, high)
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

// values lists the slider's values, in rising order.
func (s Slider) values() (all []int) {
	low, high := s.ends()
	for value := low; value <= high; value += max(1, s.step) {
		all = append(all, value)
	}
	return all
}

// starts returns the values at which the sliders begin.
func starts(sliders []Slider) (values []int) {
	for _, s := range sliders {
		values = append(values, s.Value)
	}
	return values
}

// joined returns values as a page writes them, "3 0".
func joined(values []int) string { return strings.Trim(fmt.Sprint(values), "[]") }

// ownKeys keeps JupyterLab's shortcuts, for example the arrow keys, away from an element that has
// the focus. Setting it only on an enclosing element isn't enough.
const ownKeys = `data-lm-suppress-shortcuts="true"`

// html returns the control with its name, at its value, as an element with the given identifier. It
// is disabled until the panel's script connects it with the cell, and so it is in a notebook that
// was saved.
func (s Slider) html(id string) string {
	name := html.EscapeString(s.Name)
	if s.Choices == nil {
		return fmt.Sprintf(
			`<label style="display:flex;gap:6px">%s <input type="range" %s id="%s" min="%d" max="%d" `+
				`step="%d" value="%d" disabled><output>%[7]d</output></label>`,
			name, ownKeys, id, s.Min, s.Max, max(1, s.step), s.Value)
	}
	var options strings.Builder
	for i, choice := range s.Choices {
		selected := ""
		if i == s.Value {
			selected = " selected"
		}
		fmt.Fprintf(&options, `<option value="%d"%s>%s</option>`, i, selected,
			html.EscapeString(choice))
	}
	return fmt.Sprintf(
		`<label style="display:flex;gap:6px">%s <select %s id="%s" disabled>%s</select></label>`,
		name, ownKeys, id, options.String())
}
