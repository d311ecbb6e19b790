package implicit

import (
	"context"
	"iter"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/npy"
)

// evaluator answers the queries of many searches, a batch of gradients at a time.
type evaluator struct {
	call       func([]any) ([]*tensors.Tensor, error)
	ofNetwork  []any // arguments of f
	rows       int   // of a batch
	dimensions []int // of an image
}

// pullGraph returns the graph that maps images [rows, ...], targets and directions [rows, classes]
// and a switch [rows, 1] to the logits [rows, classes] and to the gradient with respect to the
// images of the logits' product with
//
//	direction + switch (logits - target)
func pullGraph(f output) func(args []*Node) []*Node {
	return func(args []*Node) []*Node {
		images, target, direction, residual := args[0], args[1], args[2], args[3]
		logits := f(images, args[4:])
		pull := StopGradient(Add(direction, Mul(residual, Sub(logits, target))))
		return []*Node{logits, Gradient(ReduceAllSum(Mul(logits, pull)), images)[0]}
	}
}

// running is a search with the query that it waits for.
type running struct {
	*problem
	next  func() (*query, bool)
	stop  func()
	query *query
}

// run searches for the solutions of all problems at once. It calls progress with the sum of the
// steps that are done.
func (e evaluator) run(ctx context.Context, problems []*problem, progress func(steps int)) error {
	var active []*running
	for _, p := range problems {
		r := &running{problem: p}
		r.next, r.stop = iter.Pull(p.search())
		defer r.stop()
		active = append(active, r)
	}
	for {
		var err error
		if active, err = waiting(active); err != nil || len(active) == 0 {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := e.answer(active); err != nil {
			return err
		}
		steps := 0
		for _, p := range problems {
			steps += p.done
		}
		progress(steps)
	}
}

// waiting continues the searches and returns the ones waiting for the answer to a query, in the
// same memory.
func waiting(active []*running) ([]*running, error) {
	unanswered := active[:0]
	for _, r := range active {
		query, more := r.next()
		if !more {
			if r.err != nil {
				return nil, r.err
			}
			continue
		}
		r.query = query
		unanswered = append(unanswered, r)
	}
	return unanswered, nil
}

// pulled is one gradient that a query asks for.
type pulled struct {
	*running
	index int
}

// answer answers the queries of searches.
func (e evaluator) answer(all []*running) error {
	var asked []pulled
	for _, r := range all {
		r.query.gradients = make([][]float64, len(r.query.pulls))
		for i := range r.query.pulls {
			asked = append(asked, pulled{r, i})
		}
	}
	for first := 0; first < len(asked); first += e.rows {
		if err := e.batch(asked[first:min(first+e.rows, len(asked))]); err != nil {
			return err
		}
	}
	return nil
}

// batch computes up to a batch of gradients. It repeats the last one if there are fewer: one shape,
// one compiled graph.
func (e evaluator) batch(asked []pulled) error {
	size, classes := len(asked[0].clean), len(asked[0].target)
	images := make([]float32, 0, e.rows*size)
	targets, directions := make([]float32, 0, e.rows*classes), make([]float32, e.rows*classes)
	residual := make([]float32, e.rows)
	for row := range e.rows {
		one := asked[min(row, len(asked)-1)]
		for i, pixel := range one.clean {
			images = append(images,
				float32(float64(pixel)+one.query.change[i]*one.unit[i%len(one.unit)]))
		}
		for _, value := range one.target {
			targets = append(targets, float32(value))
		}
		pull := one.query.pulls[one.index]
		if pull == nil {
			residual[row] = 1
		}
		for i, value := range pull {
			directions[row*classes+i] = float32(value)
		}
	}
	outputs, err := e.call(append([]any{
		tensors.FromFlatDataAndDimensions(images, append([]int{e.rows}, e.dimensions...)...),
		tensors.FromFlatDataAndDimensions(targets, e.rows, classes),
		tensors.FromFlatDataAndDimensions(directions, e.rows, classes),
		tensors.FromFlatDataAndDimensions(residual, e.rows, 1),
	}, e.ofNetwork...))
	if err != nil {
		return err
	}
	return e.read(asked, outputs[0], outputs[1])
}

// read writes the logits and the gradients of a batch into its queries.
func (e evaluator) read(asked []pulled, logits, gradients *tensors.Tensor) error {
	outputs, err := tensors.CopyFlatData[float32](logits)
	if err != nil {
		return err
	}
	slopes, err := tensors.CopyFlatData[float32](gradients)
	if err != nil {
		return err
	}
	size, classes := len(asked[0].clean), len(asked[0].target)
	for row, one := range asked {
		gradient := npy.Float64s(slopes[row*size:][:size])
		for i := range gradient {
			gradient[i] *= one.unit[i%len(one.unit)]
		}
		one.query.gradients[one.index] = gradient
		one.query.logits = npy.Float64s(outputs[row*classes:][:classes])
	}
	return nil
}
