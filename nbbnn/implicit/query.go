package implicit

import "slices"

// query asks for f and for gradients at a change of the image. Its answer is written into it.
type query struct {
	change []float64   // in the units of the search, where the penalty is lambda/2 |change|^2
	pulls  [][]float64 // each asks for the gradient of its product with f; nil stands for f - target

	logits    []float64
	gradients [][]float64 // one for each pull
}

// asker passes a query on and returns when it is answered, or false if the search is to stop.
type asker func(*query) bool

// point asks for f at a change.
func (ask asker) point(change, target []float64) (p point, ok bool) {
	q := &query{change: change, pulls: [][]float64{nil}}
	if !ask(q) {
		return p, false
	}
	p = point{change: change, logits: q.logits, pull: q.gradients[0]}
	for i, logit := range q.logits {
		p.misfit += (target[i] - logit) * (target[i] - logit) / 2
	}
	return p, true
}

// jacobian asks for the derivative of f at a change, [classes][values].
func (ask asker) jacobian(change []float64, classes int) (jacobian [][]float64, ok bool) {
	q := &query{change: change, pulls: make([][]float64, classes)}
	for class := range q.pulls {
		q.pulls[class] = make([]float64, classes)
		q.pulls[class][class] = 1
	}
	ok = ask(q)
	return q.gradients, ok
}

// point is a change of the image with what its evaluation gave.
type point struct {
	change []float64
	logits []float64
	misfit float64   // 1/2 |target - logits|^2
	pull   []float64 // gradient of the misfit
}

// objective returns the misfit with the penalty.
func (p point) objective(lambda float64) float64 {
	return p.misfit + lambda/2*dot(p.change, p.change)
}

// slope returns the gradient of the objective.
func (p point) slope(lambda float64) []float64 {
	return addScaled(slices.Clone(p.pull), lambda, p.change)
}

// dot returns the product of two vectors.
func dot(a, b []float64) (sum float64) {
	for i, value := range a {
		sum += value * b[i]
	}
	return sum
}

// addScaled adds factor times b to a and returns a.
func addScaled(a []float64, factor float64, b []float64) []float64 {
	for i, value := range b {
		a[i] += factor * value
	}
	return a
}
