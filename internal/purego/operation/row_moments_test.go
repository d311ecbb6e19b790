package operation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/testkit"
)

// batch is an input of a normalisation in double precision.
type batch struct {
	form       NormaliseForm
	dimensions []int // rows, height, width, channels
	values     [][]float64
}

// drawBatch draws images about a mean, in values that float32 holds exactly, then gain, shift,
// noise, residual and the weights of a loss.
func drawBatch(form NormaliseForm, mean, deviation float64, dimensions ...int) batch {
	random := rand.New(rand.NewPCG(71, uint64(dimensions[0])))
	channels, rows := dimensions[3], dimensions[0]
	size := rows * dimensions[1] * dimensions[2] * channels
	draw := func(count int, mean, deviation float64) []float64 {
		values := make([]float64, count)
		for i := range values {
			values[i] = float64(float32(mean + deviation*random.NormFloat64()))
		}
		return values
	}
	return batch{form, dimensions, [][]float64{
		draw(size, mean, deviation), draw(channels, 1, 0.2), draw(channels, 0, 0.5),
		draw(rows*channels, 1, 0.1), draw(size, 0, 1), draw(size, 0, 1),
	}}
}

// normalise returns y, its moments and the gradients of sum y weights, computed in a type by row
// moments or in the plain form, with images in their own type. Operations run one after another as
// in the workbench: GoMLX's parallel order has a data race between a function and its caller.
func (b batch) normalise(t *testing.T, images, numbers dtypes.DType, byRows bool) [][]float64 {
	t.Helper()
	backend := testkit.Must(gobackend.New("ops_sequential"))(t)
	d := b.dimensions
	shapes := [][]int{d, {d[3]}, {d[3]}, {d[0], d[3]}, d, d}
	var inputs []any
	for i, values := range b.values {
		inputs = append(inputs, tensors.FromFlatDataAndDimensions(values, shapes[i]...))
	}
	outputs := testkit.Must(CallOnceN(backend, func(in []*Node) []*Node {
		return b.results(in, images, numbers, byRows)
	}, inputs...))(t)
	results := make([][]float64, len(outputs))
	for i, output := range outputs {
		results[i] = tensors.MustCopyFlatData[float64](output)
	}
	return results
}

// results builds the graph of normalise.
func (b batch) results(in []*Node, images, numbers dtypes.DType, byRows bool) []*Node {
	x := ConvertDType(in[0], images)
	n := Normalisation{
		Gain: ConvertDType(in[1], numbers), Shift: ConvertDType(in[2], numbers),
		Rectify: b.form.Rectify, Epsilon: 1e-5,
	}
	of := []*Node{x, n.Gain, n.Shift}
	if b.form.Noise {
		n.Noise = ConvertDType(in[3], numbers)
		of = append(of, n.Noise)
	}
	if b.form.Residual {
		n.Residual = ConvertDType(in[4], images)
		of = append(of, n.Residual)
	}
	compute := n.NormaliseBatch
	if byRows {
		compute = n.normaliseByRows
	}
	y, mean, variance := compute(x)
	loss := ReduceAllSum(Mul(ConvertDType(y, numbers), ConvertDType(in[5], numbers)))
	results := append([]*Node{y, mean, variance}, Gradient(loss, of...)...)
	for i, result := range results {
		results[i] = ConvertDType(result, dtypes.Float64)
	}
	return results
}

// farthest returns the largest difference as a part of the largest value, or of a scale that is
// larger; infinite if one is a NaN.
func farthest(got, want []float64, scale float64) float64 {
	largest, worst := scale, 0.0
	for i, w := range want {
		largest = max(largest, math.Abs(w))
		if math.IsNaN(got[i]) {
			return math.Inf(1)
		}
		worst = max(worst, math.Abs(got[i]-w))
	}
	return worst / max(largest, 1e-30)
}

// Row moments are the plain form: in double precision to rounding, however awkward the images.
func TestRowMomentsAreThePlainForm(t *testing.T) {
	for _, c := range awkward {
		for _, form := range NormaliseForms() {
			b := drawBatch(form, c.mean, c.deviation, c.dimensions...)
			want := b.normalise(t, dtypes.Float64, dtypes.Float64, false)
			for i, got := range b.normalise(t, dtypes.Float64, dtypes.Float64, true) {
				if off := farthest(got, want[i], 0); !(off <= c.double) {
					t.Errorf("%s, %+v: output %d is off by %.2g, want at most %.2g",
						c.name, form, i, off, c.double)
				}
			}
		}
	}
}

// awkward are images for which sums can cancel. A running mean of zero, as in the first steps,
// would be a bad center of those far from zero.
var awkward = []struct {
	name            string
	mean, deviation float64
	dimensions      []int
	double          float64 // largest difference allowed in double precision
}{
	{"plain", 0.3, 1, []int{6, 5, 4, 3}, 1e-13},
	{"far from zero", 1000, 1, []int{6, 8, 8, 3}, 1e-9},
	{"nearly constant", 5, 1e-3, []int{6, 8, 8, 3}, 1e-9},
	{"tiny", 0, 1e-6, []int{6, 8, 8, 3}, 1e-13},
	{"one pixel", 0.3, 1, []int{9, 1, 1, 5}, 1e-12},
	{"one row", -2, 0.5, []int{1, 6, 6, 4}, 1e-9}, // the gradient of its noise is nearly zero
}

// In float32 row moments are as near to double precision as the plain form, up to twice its
// rounding and a few roundings of the largest value.
func TestRowMomentsRoundLikeThePlainForm(t *testing.T) {
	for _, c := range awkward {
		for _, noise := range []bool{false, true} {
			b := drawBatch(NormaliseForm{Noise: noise}, c.mean, c.deviation, c.dimensions...)
			b.roundsLikeThePlainForm(t, fmt.Sprintf("%s, noise %t", c.name, noise))
		}
	}
}

func (b batch) roundsLikeThePlainForm(t *testing.T, name string) {
	t.Helper()
	judge := b.normalise(t, dtypes.Float64, dtypes.Float64, false)
	plain := b.normalise(t, dtypes.Float32, dtypes.Float32, false)
	for i, got := range b.normalise(t, dtypes.Float32, dtypes.Float32, true) {
		scale := 0.0
		if i == 1 { // the rounding of a mean near zero is that of the deviation
			scale = math.Sqrt(judge[2][0])
		}
		off, plainly := farthest(got, judge[i], scale), farthest(plain[i], judge[i], scale)
		if !(off <= 2*plainly+2e-6) {
			t.Errorf("%s: output %d is off by %.2g, the plain form by %.2g", name, i, off, plainly)
		}
	}
}

// drawLarge draws a batch of a layer's size with noise. Its values are standard normal, but for the
// pixel that is the center in some rows.
func drawLarge(outlier float64, rows int) batch {
	b := drawBatch(NormaliseForm{Noise: true}, 0, 1, 64, 32, 32, 2)
	for row := range rows {
		for channel := range 2 {
			b.values[0][((row*32+16)*32+16)*2+channel] = outlier
		}
	}
	return b
}

// An outlier in the center of one row costs no digits.
func TestRowMomentsAboutAnOutlier(t *testing.T) {
	for _, outlier := range []float64{0, 200, 1e4} {
		drawLarge(outlier, 1).roundsLikeThePlainForm(t, fmt.Sprintf("outlier of %g", outlier))
	}
}

// If the pixel is far from all others in every row, the moments keep two digits.
func TestRowMomentsAboutOutliersInEveryRow(t *testing.T) {
	b := drawLarge(200, 64)
	want := b.normalise(t, dtypes.Float64, dtypes.Float64, false)
	for i, got := range b.normalise(t, dtypes.Float32, dtypes.Float32, true) {
		if off := farthest(got, want[i], 0); !(off <= 1e-2) {
			t.Errorf("output %d is off by %.2g", i, off)
		}
	}
}

// Images in bfloat16 stay so, and the moments have the precision of float32. Everything else has
// that of bfloat16: so do the gradients of gain, shift and noise, sums of a dy in bfloat16.
func TestRowMomentsOfBFloat16(t *testing.T) {
	for _, form := range NormaliseForms() {
		b := drawBatch(form, 0.3, 1, 6, 5, 4, 3)
		for _, images := range []int{0, 4} { // values that bfloat16 holds exactly
			for i, value := range b.values[images] {
				bits := math.Float32bits(float32(value)) &^ 0xffff
				b.values[images][i] = float64(math.Float32frombits(bits))
			}
		}
		want := b.normalise(t, dtypes.Float64, dtypes.Float64, false)
		for i, got := range b.normalise(t, dtypes.BFloat16, dtypes.Float32, true) {
			most := 1.0 / 128
			if i == 1 || i == 2 {
				most = 1e-5
			}
			if off := farthest(got, want[i], 0); !(off <= most) {
				t.Errorf("%+v: output %d is off by %.2g, want at most %.2g", form, i, off, most)
			}
		}
	}
}
