package viz

import (
	"context"
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
)

// Slider is a control of a panel: a whole number that the reader moves between Min and Max, or one of a list.
type Slider struct {
	Name            string
	Min, Max, Value int      // Value is the start
	Choices         []string // nil for a number; else a list in place of the numbers from 0, and Min and Max are left at 0
}

// check returns an error unless the start lies between the ends.
func (s Slider) check() error {
	low, high := s.ends()
	if low > high {
		return fmt.Errorf("viz: slider %q goes from %d to %d: give it a smaller Min than Max, or a list of at least one choice", s.Name, low, high)
	}
	if low > s.Value || s.Value > high {
		return fmt.Errorf("viz: slider %q begins at %d, outside of %d to %d: choose a start between the ends", s.Name, s.Value, low, high)
	}
	return nil
}

// ends are the least and the largest value.
func (s Slider) ends() (low, high int) {
	if s.Choices != nil {
		return 0, len(s.Choices) - 1
	}
	return s.Min, s.Max
}

// html returns the control with its name, as an element with the given identifier.
func (s Slider) html(id string) string {
	name := html.EscapeString(s.Name)
	if s.Choices == nil {
		return fmt.Sprintf(`<label style="display:flex;gap:6px">%s <input type="range" id="%s" min="%d" max="%d" value="%d"><output>%[5]d</output></label>`,
			name, id, s.Min, s.Max, s.Value)
	}
	var options strings.Builder
	for i, choice := range s.Choices {
		selected := ""
		if i == s.Value {
			selected = " selected"
		}
		fmt.Fprintf(&options, `<option value="%d"%s>%s</option>`, i, selected, html.EscapeString(choice))
	}
	return fmt.Sprintf(`<label style="display:flex;gap:6px">%s <select id="%s">%s</select></label>`, name, id, options.String())
}

// controlScript connects a control with its address. The page may show the control, and GoNB's connection may open, later
// than the script runs, so that it tries again for a while.
const controlScript = `(function connect(tries) {
	const control = document.getElementById(%[1]q), link = globalThis.gonb_comm;
	if (!control || !link) { if (tries > 0) setTimeout(() => connect(tries - 1), 100); return; }
	const value = link.newSyncedVariable(%[2]q, control.value);
	control.addEventListener("input", () => {
		if (control.nextElementSibling) control.nextElementSibling.value = control.value;
		value.set(control.value);
	});
})(600);
`

// move is the new value of the slider in the given place.
type move struct{ place, value int }

// placeControls shows the sliders in a line and returns what the reader does with them, and whether the page has answered
// for each of them within the limit.
func placeControls(ctx context.Context, limit time.Duration, sliders []Slider) (moves <-chan move, answered bool) {
	moved := make(chan move, 64)
	var line, script strings.Builder
	for i, slider := range sliders {
		id := "control_" + gonbui.UniqueId()
		address := "/" + id
		comms.Subscribe(address, func(_ string, value int) {
			select {
			case moved <- move{i, value}:
			case <-ctx.Done():
			}
		})
		line.WriteString(slider.html(id))
		fmt.Fprintf(&script, controlScript, id, address)
	}
	comms.Start()
	gonbui.DisplayHTML(`<div class="nbbnn-panel" style="display:flex;flex-wrap:wrap;gap:6px 28px;align-items:center;` +
		`font-family:sans-serif;font-size:14px;margin:4px 0">` + line.String() + `</div>`)
	runScript(script.String())
	return moved, firstAnswers(ctx, limit, moved, len(sliders))
}

// runScript lets the page run a script, of which nothing stays in the notebook. GoNB's package dom has the same, and a template
// engine that every cell would link.
func runScript(script string) {
	id := "script_" + gonbui.UniqueId()
	gonbui.UpdateHTML(id, "<script>"+script+"</script>")
	gonbui.Sync()
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
