package implicit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// linear is f(x) = A x + b of one image, whose implicit corruptions have a closed form.
type linear struct {
	A    [][]float64 // [classes][values]
	B    []float64   `json:"b"`
	X    []float64   `json:"x"`
	Goal []float64   `json:"target"`
}

// f is the map of rows [rows, values].
func (l linear) f(x *Node, _ []*Node) *Node {
	// [classes, values]
	matrix := Const(x.Graph(), float32Rows(l.A))
	// [rows, classes]
	return Add(DotProduct(x, Transpose(matrix, 0, 1)),
		Const(x.Graph(), float32Rows([][]float64{l.B})))
}

// search searches for every lambda and returns the changes, [lambdas][values].
func (l linear) search(t *testing.T, settings Settings) (changes [][]float32) {
	t.Helper()
	return l.searchIn(t, []float64{1}, settings)
}

// searchIn is search in units of the values, one after the other.
func (l linear) searchIn(t *testing.T, unit []float64, settings Settings) (changes [][]float32) {
	t.Helper()
	e := testkit.Must(engine.Open())(t)
	exec := testkit.Must(NewExec(e.Backend, pullGraph(l.f)))(t)
	settings = settings.WithDefaults(1)
	evaluator := evaluator{
		call: func(args []any) ([]*tensors.Tensor, error) { return exec.Call(args...) },
		rows: 3, dimensions: []int{len(l.X)},
	}
	p := &problem{clean: float32Rows([][]float64{l.X})[0], target: l.Goal, unit: unit,
		settings: settings}
	before := -1
	testkit.NoError(t, evaluator.run(t.Context(), []*problem{p}, func(steps int) {
		if steps < before || steps == before && settings.Method == Descent {
			t.Errorf("%d steps are done after %d, want more with each step of a descent", steps,
				before)
		}
		before = steps
	}))
	if want := settings.Steps * len(settings.Lambda); p.done != want {
		t.Errorf("%d steps are done at the end, want %d", p.done, want)
	}
	for _, s := range p.found {
		changes = append(changes, float32Rows([][]float64{s.change})[0])
	}
	return changes
}

func float32Rows(values [][]float64) [][]float32 {
	rows := make([][]float32, len(values))
	for i, row := range values {
		for _, value := range row {
			rows[i] = append(rows[i], float32(value))
		}
	}
	return rows
}

// A linear network's implicit corruptions are (A'A + lambda I)^-1 A'(t - f(x)) (oracles.json,
// implicit.linear).
func TestImplicitCorruptionsOfALinearNetwork(t *testing.T) {
	l := testkit.Oracle[linear](t, "implicit", "linear")
	solutions := testkit.Oracle[map[string]struct {
		G     []float64
		NormG float64 `json:"norm_g"`
	}](t, "implicit", "linear", "solutions")
	for _, c := range []struct {
		name                string
		settings            Settings
		tolerance, ofLength float64
	}{
		{"Gauss-Newton", Settings{}, 2e-6, 2e-6},
		{"descent", Settings{Method: Descent}, 5e-4, 3e-4},
		{"descent from a random start", Settings{Method: Descent, Start: 0.7}, 3e-3, 2e-3},
		{"descent with a rate that is far too high", Settings{Method: Descent, Rate: 1e9}, 1e-3,
			5e-4},
	} {
		c.settings.Lambda = []float64{0.01, 0.03, 0.1, 0.3}
		for i, g := range l.search(t, c.settings) {
			lambda := strconv.FormatFloat(c.settings.Lambda[i], 'g', -1, 64)
			testkit.Near(t, c.name+": change for lambda "+lambda, g, solutions[lambda].G,
				c.tolerance)
			testkit.Near(t, c.name+": its length for lambda "+lambda, math.Sqrt(squares(g)),
				solutions[lambda].NormG, c.ofLength)
		}
	}
}

// The rate is of normalised pixels, a unit times each value: the first step from no change moves
// them by -rate A'(f(x) - t), whatever the units are.
func TestDescentStepsInNormalisedPixels(t *testing.T) {
	l := testkit.Oracle[linear](t, "implicit", "linear")
	step := func(unit ...float64) []float32 {
		return l.searchIn(t, unit, Settings{Method: Descent, Rate: 1e-4, Steps: 2,
			Lambda: []float64{0.1}})[0]
	}
	plain, scaled := step(1), step(2, 0.5)
	for i, unit := range []float64{2, 0.5} {
		for k := i; k < len(plain); k += 2 {
			if want := float64(plain[k]) / unit; math.Abs(float64(scaled[k])-want) > 1e-4*math.Abs(
				want)+1e-9 {
				t.Errorf("value %d changes by %g with the unit %g, want %g", k, scaled[k], unit,
					want)
			}
		}
	}
}

// A descent that is stopped at once has most of its random start left, the same for every lambda.
func TestStoppedDescentKeepsItsStart(t *testing.T) {
	l := testkit.Oracle[linear](t, "implicit", "linear")
	changes := l.search(t, Settings{Method: Descent, Start: 0.7, Rate: 1e-3, Steps: 2,
		Lambda: []float64{0.01, 0.3}})
	rms := math.Sqrt(squares(changes[0]) / float64(len(l.X)))
	if rms < 0.3 || rms > 1.5 {
		t.Errorf("root mean square %g, want about 0.7", rms)
	}
	for i := range changes[0] {
		if math.Abs(float64(changes[0][i]-changes[1][i])) > 0.01 {
			t.Errorf("value %d is %g for one lambda and %g for the other", i, changes[0][i],
				changes[1][i])
		}
	}
}

// The gradient with respect to the image, from the first convolution on, is what differences of the
// objective say, in all networks and modes.
func TestImplicitGradientReachesTheImage(t *testing.T) {
	for _, name := range network.Names() {
		for _, mode := range []network.Mode{network.Output, network.Both} {
			of := network.Settings{Network: network.Network{Name: name, Width: 4},
				Posterior: network.Posterior{Components: 2, Mode: mode}}
			testGradient(t, of, Settings{})
			testGradient(t, of, Settings{Expected: 4})
		}
	}
}

func testGradient(t *testing.T, of network.Settings, settings Settings) {
	t.Helper()
	const lambda = 0.3
	settings = settings.WithDefaults(2)
	name := fmt.Sprintf("%s, mode %s, %d expected draws", of.Network.Name, of.Posterior.Mode,
		settings.Expected)
	n, data := newModel(t, of)
	f, ofNetwork := outputOf(n, settings)
	pull := testkit.Must(n.NewProgram("pull", pullGraph(f)))(t)
	e := evaluator{call: pull.Call, ofNetwork: ofNetwork, rows: 2,
		dimensions: []int{n.Height, n.Width, 3}}
	pixels := tensors.MustCopyFlatData[float32](n.Normalised(data.Test.Slice(0, 2), 1))
	size := len(pixels) / 2
	random := rand.New(rand.NewPCG(3, 0))
	targets, changes := make([]float64, 2*n.Classes), make([]float64, 2*size)
	for i := range targets {
		targets[i] = random.NormFloat64()
	}
	for i := range changes {
		changes[i] = 0.1 * random.NormFloat64()
	}
	for row := range 2 {
		p := &problem{clean: pixels[row*size:][:size], target: targets[row*n.Classes:][:n.Classes],
			unit: []float64{1}}
		ask := asker(func(q *query) bool {
			testkit.NoError(t, e.answer([]*running{{problem: p, query: q}}))
			return true
		})
		here := changes[row*size:][:size]
		at, _ := ask.point(here, p.target)
		slope := at.slope(lambda)
		length := norm(slope)
		if length == 0 || math.IsNaN(length) {
			t.Fatalf("%s: gradient of image %d has the length %g, want a positive one", name, row,
				length)
		}
		// of the change of the image, both ways along the gradient, where rounding matters least
		const reach = 0.01
		moved := func(sign float64) float64 {
			p, _ := ask.point(addScaled(slices.Clone(here), sign*reach/length, slope), p.target)
			return p.objective(lambda)
		}
		testkit.Near(t, fmt.Sprintf("%s: derivative at image %d along its gradient, relative", name,
			row), (moved(1)-moved(-1))/(2*reach)/length, 1.0, 0.03)
	}
}

// The shift of a change, and the same to first order (oracles.json, implicit.mss).
func TestShiftOfTwoLayers(t *testing.T) {
	o := testkit.Oracle[struct {
		W1, W2, X, G [][]float64
		B1, B2       []float64
		True         [][]float64 `json:"true_shift"`
		Taylor       [][]float64 `json:"taylor_shift"`
		Exact        float64     `json:"MSS_true"`
		FirstOrder   float64     `json:"MSS_taylor"`
	}](t, "implicit", "mss")
	e := testkit.Must(engine.Open())(t)
	first, second := linear{A: o.W1, B: o.B1}, linear{A: o.W2, B: o.B2}
	exec := testkit.Must(NewExec(e.Backend, shiftGraph(func(x *Node) *Node {
		return second.f(MaxScalar(first.f(x, nil), 0), nil)
	})))(t)
	call := func(args []any) ([]*tensors.Tensor, error) { return exec.Call(args...) }
	shifts := testkit.Must(shiftsOf(call, tensors.FromValue(float32Rows(o.X)),
		tensors.FromValue(float32Rows(o.G)), 2, nil))(t)
	for i, shift := range shifts {
		testkit.Near(t, fmt.Sprintf("shift of image %d", i), shift.exact, o.True[i], 1e-6)
		testkit.Near(t, fmt.Sprintf("shift of image %d to first order", i), shift.firstOrder,
			o.Taylor[i], 1e-6)
	}
	exact, firstOrder := meanSquared(shifts)
	testkit.Near(t, "mean squared shift", exact, o.Exact, 1e-6)
	testkit.Near(t, "mean squared shift to first order", firstOrder, o.FirstOrder, 1e-6)
}
