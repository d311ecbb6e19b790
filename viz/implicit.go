package viz

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Implicit holds implicit corruptions of one image. Adding one to the image turns the network's
// mean output into its output for the clean image under one draw of the latents (paper, Figure 4).
// A larger lambda makes them weaker.
type Implicit struct {
	Name          string // of the method, above its pictures; "" draws none
	Height, Width int
	Image         []float64 // [height, width, 3], 0 to 1
	Lambda        []float64 // [masks], above 0
	// [masks], [height, width, 3], in units of the image; may leave 0 to 1
	Masks [][]float64
	// [1 + masks], drawn below the image and each corrupted one; nil for none
	Answers []string
}

// ImplicitCorruptions draws for each network the image and, for each lambda, the corrupted image
// with the corruption itself below it: grey where it changes nothing, lighter and darker where it
// adds and takes away. The factor to the left enlarges all corruptions of the figure alike, so that
// they can be compared. Below the images are the network's answers, below the changes their root
// mean squares.
func ImplicitCorruptions(networks ...Implicit) (*Figure, error) {
	if len(networks) == 0 {
		return nil, errors.New("viz: implicit corruptions of 0 networks: give at least one")
	}
	strongest := 0.0
	for _, network := range networks {
		if err := network.check(); err != nil {
			return nil, err
		}
		for _, mask := range network.Masks {
			strongest = max(strongest, rms(mask))
		}
	}
	figures := make([]*Figure, len(networks))
	for i, network := range networks {
		figure, err := CorruptionGrid(network.grid(gainFor(strongest)))
		if err != nil {
			return nil, err
		}
		if figures[i] = figure; network.Name != "" {
			figures[i] = figure.Titled(network.Name)
		}
	}
	return Column(figures...)
}

// grid returns the images of one network, the corruptions enlarged by gain.
func (m Implicit) grid(gain float64) ImageGrid {
	grid := ImageGrid{
		Height: m.Height, Width: m.Width, Side: 96, Columns: []string{"clean"},
		Rows:     []string{"image", "change"},
		Pixels:   [][][]uint8{{pixelsOf(m.Image, 0, 1)}, {nil}},
		Captions: [][]string{{""}, {fmt.Sprintf("× %.3g", gain)}},
	}
	answers := m.Answers
	if len(answers) == 0 {
		answers = make([]string, 1+len(m.Masks))
	}
	grid.Captions[0][0] = answers[0]
	for i, mask := range m.Masks {
		grid.Columns = append(grid.Columns, fmt.Sprintf("λ = %g", m.Lambda[i]))
		grid.Pixels[0] = append(grid.Pixels[0],
			pixelsOf(floats.AddTo(make([]float64, len(mask)), m.Image, mask), 0, 1))
		grid.Pixels[1] = append(grid.Pixels[1], pixelsOf(mask, 0.5, gain))
		grid.Captions[0] = append(grid.Captions[0], answers[i+1])
		grid.Captions[1] = append(grid.Captions[1], fmt.Sprintf("RMS %#.2g", rms(mask)))
	}
	return grid
}

// check returns an error that names the first thing that doesn't fit the image.
func (m Implicit) check() error {
	const owner = "an image with implicit corruptions"
	values := m.Height * m.Width * 3
	switch {
	case m.Height <= 0 || m.Width <= 0 || len(m.Image) != values:
		return fmt.Errorf("viz: an image of %d values, want %d for %d x %d RGB", len(m.Image),
			values, m.Height, m.Width)
	case len(m.Masks) == 0:
		return errors.New("viz: an image without implicit corruptions: give at least one")
	case len(m.Answers) > 0 && len(m.Answers) != 1+len(m.Masks):
		return fmt.Errorf("viz: %d answers to an image and %d corruptions: give one for each",
			len(m.Answers), len(m.Masks))
	}
	problem := cmp.Or(
		paired(owner, "masks", len(m.Masks), "lambdas", len(m.Lambda)),
		within(owner, "value", m.Image, shares), within(owner, "lambda", m.Lambda, positives),
	)
	for _, mask := range m.Masks {
		problem = cmp.Or(problem, paired(owner, "values", values, "values of a mask", len(mask)),
			within(owner, "change", mask, numbers))
	}
	return problem
}

// gainFor returns the factor that enlarges changes, rounded to two digits: three root mean squares
// of the strongest one reach from grey to black or white.
func gainFor(strongest float64) float64 {
	if strongest == 0 {
		return 1
	}
	gain := 0.5 / (3 * strongest)
	unit := math.Pow(10, math.Floor(math.Log10(gain))-1)
	return math.Round(gain/unit) * unit
}

func rms(values []float64) float64 {
	return floats.Norm(values, 2) / math.Sqrt(float64(len(values)))
}

// pixelsOf returns pixels of offset + gain times the values, clipped to the range of a byte.
func pixelsOf(values []float64, offset, gain float64) []uint8 {
	result := make([]uint8, len(values))
	for i, value := range values {
		result[i] = uint8(math.Round(255 * max(0, min(1, offset+gain*value))))
	}
	return result
}
