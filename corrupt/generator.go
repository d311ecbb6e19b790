package corrupt

import (
	"context"
	"fmt"
	"sync"

	"github.com/nbbnn/workbench/internal/random"
)

// generator corrupts images of one size with one corruption, one by one.
type generator struct {
	config  Config
	entry   entry
	workers sync.Pool // of *worker
}

// worker is an operator with its draws, whose buffers serve one image at a time.
type worker struct {
	operator operator
	draws    draws
}

// newGenerator prepares the corruption of images of one size.
func newGenerator(config Config, size Size) (*generator, error) {
	entry, err := config.validate(size)
	if err != nil {
		return nil, err
	}
	setup, err := config.setup(size)
	if err != nil {
		return nil, err
	}
	g := &generator{config: config, entry: entry}
	g.workers.New = func() any { return &worker{operator: entry.build(setup)} }
	return g, nil
}

// one corrupts the image at a position of its data set.
func (g *generator) one(ctx context.Context, position int, image, out []uint8) (err error) {
	if ctx.Err() != nil {
		return fmt.Errorf("corrupt: stopped in %s at severity %d: %w", g.entry.name,
			g.config.Severity, ctx.Err())
	}
	defer func() {
		if value := recover(); value != nil {
			wrong, known := value.(fault)
			if !known {
				panic(value)
			}
			err = fmt.Errorf("corrupt: %s, image %d, severity %d: %s", g.entry.name, position,
				g.config.Severity, wrong)
		}
	}()
	w := g.workers.Get().(*worker)
	defer g.workers.Put(w)
	rng := random.New(g.config.Seed, random.Corruption, g.entry.stream, uint64(g.config.Severity),
		uint64(position))
	w.operator.draw(rng, image, &w.draws)
	w.operator.apply(image, &w.draws, out)
	return nil
}
