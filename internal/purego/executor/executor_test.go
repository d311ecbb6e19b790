package executor

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/purego/kernel"
	"github.com/nbbnn/workbench/internal/testkit"
)

var (
	backend      compute.Backend
	name         string // of the kernels installed
	whyNotBetter string
)

func TestMain(m *testing.M) {
	var err error
	if backend, err = compute.NewWithConfig("go:creation_order,ops_sequential"); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	name, whyNotBetter = Install(backend, Best)
	os.Exit(m.Run())
}

// needKernels skips the test, with a message, if no kernels are installed.
func needKernels(t testing.TB) {
	t.Helper()
	if name == "" {
		t.Skipf("no kernels: %s", whyNotBetter)
	}
}

func TestInstallUsesTheBestKernels(t *testing.T) {
	sets := kernel.Available()
	if name != sets[0].Name || (whyNotBetter == "") != Best.IsAssembly() {
		t.Errorf("installed %q (%s), want %q", name, whyNotBetter, sets[0].Name)
	}
}

// withStock runs do with the kernels off.
func withStock(do func()) {
	was := installed.active.Swap(false)
	defer installed.active.Store(was)
	do()
}

// run executes a graph.
func run(t testing.TB, build func([]*Node) []*Node, inputs ...any) [][]float32 {
	t.Helper()
	execution := testkit.Must(NewExec(backend, build))(t)
	outputs := testkit.Must(execution.Call(inputs...))(t)
	var numbers [][]float32
	for _, output := range outputs {
		numbers = append(numbers, tensors.MustCopyFlatData[float32](output))
	}
	return numbers
}

// both executes a graph with the stock executors and with the kernels.
func both(t *testing.T, build func([]*Node) []*Node, inputs ...any) (want, got [][]float32) {
	t.Helper()
	needKernels(t)
	withStock(func() { want = run(t, build, inputs...) })
	return want, run(t, build, inputs...)
}

func normals(random *rand.Rand, dimensions ...int) *tensors.Tensor {
	size := 1
	for _, dimension := range dimensions {
		size *= dimension
	}
	values := make([]float32, size)
	for i := range values {
		values[i] = float32(random.NormFloat64())
	}
	return tensors.FromFlatDataAndDimensions(values, dimensions...)
}

// compare reports the worst difference, as a part of the largest value. A NaN equals a NaN, an
// infinity itself.
func compare(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d values, want %d", what, len(got), len(want))
	}
	largest, worst, at := 0.0, 0.0, 0
	for i := range want {
		g, w := float64(got[i]), float64(want[i])
		if !math.IsInf(w, 0) && !math.IsNaN(w) {
			largest = max(largest, math.Abs(w))
		}
		if g == w || math.IsNaN(g) && math.IsNaN(w) {
			continue
		}
		if difference := math.Abs(g - w); !(difference <= worst) {
			worst, at = difference, i
		}
	}
	if !(worst <= tolerance*largest) {
		t.Errorf("%s: [%d] got %v, want %v: difference %.2e, largest value %.3g, tolerance %.0e "+
			"of it",
			what, at, got[at], want[at], worst, largest, tolerance)
	}
}

// layerSizes are the sizes of a convolution.
type layerSizes struct {
	images, height, width, inputs, outputs int
	kernel, stride, before, after          int
}

func (l layerSizes) output(side int) int { return (side+l.before+l.after-l.kernel)/l.stride + 1 }

func (l layerSizes) String() string {
	return fmt.Sprintf("%dx%dx%dx%d to %d, kernel %d, stride %d, padding %d and %d", l.images,
		l.height, l.width, l.inputs, l.outputs,
		l.kernel, l.stride, l.before, l.after)
}

func (l layerSizes) convolve(input, kernel *Node) *Node {
	padding := [2]int{l.before, l.after}
	return Convolve(input, kernel).Strides(l.stride).PaddingPerDim([][2]int{padding,
		padding}).Done()
}

// inputs are images, a kernel, a bias, noise and weights of the outputs.
func (l layerSizes) values() []any {
	random := rand.New(rand.NewPCG(3, 4))
	return []any{
		normals(random, l.images, l.height, l.width, l.inputs),
		normals(random, l.kernel, l.kernel, l.inputs, l.outputs),
		normals(random, l.outputs),
		normals(random, l.images, 1, 1, l.outputs),
		normals(random, l.images, l.output(l.height), l.output(l.width), l.outputs),
	}
}

func TestConvolutionAgreesWithTheStockExecutor(t *testing.T) {
	for _, l := range []layerSizes{
		{2, 8, 8, 3, 24, 3, 1, 1, 1}, {2, 9, 7, 3, 10, 3, 1, 1, 1}, {2, 9, 9, 24, 48, 3, 2, 1, 1},
		{1, 16, 16, 96, 96, 3, 1, 1, 1},
		{1, 8, 8, 192, 192, 3, 2, 1, 1}, {2, 7, 5, 192, 10, 1, 1, 0, 0},
		{2, 7, 5, 10, 3, 1, 2, 0, 0}, {3, 11, 13, 5, 33, 5, 2, 2, 2},
		{2, 12, 12, 16, 32, 3, 3, 1, 1}, {1, 6, 6, 1, 1, 3, 1, 0, 0}, {2, 9, 6, 17, 65, 3, 2, 0, 1},
		{1, 3, 3, 2, 130, 3, 1, 2, 2},
		{9, 5, 4, 40, 56, 3, 1, 1, 1}, {2, 7, 7, 12, 100, 7, 2, 3, 3},
		{2, 8, 8, 48, 48, 2, 2, 0, 0}, {2, 8, 8, 48, 48, 2, 1, 0, 1},
	} {
		agree(t, l.String(), 3, 3e-6, func(in []*Node) []*Node {
			y := l.convolve(in[0], in[1])
			return append([]*Node{y}, Gradient(ReduceAllSum(Mul(y, in[4])), in[0], in[1])...)
		}, l.values()...)
	}
}

// relu has the gradient g sign(relu(x)).
func relu(x *Node) *Node {
	y, _ := InternalFusedOpCaller(func() *Node { return MaxScalar(x, 0) },
		func() *Node { return Mul(x, StopGradient(Sign(MaxScalar(x, 0)))) }, true)
	return y
}

func TestJoinedLayersAgreeWithTheStockExecutors(t *testing.T) {
	convolution := func(l layerSizes, in []*Node) *Node {
		return Add(l.convolve(in[0], in[1]), Reshape(in[2], 1, 1, 1, l.outputs))
	}
	tests := []struct {
		name   string
		layer  func(l layerSizes, in []*Node) *Node
		inputs int // of which gradients are taken, 0 for none
		fused  int // nodes, at least, where there are enough channels
	}{
		{"bias and rectifier", func(l layerSizes, in []*Node) *Node {
			return relu(convolution(l, in))
		}, 3, 3},
		{"stock rectifier", func(l layerSizes, in []*Node) *Node {
			return MaxScalar(convolution(l, in), 0)
		}, 3, 1},
		{"noise after the rectifier", func(l layerSizes, in []*Node) *Node {
			return Mul(relu(convolution(l, in)), in[3])
		}, 4, 4},
		{"noise before the rectifier", func(l layerSizes, in []*Node) *Node {
			return relu(Mul(convolution(l, in), in[3]))
		}, 4, 3},
		{"noise without bias", func(l layerSizes, in []*Node) *Node {
			return relu(Mul(l.convolve(in[0], in[1]), in[3]))
		}, 2, 2},
		{"forward only", func(l layerSizes, in []*Node) *Node {
			return relu(Mul(convolution(l, in), in[3]))
		}, 0, 3},
		{"forward only, no bias", func(l layerSizes, in []*Node) *Node {
			return relu(Mul(in[3], l.convolve(in[0], in[1])))
		}, 0, 2},
	}
	for _, test := range tests {
		for _, l := range []layerSizes{
			{3, 16, 16, 3, 24, 3, 1, 1, 1}, {9, 12, 12, 24, 48, 3, 2, 1, 1},
			{2, 16, 16, 16, 96, 3, 1, 1, 1},
			{2, 33, 9, 8, 136, 3, 1, 1, 1}, {2, 20, 15, 8, 10, 3, 1, 1, 1},
			{1, 24, 24, 4, 32, 3, 1, 1, 1},
		} {
			fused := installed.fused.Load()
			agree(t, fmt.Sprintf("%s, %v", test.name, l), 1, 5e-6, func(in []*Node) []*Node {
				y := test.layer(l, in)
				outputs := []*Node{y}
				if test.inputs > 0 {
					outputs = append(outputs, Gradient(ReduceAllSum(Mul(y, in[4])),
						in[:test.inputs]...)...)
				}
				return outputs
			}, l.values()...)
			if count := int(installed.fused.Load() - fused); count < test.fused &&
				l.outputs%kernel.RowChannels == 0 {
				t.Errorf("%s, %v: %d nodes fused, want %d or more", test.name, l, count, test.fused)
			}
		}
	}
}

// Where the results of convolutions meet, forwards and backwards, one is added to the other while
// it's computed, with the same result to the last bit, unless something else reads it.
func TestResidualSumsAreFused(t *testing.T) {
	l := layerSizes{9, 16, 12, 16, 24, 3, 2, 1, 1}
	random := rand.New(rand.NewPCG(87, 88))
	values := append(l.values(), normals(random, 1, 1, l.inputs, l.outputs))
	build := func(in []*Node, shown bool) []*Node {
		branch, shortcut := l.convolve(in[0], in[1]),
			Convolve(in[0], in[5]).Strides(l.stride).Done()
		y := relu(Mul(Add(branch, shortcut), in[3]))
		results := append([]*Node{y}, Gradient(ReduceAllSum(Mul(y, in[4])), in[0], in[1], in[3],
			in[5])...)
		if shown {
			results = append(results, branch, shortcut)
		}
		return results
	}
	if more := fusedWhereHidden(t, "residual sums", build, values...); more != 1 {
		t.Errorf("%d nodes more are fused, want 1", more)
	}
}

// fusedWhereHidden checks that a graph agrees with the stock executors, and to the last bit with
// itself where what it fuses is shown. It returns how many nodes more are fused where that is
// hidden.
func fusedWhereHidden(t *testing.T, what string, build func(in []*Node, shown bool) []*Node,
	values ...any) (more int64) {
	t.Helper()
	hidden := func(in []*Node) []*Node { return build(in, false) }
	agree(t, what, 2, 2e-5, hidden, values...)
	fused := installed.fused.Load()
	want := run(t, func(in []*Node) []*Node { return build(in, true) }, values...)
	shown := installed.fused.Load() - fused
	for i, got := range run(t, hidden, values...) {
		compare(t, fmt.Sprintf("%s: output %d, as with all in memory", what, i), got, want[i], 0)
	}
	return installed.fused.Load() - fused - 2*shown
}

// A sum with the gradient of a kernel stays a sum, also where the images were repeated for samples.
func TestSumsWithKernelGradientsAreKept(t *testing.T) {
	l := layerSizes{3, 16, 16, 8, 24, 3, 1, 1, 1}
	for name, more := range map[string]func(gradient, kernel, bias *Node) *Node{
		"sum": func(gradient, kernel, _ *Node) *Node {
			return Add(gradient, MulScalar(kernel, 1000))
		},
		"product":   func(gradient, _, bias *Node) *Node { return Mul(gradient, bias) },
		"rectifier": func(gradient, _, _ *Node) *Node { return MaxScalar(gradient, 0) },
	} {
		agree(t, name, 1, 2e-5, func(in []*Node) []*Node {
			one := ExpandAxes(in[0], 1)
			repeated := Reshape(Concatenate([]*Node{one, one}, 1), 2*l.images, l.height, l.width,
				l.inputs)
			gradient := Gradient(ReduceAllSum(Square(l.convolve(repeated, in[1]))), in[1])[0]
			return []*Node{more(gradient, in[1], Reshape(in[2], 1, 1, 1, l.outputs))}
		}, l.values()...)
	}
}

// The stock executor reads beyond matrices, which the race detector's build doesn't allow, so loops
// are what to compare with.
func TestDotAgreesWithItsDefinition(t *testing.T) {
	needKernels(t)
	random := rand.New(rand.NewPCG(7, 8))
	for _, sizes := range []dotSizes{{128, 96, 72}, {64, 64, 64}, {101, 77, 10}, {3, 300, 200},
		{17, 4097, 1}, {5, 9, 6}, {2, 64, 10}} {
		left, right, weights := normals(random, sizes.rows, sizes.inner),
			normals(random, sizes.inner, sizes.columns), normals(random, sizes.rows, sizes.columns)
		calls := installed.calls.Load()
		got := run(t, func(in []*Node) []*Node {
			y := Dot(in[0], in[1]).Product()
			return append([]*Node{y}, Gradient(ReduceAllSum(Mul(y, in[2])), in[0], in[1])...)
		}, left, right, weights)
		if installed.calls.Load() < calls+3 {
			t.Errorf("%v: %d calls of the kernels, want 3 or more", sizes, installed.calls.Load()-
				calls)
		}
		want := sizes.products(tensors.MustCopyFlatData[float32](left),
			tensors.MustCopyFlatData[float32](right), tensors.MustCopyFlatData[float32](weights))
		for i, what := range []string{"output", "gradient of the left", "gradient of the right"} {
			compare(t, fmt.Sprintf("%v: %s", sizes, what), got[i], want[i], 3e-6)
		}
	}
}

// dotSizes are those of a product of matrices [rows, inner] and [inner, columns].
type dotSizes struct{ rows, inner, columns int }

// products are the product of two matrices, and its gradients for weights of the product's
// elements.
func (s dotSizes) products(left, right, weights []float32) [][]float32 {
	output, ofLeft, ofRight := make([]float64, len(weights)), make([]float64, len(left)),
		make([]float64, len(right))
	for i := range s.rows {
		for j := range s.inner {
			for k := range s.columns {
				l, r, w := float64(left[i*s.inner+j]), float64(right[j*s.columns+k]),
					float64(weights[i*s.columns+k])
				output[i*s.columns+k] += l * r
				ofLeft[i*s.inner+j] += r * w
				ofRight[j*s.columns+k] += l * w
			}
		}
	}
	var all [][]float32
	for _, values := range [][]float64{output, ofLeft, ofRight} {
		rounded := make([]float32, len(values))
		for i, value := range values {
			rounded[i] = float32(value)
		}
		all = append(all, rounded)
	}
	return all
}
