package network

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/testkit"
)

// handRun runs the networks once more in loops over float64, all rows at a time, written from
// METHOD.md 1.1 and 1.2 alone.
type handRun struct {
	form       string
	mode       Mode
	components int
	values     map[string][]float64 // of the variables, by their paths in the store
	// standard normal draws of each layer, [row][D]; nil: no latents at all
	noise    map[string][][]float32
	training bool // batch normalisation by the batch's statistics
}

// picture is one image or one layer's output, [side, side, channels].
type picture struct {
	side, channels int
	values         []float64
}

// handLayers are kernel, stride and padding of the eight layers.
var handLayers = [8][3]int{{3, 1, 1}, {3, 1, 1}, {3, 2, 1}, {3, 1, 1}, {3, 1, 1}, {3, 2, 1},
	{3, 1, 1}, {1, 1, 0}}

// latents draws the input and output latents of a layer for one row, which uses component row mod
// K.
func (h handRun) latents(name string, in int, epsilon []float32, row int) (z, s []float64) {
	mean, sigma := h.component("/phi/"+name, row%h.components)
	draw := make([]float64, len(mean))
	for d := range draw {
		draw[d] = mean[d] + sigma[d]*float64(epsilon[d])
	}
	switch h.mode {
	case Input:
		return draw, nil
	case Both:
		return draw[:in], draw[in:]
	}
	return nil, draw
}

// component returns the means and standard deviations of one component of a layer's posterior.
func (h handRun) component(path string, k int) (mean, sigma []float64) {
	dimensions := len(h.values[path+"/mean"]) / h.components
	mean = h.values[path+"/mean"][k*dimensions:][:dimensions]
	for _, rho := range h.values[path+"/rho"][k*dimensions:][:dimensions] {
		sigma = append(sigma, math.Log1p(math.Exp(rho)))
	}
	return mean, sigma
}

// scaled multiplies every channel by its factor; nil leaves the picture as it is.
func (x picture) scaled(factors []float64) picture {
	if factors == nil {
		return x
	}
	x.values = slices.Clone(x.values)
	for i := range x.values {
		x.values[i] *= factors[i%x.channels]
	}
	return x
}

func (x picture) rectified() picture {
	x.values = slices.Clone(x.values)
	for i, v := range x.values {
		x.values[i] = math.Max(v, 0)
	}
	return x
}

// convolved slides weights [kernel, kernel, in, out] over the picture, which zeros surround on all
// four sides.
func (x picture) convolved(weights, bias []float64, kernel, stride, padding int) picture {
	out, side := len(bias), (x.side+2*padding-kernel)/stride+1
	y := picture{side, out, slices.Repeat(bias, side*side)}
	for pixel := range side * side {
		sums := y.values[pixel*out:][:out]
		for tap := range kernel * kernel {
			row := pixel/side*stride + tap/kernel - padding
			column := pixel%side*stride + tap%kernel - padding
			if row < 0 || column < 0 || row >= x.side || column >= x.side {
				continue
			}
			for c, v := range x.values[(row*x.side+column)*x.channels:][:x.channels] {
				for o, w := range weights[(tap*x.channels+c)*out:][:out] {
					sums[o] += v * w
				}
			}
		}
	}
	return y
}

func (x picture) at(row, column, channel int) float64 {
	if row < 0 || column < 0 || row >= x.side || column >= x.side {
		return 0
	}
	return x.values[(row*x.side+column)*x.channels+channel]
}

// averaged is the mean of each channel over the pixels.
func (x picture) averaged() picture {
	means := make([]float64, x.channels)
	for i, v := range x.values {
		means[i%x.channels] += v / float64(x.side*x.side)
	}
	return picture{1, x.channels, means}
}

// pictures parts images [count, side, side, 3] into pictures.
func pictures(side int, values []float64) (parts []picture) {
	for part := range slices.Chunk(values, side*side*3) {
		parts = append(parts, picture{side, 3, part})
	}
	return parts
}

// handCopy returns the network of a store by hand, with the draws of its layers.
func handCopy(t testing.TB, a Architecture, config Settings, store *model.Store,
	noise [][][]float32) handRun {
	t.Helper()
	h := handRun{form: config.Network.Form, mode: config.Posterior.Mode,
		components: config.Posterior.Components, values: map[string][]float64{}}
	for v := range store.IterVariables() {
		h.values[v.Path()] = storedValues(t, store, v.Path())
	}
	if h.mode != Deterministic {
		h.noise = map[string][][]float32{}
		for i, l := range a.layers {
			h.noise[l.name] = noise[i]
		}
	}
	return h
}

func storedValues(t testing.TB, store *model.Store, path string) []float64 {
	t.Helper()
	values := testkit.Must(tensors.CopyFlatData[float32](store.GetVariable(path).MustValue()))(t)
	return widen(values)
}

// setValues gives a variable of the store new values, one call of draw each.
func setValues(t testing.TB, store *model.Store, path string, draw func() float64) {
	t.Helper()
	v := store.GetVariable(path)
	values := fill(v.Shape().Size(), draw)
	testkit.NoError(t,
		v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)))
}

// livelyStore is a store whose biases are mostly positive, so that even a network of width 2 has no
// layer without signal.
func livelyStore(t testing.TB, a Architecture, config Settings, random *rand.Rand) *model.Store {
	t.Helper()
	store := testkit.Must(newStore(a, config))(t)
	for _, l := range a.layers {
		setValues(t, store, weightPath(l), func() float64 {
			return random.NormFloat64() * math.Sqrt(2/float64(l.fanIn()))
		})
		setValues(t, store, biasPath(l), func() float64 { return 0.3 + 0.2*random.NormFloat64() })
	}
	return store
}

// drawNoise draws the epsilon of every layer, [layer][row][D].
func drawNoise(a Architecture, mode Mode, rows int, random *rand.Rand) [][][]float32 {
	noise := make([][][]float32, len(a.layers))
	for i, l := range a.layers {
		for range rows {
			noise[i] = append(noise[i], fill(latentDimensions(mode, l.in, l.out),
				random.NormFloat64))
		}
	}
	return noise
}

// numbered names the layers of a kind from 1.
func numbered(kind string, index int) string { return fmt.Sprint(kind, index+1) }
