package implicit

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/nbbnn/workbench/internal/testkit"
)

// answered runs a search whose f is a Go function of the change, which returns f and its Jacobian.
func answered(p *problem, f func([]float64) (logits []float64, jacobian [][]float64)) {
	for q := range p.search() {
		logits, jacobian := f(q.change)
		q.logits, q.gradients = logits, nil
		for _, pull := range q.pulls {
			if pull == nil {
				pull = addScaled(slices.Clone(logits), -1, p.target)
			}
			gradient := make([]float64, len(q.change))
			for class, row := range jacobian {
				addScaled(gradient, pull[class], row)
			}
			q.gradients = append(q.gradients, gradient)
		}
	}
}

// newProblem returns the search for a change of two values that gives one logit.
func newProblem(target float64, lambdas ...float64) *problem {
	return &problem{target: []float64{target}, clean: make([]float32, 2),
		settings: Settings{Lambda: lambdas}.WithDefaults(1)}
}

// kinked is f(x) = x0 + |x1| around an image.
func kinked(image0, image1 float64) func([]float64) ([]float64, [][]float64) {
	return func(change []float64) ([]float64, [][]float64) {
		x0, x1 := image0+change[0], image1+change[1]
		return []float64{x0 + math.Abs(x1)}, [][]float64{{1, math.Copysign(1, x1)}}
	}
}

// On a kink the gradient jumps. The search ends there because zero is a mean of the gradients on
// both sides.
func TestSearchEndsOnAKink(t *testing.T) {
	p := newProblem(0, 1e-3)
	answered(p, kinked(1, 0.5))
	found := p.found[0]
	// Where x1 = 0, the objective is (1 + g0)^2/2 + lambda g0^2/2 + lambda/8 and lowest at g0 =
	// -1/(1 + lambda). The gradients with respect to g1 are ±(1 + g0) - lambda/2 there, of both
	// signs.
	testkit.Near(t, "change", found.change, []float64{-1 / 1.001, -0.5}, 2e-2)
	if found.subgradient > 1e-3 || found.steps >= p.settings.Steps {
		t.Errorf("subgradient %g after %d steps, want one below 0.001", found.subgradient,
			found.steps)
	}
	if found.subgradient > found.gradient {
		t.Errorf("subgradient %g is larger than the gradient %g", found.subgradient, found.gradient)
	}
}

// The order of the lambdas changes nothing.
func TestLambdasInAnyOrder(t *testing.T) {
	up, down := newProblem(0, 0.01, 0.1, 1), newProblem(0, 1, 0.1, 0.01)
	answered(up, kinked(1, 2))
	answered(down, kinked(1, 2))
	for i := range 3 {
		testkit.Near(t, "change", up.found[i].change, down.found[2-i].change, 0)
	}
}

// A draw whose logits are those of the network without noise needs no change.
func TestNothingToSearch(t *testing.T) {
	p := newProblem(1.5, 0.1)
	answered(p, kinked(1, 0.5))
	testkit.Near(t, "change", p.found[0].change, []float64{0, 0}, 0)
	if p.found[0].gradient != 0 || p.found[0].steps != 0 {
		t.Errorf("gradient %g after %d steps, want 0 after none", p.found[0].gradient,
			p.found[0].steps)
	}
}

// A search whose objective is infinite or no number at g = 0 would keep g = 0 for what it found.
func TestSearchRefusesObjectivesThatAreNotFinite(t *testing.T) {
	for _, method := range []Method{GaussNewton, Descent} {
		for _, bad := range []float64{math.Inf(1), math.NaN()} {
			p := newProblem(bad, 0.1)
			p.settings.Method = method
			answered(p, kinked(1, 0.5))
			testkit.Error(t, fmt.Sprint(method, ", target ", bad), p.err, "isn't finite")
		}
	}
}

// The step of a metric solves the equations of the whole Hessian.
func TestMetric(t *testing.T) {
	jacobian := [][]float64{{1, 2, 0, -1, 3}, {0, 1, 1, 0, -2}, {2, 0, -1, 1, 0}}
	v := []float64{1, -2, 3, 0.5, -1}
	for _, l := range []float64{1e-3, 1, 1e3} {
		hessian := mat.NewDense(5, 5, nil)
		for i := range 5 {
			for j := range 5 {
				for _, row := range jacobian {
					hessian.Set(i, j, hessian.At(i, j)+row[i]*row[j])
				}
			}
			hessian.Set(i, i, hessian.At(i, i)+l)
		}
		var want mat.VecDense
		testkit.NoError(t, want.SolveVec(hessian, mat.NewVecDense(5, v)))
		step := newMetric(jacobian).descend(v, l)
		for i := range step {
			step[i] = -step[i]
		}
		testkit.Near(t, "solution", step, want.RawVector().Data, 1e-9/l)
	}
}

func TestShortestMean(t *testing.T) {
	for _, c := range []struct {
		name    string
		vectors [][]float64
		want    float64
	}{
		{"one", [][]float64{{3, 4}}, 5},
		{"two on both sides", [][]float64{{1, 0.1}, {-3, 0.1}}, 0.1},
		{"the nearer of two on one side", [][]float64{{1, 1}, {3, 1}}, math.Sqrt2},
		{"a triangle around zero", [][]float64{{1, 0}, {-1, 1}, {-1, -1}}, 0},
		{"equal ones", [][]float64{{0, 2}, {0, 2}}, 2},
	} {
		mean := make([]float64, 2)
		for i, weight := range shortestMean(c.vectors) {
			addScaled(mean, weight, c.vectors[i])
		}
		testkit.Near(t, c.name, norm(mean), c.want, 1e-2*c.want+1e-3)
	}
}

// Corruptions that Descent found before there was a choice are found again under their settings.
func TestSettingsOfDescentKeepTheirName(t *testing.T) {
	data, err := json.Marshal(Settings{Method: Descent}.WithDefaults(1))
	const want = `{"draws":1,"lambda":[0.03,0.1,0.3],"seed":0,"latents":"mean","expected":0,` +
		`"space":"normalised","rate":0.1,"steps":500,"tolerance":0.0001}`
	if err != nil || string(data) != want {
		t.Errorf("settings are written as %s (%v), want %s", data, err, want)
	}
	hash, err := Settings{}.WithDefaults(1).hash()
	if old, _ := (Settings{Method: Descent}).WithDefaults(1).hash(); err != nil || hash == old {
		t.Errorf("both methods have the hash %s (%v)", hash, err)
	}
}

// objective returns what a search minimised, 1/2 Distance^2 + Lambda/2 Norm^2.
func objective(c Corruption) float64 {
	return (math.Pow(c.Distance(), 2) + c.Lambda*math.Pow(c.Norm, 2)) / 2
}

// Both methods minimise the same objective. This network hasn't learnt anything and its images have
// areas of one colour, so that many ReLUs switch at once: the hardest case for either.
func TestGaussNewtonReachesWhatDescentReaches(t *testing.T) {
	m, data := newModel(t, tiny())
	for _, space := range []Space{NormalisedSpace, PixelSpace} {
		settings := Settings{Lambda: []float64{0.03, 0.3}, Space: space}
		found := testkit.Must(Search(t.Context(), m, data.Test, settings, Store{}, nil))(t)
		settings.Method, settings.Steps = Descent, 200
		before := testkit.Must(Search(t.Context(), m, data.Test, settings, Store{}, nil))(t)
		for i, c := range found {
			if objective(c) > 1.05*objective(before[i]) {
				t.Errorf("%s, search %d: objective %g, with descent %g",
					space, i, objective(c), objective(before[i]))
			}
			if !(c.Gradient > 0 && c.Subgradient <= 1.001*c.Gradient) {
				t.Errorf("%s, search %d: gradient %g, subgradient %g after %d steps",
					space, i, c.Gradient, c.Subgradient, c.Steps)
			}
			testkit.Near(t, "target", c.Target, before[i].Target, 1e-5)
		}
	}
}

// The gradient of the misfit is that of the logits' product with it.
func TestPullGraph(t *testing.T) {
	m, data := newModel(t, tiny())
	f, args := outputOf(m, Settings{}.WithDefaults(2))
	program := testkit.Must(m.NewProgram("pull", pullGraph(f)))(t)
	images := m.Normalised(data.Test.Slice(0, 2), 1)
	call := func(target, direction []float32, residual float32) (logits, pull []float32) {
		outputs := testkit.Must(program.Call(append([]any{
			images, tensors.FromFlatDataAndDimensions(target, 2, 10),
			tensors.FromFlatDataAndDimensions(direction, 2, 10),
			tensors.FromFlatDataAndDimensions([]float32{residual, residual}, 2, 1),
		}, args...)))(t)
		return tensors.MustCopyFlatData[float32](outputs[0]),
			tensors.MustCopyFlatData[float32](outputs[1])
	}
	target := make([]float32, 20)
	logits, byTarget := call(target, make([]float32, 20), 1)
	_, byDirection := call(target, logits, 0)
	testkit.Near(t, "gradient of 1/2 |f|^2", byTarget, byDirection, 1e-6)
	if squares(byTarget) == 0 {
		t.Error("the gradient is zero")
	}
}
