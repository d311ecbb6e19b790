package methods

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/baseline"
)

// bowl is f(w) = (3 w0^2 + w1^2)/2 + w0 w1 of the oracles.
func bowl(w *Node) *Node {
	w0, w1 := Slice(w, AxisElem(0)), Slice(w, AxisElem(1))
	squares := Add(MulScalar(Square(w0), 1.5), MulScalar(Square(w1), 0.5))
	return ReduceAllSum(Add(squares, Mul(w0, w1)))
}

func TestAscentAgreesWithOracles(t *testing.T) {
	for name, adaptive := range map[string]bool{"sam": false, "asam": true} {
		t.Run(name, func(t *testing.T) {
			o := oracle[struct {
				W, Grad, Perturbation []float64
				Rho                   float64
				Moved                 []float64 `json:"grad_at_perturbed"`
				After                 []float64 `json:"w_after_sgd_lr_0_1"`
			}](t, name)
			outputs := run(t, func(args []*Node) []*Node {
				w := args[0]
				gradient := Gradient(bowl(w), w)[0]
				// The norm is over all parameters, here two of one value each.
				at := func(x *Node, i int) *Node { return Slice(x, AxisRange(i, i+1)) }
				moves := ascent(
					[]*Node{at(w, 0), at(w, 1)}, []*Node{at(gradient, 0), at(gradient, 1)}, o.Rho,
					adaptive)
				move := Concatenate(moves, 0)
				moved := Gradient(bowl(Add(w, StopGradient(move))), w)[0]
				return []*Node{gradient, move, moved, Sub(w, MulScalar(moved, 0.1))}
			}, o.W)
			for i, want := range [][]float64{o.Grad, o.Perturbation, o.Moved, o.After} {
				testkit.Near(t, []string{"gradient", "move", "gradient after the move",
					"weights"}[i], outputs[i], want, 1e-9)
			}
		})
	}
}

// Without a gradient there is no move, and nothing that isn't finite.
func TestAscentWithoutAGradient(t *testing.T) {
	zeros := []float64{0, 0}
	move := run(t, func(args []*Node) []*Node {
		return ascent(args[:1], args[1:], 0.5, true)
	}, []float64{1, -2}, zeros)[0]
	testkit.Near(t, "move", move, zeros, 0)
}

func normals(random *rand.Rand, count int) []float64 {
	values := make([]float64, count)
	for i := range values {
		values[i] = random.NormFloat64()
	}
	return values
}

// The running statistics of batch normalisation are those of MAP, the first pass, unless both
// passes update them. The weights differ in any case.
func TestRunningStatisticsOfSAM(t *testing.T) {
	const running, weights = "running.stage4.block2.norm2.mean", "theta.dense.weights"
	plain := valuesAfter(t, testStepper(t, Method{Name: baseline.MAP}, testSettings()), 1)
	for _, name := range []baseline.Name{baseline.SAM, baseline.ASAM} {
		first := valuesAfter(t, testStepper(t, Method{Name: name}, testSettings()), 1)
		both := valuesAfter(t, testStepper(t, Method{Name: name, BothPasses: true}, testSettings()),
			1)
		testkit.Near(t, string(name)+": "+running, first[running], plain[running], 0)
		testkit.Near(t, string(name)+": weights with both passes", both[weights], first[weights], 0)
		if slices.Equal(both[running], first[running]) {
			t.Errorf("%s: both passes leave the running statistics of the first", name)
		}
		if slices.Equal(first[weights], plain[weights]) {
			t.Errorf("%s takes the step of MAP", name)
		}
	}
}
