package viz

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"os"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/comms"
	"github.com/janpfeifer/gonb/gonbui/widgets"
)

// HeadlessVariable names the environment variable that says that nobody looks at a notebook: with any value, panels show
// one figure and end.
const HeadlessVariable = "NBBNN_HEADLESS"

// Slider is a control of a panel: a whole number that the reader moves between Min and Max.
type Slider struct {
	Name            string
	Min, Max, Value int // Value is the start
}

// check returns an error unless the start lies between the ends.
func (s Slider) check() error {
	if s.Min > s.Value || s.Value > s.Max {
		return fmt.Errorf("viz: slider %q begins at %d, outside of %d to %d: choose a start between the ends", s.Name, s.Value, s.Min, s.Max)
	}
	return nil
}

// Panel shows sliders and the figure that draw makes of their values, in their order, and draws it anew whenever one is
// moved, until the context ends: interrupt the cell to go on. Where nobody looks at the notebook, the figure of the starts
// is all that it shows; outside a notebook it does nothing.
func Panel(ctx context.Context, sliders []Slider, draw func(values []int) (*Figure, error)) error {
	values := make([]int, len(sliders))
	for i, slider := range sliders {
		if err := slider.check(); err != nil {
			return err
		}
		values[i] = slider.Value
	}
	if !gonbui.IsNotebook {
		return nil
	}
	if len(sliders) == 0 || os.Getenv(HeadlessVariable) != "" {
		return showDrawn(values, draw)
	}
	return follow(ctx, values, placeSliders(ctx, sliders), draw)
}

// showDrawn shows one figure for good.
func showDrawn(values []int, draw func(values []int) (*Figure, error)) error {
	figure, err := draw(values)
	if err != nil {
		return err
	}
	return Show(figure)
}

// move is the new value of the slider in the given place.
type move struct{ place, value int }

// placeSliders shows the sliders and returns what the reader does with them.
func placeSliders(ctx context.Context, sliders []Slider) <-chan move {
	moves := make(chan move, 64)
	for i, slider := range sliders {
		gonbui.DisplayHTML(fmt.Sprintf("<b>%s</b> (%d to %d)", html.EscapeString(slider.Name), slider.Min, slider.Max))
		shown := widgets.Slider(slider.Min, slider.Max, slider.Value).Done()
		go pass(ctx, shown.Listen(), i, moves)
	}
	return moves
}

// pass reports the moves of one slider.
func pass(ctx context.Context, values *comms.AddressChan[int], place int, moves chan<- move) {
	for {
		select {
		case value := <-values.C:
			moves <- move{place, value}
		case <-ctx.Done():
			return
		}
	}
}

// follow draws the figure for the present values after each move, in one element that is replaced. Moves that come while it
// draws are drawn as one.
func follow(ctx context.Context, values []int, moves <-chan move, draw func(values []int) (*Figure, error)) error {
	element := "panel_" + gonbui.UniqueId()
	for {
		figure, err := draw(values)
		if err != nil {
			return err
		}
		if err := updateFigure(element, figure); err != nil {
			return err
		}
		select {
		case m := <-moves:
			values[m.place] = m.value
		case <-ctx.Done():
			return nil
		}
		for len(moves) > 0 {
			m := <-moves
			values[m.place] = m.value
		}
	}
}

// updateFigure replaces the figure in an element of the notebook.
func updateFigure(element string, figure *Figure) error {
	if figure == nil {
		return errors.New("viz: the panel's figure is nil: check the error of the function that made it")
	}
	data, err := figure.PNG()
	if err != nil {
		return err
	}
	width, _ := figure.Size()
	gonbui.UpdateHTML(element, fmt.Sprintf(`<img width="%d" alt="figure of the panel" src="data:image/png;base64,%s">`,
		int(width/72*96), base64.StdEncoding.EncodeToString(data)))
	return nil
}
