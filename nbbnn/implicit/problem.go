package implicit

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/npy"
)

// problem is the search for the corruptions of one image and one draw of the latents, for every
// lambda.
type problem struct {
	clean    []float32 // the image's normalised pixels
	target   []float64
	unit     []float64 // normalised pixels of one unit of the search, by channel
	settings Settings  // filled

	found []solution // by lambda, filled by search
	done  int        // steps for all lambdas, of the most that settings allow
	err   error
}

// solution is the result of a search for one lambda.
type solution struct {
	point
	steps       int     // points at which f was computed
	gradient    float64 // norm of the gradient, relative to that at change 0
	subgradient float64 // of the shortest mean of nearby gradients
}

// search finds the solutions. It yields queries, each answered before the next.
func (p *problem) search() iter.Seq[*query] {
	return func(yield func(*query) bool) {
		p.found = make([]solution, len(p.settings.Lambda))
		if p.settings.Method != Descent {
			p.gaussNewton(yield)
			return
		}
		for i, lambda := range p.settings.Lambda {
			found, ok := p.descend(yield, lambda)
			if !ok {
				return
			}
			p.found[i], p.done = found, (i+1)*p.settings.Steps
		}
	}
}

// gaussNewton searches from the largest lambda down, and starts each search at the solution before:
// a smaller lambda has its solution further from zero.
func (p *problem) gaussNewton(ask asker) {
	best, ok := ask.point(make([]float64, len(p.clean)), p.target)
	if !ok {
		return
	}
	initial := norm(best.pull)
	if p.err = checkFinite(best.misfit + initial); p.err != nil {
		return
	}
	for _, i := range p.largestFirst() {
		d := newtonDescent{asker: ask, problem: p, lambda: p.settings.Lambda[i], initial: initial,
			best: best}
		if !d.run() {
			return
		}
		p.found[i], best = d.solution(), d.best
		p.done += p.settings.Steps
	}
}

// largestFirst returns the indices of the lambdas from the largest down.
func (p *problem) largestFirst() []int {
	order := make([]int, len(p.settings.Lambda))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(p.settings.Lambda[b], p.settings.Lambda[a])
	})
	return order
}

// values searches for some images, at most a batch.
func (s *search) values(ctx context.Context, first, count int) (values, error) {
	images := s.batchFrom(first)
	targets, err := s.drawTargets(images, first)
	if err != nil {
		return values{}, err
	}
	logits, err := tensors.CopyFlatData[float32](targets)
	if err != nil {
		return values{}, err
	}
	problems, err := s.newProblems(images.Slice(0, count), logits)
	if err != nil {
		return values{}, err
	}
	e := evaluator{
		call: s.pull.Call, ofNetwork: s.ofNetwork, rows: min(s.rows, s.batch*s.settings.Draws),
		dimensions: []int{images.Height, images.Width, 3},
	}
	total := len(problems) * len(s.settings.Lambda)
	err = e.run(ctx, problems, func(steps int) { s.report(first, steps/total) })
	return solutionValues(problems, logits[:len(problems)*s.model.Classes], s.model.Std), err
}

// newProblems returns the problem of each image and draw. The logits are the targets, [images,
// draws, classes].
func (s *search) newProblems(images dataset.Images, logits []float32) (problems []*problem,
	err error) {
	pixels, err := tensors.CopyFlatData[float32](s.model.Normalised(images, 1))
	if err != nil {
		return nil, err
	}
	classes, size, unit := s.model.Classes, images.Height*images.Width*3,
		s.settings.Space.units(s.model.Std)
	for row := range images.Count() * s.settings.Draws {
		problems = append(problems, &problem{
			clean:  pixels[row/s.settings.Draws*size:][:size],
			target: npy.Float64s(logits[row*classes:][:classes]),
			unit:   unit, settings: s.settings,
		})
	}
	return problems, nil
}

// solutionValues returns the solutions of problems.
func solutionValues(problems []*problem, targets []float32, std [3]float64) values {
	v := values{target: targets}
	for _, p := range problems {
		for _, s := range p.found {
			for i, value := range s.change {
				v.change = append(v.change, float32(value*p.unit[i%3]*std[i%3]))
			}
			for _, logit := range s.logits {
				v.reached = append(v.reached, float32(logit))
			}
			v.steps = append(v.steps, float32(s.steps))
			v.gradient = append(v.gradient, float32(s.gradient))
			v.subgradient = append(v.subgradient, float32(s.subgradient))
		}
	}
	return v
}

// query asks for f and for gradients at a change of the image. Its answer is written into it.
type query struct {
	change []float64 // in the units of the search, where the penalty is lambda/2 |change|^2
	// each asks for the gradient of its product with f; nil means f - target
	pulls [][]float64

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

// point is a change of the image with its evaluation.
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
