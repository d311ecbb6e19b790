package implicit

import "gonum.org/v1/gonum/mat"

// metric is J'J of the Jacobian of f, the Hessian of the misfit where f is linear. It has as many
// positive eigenvalues as f has classes, so that J'J + l I is inverted by solving one equation for
// each class:
//
//	(J'J + l I)^-1 v = (v - J' (J J' + l I)^-1 J v) / l
type metric struct {
	jacobian [][]float64 // [classes][values]
	gram     *mat.SymDense
}

func newMetric(jacobian [][]float64) metric {
	m := metric{jacobian, mat.NewSymDense(len(jacobian), nil)}
	for i, row := range jacobian {
		for j := range i + 1 {
			m.gram.SetSym(i, j, dot(row, jacobian[j]))
		}
	}
	return m
}

// size returns the mean of the positive eigenvalues.
func (m metric) size() float64 {
	return mat.Trace(m.gram) / float64(len(m.jacobian))
}

// descend returns the step -(J'J + l I)^-1 v, for l above 0.
func (m metric) descend(v []float64, l float64) []float64 {
	classes := len(m.jacobian)
	shifted, right := mat.NewSymDense(classes, nil), mat.NewVecDense(classes, nil)
	shifted.CopySym(m.gram)
	for i, row := range m.jacobian {
		shifted.SetSym(i, i, shifted.At(i, i)+l)
		right.SetVec(i, dot(row, v))
	}
	step := make([]float64, len(v))
	addScaled(step, -1/l, v)
	var factors mat.Cholesky
	weights := mat.NewVecDense(classes, nil)
	if !factors.Factorize(shifted) || factors.SolveVecTo(weights, right) != nil {
		return step // l is lost in rounding: an ordinary gradient step
	}
	for i, row := range m.jacobian {
		addScaled(step, weights.AtVec(i)/l, row)
	}
	return step
}
