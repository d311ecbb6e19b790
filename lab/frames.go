package lab

import (
	"bytes"
	"compress/gzip"
	_ "embed" // frames.js
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/nbbnn/workbench/viz"
)

const (
	mostFrames    = 70      // of a panel: 8 values of each of two sliders, 4 of each of three
	largestFrames = 200_000 // bytes of them in the notebook
)

// framesScript moves a panel whose frames were drawn beforehand.
//
//go:embed frames.js
var framesScript string

// frames are the SVGs of a panel by the values of its sliders, such as "4 0".
type frames map[string]string

// showFrames shows the figure of the starts below sliders that a page can move without a kernel,
// since the notebook has a frame of each of their values. Too many or too large ones are left out;
// then the sliders are disabled.
func showFrames(sliders []Slider, draw func(values []int) (*viz.Figure, error)) error {
	figure, err := draw(starts(sliders))
	if err != nil {
		return err
	}
	picture, err := pictureOf(figure)
	if err != nil {
		return err
	}
	steps := coarse(sliders)
	packed, err := drawFrames(steps, func(values []int) (*viz.Figure, error) {
		if slices.Equal(values, starts(sliders)) {
			return figure, nil
		}
		return draw(values)
	})
	if err != nil {
		return err
	}
	shown := newControls(sliders).html("", "")
	if packed != "" {
		shown = newControls(steps).html(fmt.Sprintf(` data-frames="%s"`, packed), "<script>"+framesScript+"</script>")
	}
	return flush(&protocol.DisplayData{Data: map[protocol.MIMEType]any{protocol.MIMETextHTML: shown}}, picture)
}

// coarse returns the sliders with steps so large that their values have mostFrames combinations. A
// list keeps all its choices. Sliders so many that two values of each are too many stay as they are.
func coarse(sliders []Slider) (steps []Slider) {
	each := int(math.Pow(mostFrames, 1/float64(len(sliders))))
	if each < 2 {
		return sliders
	}
	for _, s := range sliders {
		if s.Choices == nil {
			s.step = max(1, (s.Max-s.Min+each-2)/(each-1))
			s.Min, s.Max = s.Value-(s.Value-s.Min)/s.step*s.step, s.Value+(s.Max-s.Value)/s.step*s.step
		}
		steps = append(steps, s)
	}
	return steps
}

// drawFrames returns the frames for all values of the sliders as compressed JSON in base 64, or "" if
// there are more than mostFrames, or they take more than largestFrames bytes by the size of the first.
func drawFrames(sliders []Slider, draw func(values []int) (*viz.Figure, error)) (string, error) {
	count, all := 1, frames{}
	for _, s := range sliders {
		count *= s.places()
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
		svg, err := figure.SVG()
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
		low, _ := s.ends()
		values[i] = low + place%s.places()*s.stride()
		place /= s.places()
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
