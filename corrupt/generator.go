package corrupt

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/nbbnn/workbench/internal/random"
)

// Generator corrupts images of one size with one corruption. It makes its tables, buffers and
// textures once, which saves time when a set is corrupted piece by piece.
type Generator struct {
	config    Config
	entry     entry
	size      Size
	setup     setup
	operators []operator // one a worker, made when it first works
	draws     []draws    // likewise
}

// NewGenerator prepares the corruption of images of one size.
func NewGenerator(config Config, size Size) (*Generator, error) {
	entry, err := config.validate(size)
	if err != nil {
		return nil, err
	}
	setup, err := config.setup(size)
	if err != nil {
		return nil, err
	}
	workers := config.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return &Generator{
		config: config, entry: entry, size: size, setup: setup,
		operators: make([]operator, workers), draws: make([]draws, workers),
	}, nil
}

// Generate writes corrupted copies of the images in pixels, [count, height, width, 3] RGB, to out,
// which has the same length and doesn't overlap them. Image i gets the draws of position
// Config.First+first+i of its data set. Cancelling the context stops between two images. An error
// of a registered corruption names the first image that it fails for. A generator serves one call
// at a time.
func (g *Generator) Generate(ctx context.Context, first int, pixels, out []uint8) error {
	values := g.size.Values()
	switch {
	case first < 0:
		return fmt.Errorf("corrupt: first image %d: want 0 or more", first)
	case len(pixels)%values != 0:
		return fmt.Errorf("corrupt: %d bytes are no whole number of %v RGB images: want a multiple of %d", len(pixels), g.size, values)
	case len(out) != len(pixels):
		return fmt.Errorf("corrupt: %d bytes for the copies of %d: want as many", len(out), len(pixels))
	}
	batch := batch{first: g.config.First + first, count: len(pixels) / values, pixels: pixels, out: out}
	var group sync.WaitGroup
	for worker := range min(len(g.operators), batch.count) {
		group.Go(func() { g.work(ctx, worker, &batch) })
	}
	group.Wait()
	switch {
	case batch.failure != nil:
		return batch.failure
	case int(batch.next.Load()) < batch.count:
		return fmt.Errorf("corrupt: stopped in %s at severity %d: %w", g.config.Corruption, g.config.Severity, ctx.Err())
	}
	return nil
}

// batch is one call of Generate: each worker takes the next image until none is left or one fails.
type batch struct {
	first, count int
	pixels, out  []uint8
	next         atomic.Int64

	mutex   sync.Mutex
	failed  int   // the first image that failed, if any
	failure error // nil: none
}

// fail keeps the error of the first failing image and lets the workers stop.
func (b *batch) fail(image int, err error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.failure == nil || image < b.failed {
		b.failed, b.failure = image, err
	}
	b.next.Store(int64(b.count))
}

// work corrupts images with an operator of its own, whose buffers no other worker sees.
func (g *Generator) work(ctx context.Context, worker int, batch *batch) {
	if g.operators[worker] == nil {
		g.operators[worker] = g.entry.build(g.setup)
	}
	values := g.size.Values()
	for ctx.Err() == nil {
		i := int(batch.next.Add(1)) - 1
		if i >= batch.count {
			return
		}
		image, out := batch.pixels[i*values:(i+1)*values], batch.out[i*values:(i+1)*values]
		if err := g.one(worker, batch.first+i, image, out); err != nil {
			batch.fail(i, err)
		}
	}
}

// one corrupts the image at a position of its data set.
func (g *Generator) one(worker, position int, image, out []uint8) (err error) {
	defer func() {
		if value := recover(); value != nil {
			wrong, known := value.(fault)
			if !known {
				panic(value)
			}
			err = fmt.Errorf("corrupt: %s, image %d, severity %d: %s", g.entry.name, position, g.config.Severity, wrong)
		}
	}()
	operator, draws := g.operators[worker], &g.draws[worker]
	rng := random.New(g.config.Seed, random.Corruption, g.entry.stream, uint64(g.config.Severity), uint64(position))
	operator.draw(rng, image, draws)
	operator.apply(image, draws, out)
	return nil
}
