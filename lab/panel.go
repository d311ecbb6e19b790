package lab

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed" // frames.js
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/nbbnn/workbench/viz"
)

// panelLimit is the time that a panel waits for its controls' first answer. A browser on a busy
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

// drawing makes the figure of the values of sliders.
type drawing = func(values []int) (*viz.Figure, error)

// panel is Panel with the time that the controls have for their first answer. It returns its error.
func panel(ctx context.Context, limit time.Duration, sliders []Slider,
	draw drawing) error {
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
	fmt.Printf("No answer of the page in %v, so this is the figure of the starts. Sliders need "+
		"JupyterLab 4 at an address with http://, "+
		"and a page that runs scripts; next to them it says what it waits for. Run the cell "+
		"again to try again.\n", limit)
	return show(draw(values))
}

// follow draws the figure for the present values after each move, in one element that is replaced.
// Moves that come while it draws are drawn as one.
func follow(ctx context.Context, values []int, moves <-chan move,
	draw drawing) error {
	element := "panel_" + gonbui.UniqueId()
	for goes := true; goes; goes = nextMoves(ctx, values, moves) {
		figure, err := draw(values)
		if err != nil && ctx.Err() != nil {
			break // the drawing was interrupted
		}
		if err == nil {
			err = updateFigure(element, figure, values)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// nextMoves waits until a slider has another value, and takes all moves so far. It returns false
// when the context ends.
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
		return errors.New("lab: the panel's figure is nil: check the error of the function that " +
			"made it")
	}
	data, err := figure.Encode("png")
	if err != nil {
		return err
	}
	gonbui.UpdateHTML(element,
		fmt.Sprintf(
			`<img width="%d" alt="figure of the panel" data-values="%s" `+
				`src="data:image/png;base64,%s">`,
			screenWidth(figure), joined(values), base64.StdEncoding.EncodeToString(data)))
	return nil
}

const (
	mostFrames    = 70      // of a panel: 8 values of each of two sliders, 4 of each of three
	largestFrames = 400_000 // bytes of them in the notebook
)

// framesScript moves a panel whose frames were drawn beforehand.
//
//go:embed frames.js
var framesScript string

// frames are the SVGs of a panel by the values of its sliders, "4 0".
type frames map[string]string

// showFrames shows the figure of the starts below sliders that a page can move without a kernel,
// since the notebook has a frame for each of their values. Without room for frames it shows a note
// instead of dead sliders.
func showFrames(sliders []Slider, draw drawing) error {
	figure, err := draw(starts(sliders))
	picture, err := pictureOf(figure, err)
	if err != nil {
		return err
	}
	steps := coarse(sliders)
	packed, err := drawFrames(steps, draw)
	if err != nil {
		return err
	}
	shown := "<em>run the cell for its sliders</em>"
	if packed != "" {
		shown = newControls(steps).html(fmt.Sprintf(` data-frames="%s"`, packed), "<script>"+
			framesScript+"</script>")
	}
	return flush(&protocol.DisplayData{Data: map[protocol.MIMEType]any{
		protocol.MIMETextHTML: shown}}, picture)
}

// coarse returns the sliders with steps so large that their values have mostFrames combinations. A
// list keeps all its choices. Sliders stay as they are if two values of each are too many.
func coarse(sliders []Slider) (steps []Slider) {
	each := int(math.Pow(mostFrames, 1/float64(len(sliders))))
	if each < 2 {
		return sliders
	}
	for _, s := range sliders {
		if s.Choices == nil {
			s.step = max(1, (s.Max-s.Min+each-2)/(each-1))
			s.Min, s.Max = s.Value-(s.Value-s.Min)/s.step*s.step,
				s.Value+(s.Max-s.Value)/s.step*s.step
		}
		steps = append(steps, s)
	}
	return steps
}

// drawFrames returns the frames for all values of the sliders as compressed JSON in base 64, or ""
// if there are more than mostFrames, or they take more than largestFrames bytes by the size of the
// first.
func drawFrames(sliders []Slider, draw drawing) (string, error) {
	count, all := 1, frames{}
	for _, s := range sliders {
		count *= len(s.values())
	}
	if count > mostFrames {
		return "", nil
	}
	for place := range count {
		values := valuesAt(sliders, place)
		figure, err := draw(values)
		if err != nil {
			return "", err
		}
		svg, err := figure.Encode("svg")
		if err != nil {
			return "", err
		}
		all[joined(values)] = string(svg)
		if place == 0 && count*len(all.packed()) > largestFrames {
			return "", nil
		}
	}
	return all.packed(), nil
}

// valuesAt returns the values of the sliders at a place among all their combinations.
func valuesAt(sliders []Slider, place int) []int {
	values := make([]int, len(sliders))
	for i, s := range sliders {
		own := s.values()
		values[i] = own[place%len(own)]
		place /= len(own)
	}
	return values
}

// packed returns the frames as compressed JSON in base 64.
func (f frames) packed() string {
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_ = json.NewEncoder(writer).Encode(f) // neither fails for strings and a buffer
	_ = writer.Close()
	return base64.StdEncoding.EncodeToString(packed.Bytes())
}
