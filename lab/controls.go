package lab

import (
	"context"
	_ "embed" // controls.js
	"fmt"
	"strings"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
)

// connect is the script that connects one control with its address.
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

// html returns the sliders in a line, disabled, with a note that says how to move them. The line has
// attributes and ends with a script; both may be empty.
func (c controls) html(attributes, script string) string {
	var line strings.Builder
	for i, slider := range c.sliders {
		line.WriteString(slider.html(c.ids[i]))
	}
	return `<div class="nbbnn-panel"` + attributes + ` style="display:flex;flex-wrap:wrap;gap:6px 28px;align-items:center;` +
		`font-family:sans-serif;font-size:14px;margin:4px 0">` + line.String() + `<em class="nbbnn-panel-note">run the cell to move this</em>` + script + `</div>`
}

// place shows the controls and returns what the reader does with them, and whether the page has
// answered for each of them within the limit.
func (c controls) place(ctx context.Context, limit time.Duration) (moves <-chan move, answered bool) {
	moved := make(chan move, 64)
	var script strings.Builder
	for i, id := range c.ids {
		address := "/" + id
		comms.Subscribe(address, func(_ string, value int) {
			select {
			case moved <- move{i, value}:
			case <-ctx.Done():
			}
		})
		fmt.Fprintf(&script, "(%s)(%q, %q);\n", connect, id, address)
	}
	comms.Start()
	gonbui.UpdateHTML(c.element, c.html("", ""))
	runScript(script.String())
	return moved, firstAnswers(ctx, limit, moved, len(c.ids))
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

// firstAnswers waits until every control has sent its start, which changes nothing.
func firstAnswers(ctx context.Context, limit time.Duration, moves <-chan move, count int) bool {
	late := time.After(limit)
	for heard := map[int]bool{}; len(heard) < count; {
		select {
		case m := <-moves:
			heard[m.place] = true
		case <-late:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return true
}
