package lab

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/nbbnn/workbench/viz"
)

// panelLimit is how long a panel waits for the first answer of its controls. A browser on a busy
// machine needs more than a quarter of it.
const panelLimit = time.Minute

// Panel shows sliders and the figure that draw makes of their values, in their order. It draws the
// figure again whenever a slider is moved, until the context ends: interrupt the cell to continue.
// Then the sliders are disabled. If the page can't reach the kernel, Panel shows the figure of the
// starts and returns. So it does if the environment is headless, with at most 70 figures drawn
// beforehand, which a saved notebook and a page of the site show for other values, unless they're
// large. Outside a notebook Panel does nothing. An error of draw ends the cell.
func Panel(ctx context.Context, sliders []Slider, draw func(values []int) (*viz.Figure, error)) {
	Check(panel(ctx, panelLimit, sliders, draw))
}

// panel is Panel with the time that the controls have for their first answer. It returns its error.
func panel(ctx context.Context, limit time.Duration, sliders []Slider, draw func(values []int) (*viz.Figure, error)) error {
	for _, slider := range sliders {
		if err := slider.check(); err != nil {
			return err
		}
	}
	if !gonbui.IsNotebook {
		return nil
	}
	values := starts(sliders)
	if len(sliders) == 0 {
		return show(draw(values))
	}
	if headless() {
		return showFrames(sliders, draw)
	}
	shown := newControls(sliders)
	defer func() { shown.end(values) }()
	moves, answered := shown.place(ctx, limit)
	switch {
	case answered:
		return follow(ctx, values, moves, draw)
	case ctx.Err() != nil:
		return nil
	}
	fmt.Println("The sliders got no answer from this page, which must be JupyterLab: this is the figure of their starts.")
	return show(draw(values))
}

// follow draws the figure for the present values after each move, in one element that is replaced.
// Moves that come while it draws are drawn as one.
func follow(ctx context.Context, values []int, moves <-chan move, draw func(values []int) (*viz.Figure, error)) error {
	element := "panel_" + gonbui.UniqueId()
	for {
		figure, err := draw(values)
		if err != nil {
			return unlessEnded(ctx, err)
		}
		if err := updateFigure(element, figure, values); err != nil {
			return err
		}
		if !nextMoves(ctx, values, moves) {
			return nil
		}
	}
}

// unlessEnded returns the error, or nil for one of a drawing that was interrupted.
func unlessEnded(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// nextMoves waits until a slider has another value, and takes all moves that are there. It returns
// false when the context ends.
func nextMoves(ctx context.Context, values []int, moves <-chan move) bool {
	for changed := false; !changed || len(moves) > 0; {
		select {
		case m := <-moves:
			changed = changed || values[m.place] != m.value
			values[m.place] = m.value
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// updateFigure replaces the figure in an element of the notebook. The picture carries its values,
// for a page that waits for them.
func updateFigure(element string, figure *viz.Figure, values []int) error {
	if figure == nil {
		return errors.New("lab: the panel's figure is nil: check the error of the function that made it")
	}
	data, err := figure.PNG()
	if err != nil {
		return err
	}
	gonbui.UpdateHTML(element, fmt.Sprintf(`<img width="%d" alt="figure of the panel" data-values="%s" src="data:image/png;base64,%s">`,
		screenWidth(figure), joined(values), base64.StdEncoding.EncodeToString(data)))
	return nil
}
