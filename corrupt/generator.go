package corrupt

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/nbbnn/workbench/internal/stream"
)

// Generator corrupts images of one size in one way, as many and as often as wanted. Its tables, buffers and textures are made once,
// which pays where a set is corrupted piece by piece.
type Generator struct {
	config    Config
	index     int // of the corruption in the reference's order
	size      Size
	setup     setup
	operators []operator // one a worker, made when it first works
	draws     []draws    // likewise
}

// NewGenerator prepares the corruption of images of one size.
func NewGenerator(config Config, size Size) (*Generator, error) {
	index, err := config.validate(size)
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
		config: config, index: index, size: size, setup: setup,
		operators: make([]operator, workers), draws: make([]draws, workers),
	}, nil
}

// Generate writes corrupted copies of the images in pixels, [count, height, width, 3] RGB, to out, which has the same length and
// doesn't overlap them. Image i gets the draws of position Config.First+first+i of its data set. Cancelling the context stops between
// two images. A generator serves one call at a time.
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
	if int(batch.next.Load()) < batch.count {
		return fmt.Errorf("corrupt: stopped in %s at severity %d: %w", g.config.Corruption, g.config.Severity, ctx.Err())
	}
	return nil
}

// batch is one call of Generate: workers take the next image until there is none.
type batch struct {
	first, count int
	pixels, out  []uint8
	next         atomic.Int64
}

// work corrupts images with an operator of its own, whose buffers no other worker sees.
func (g *Generator) work(ctx context.Context, worker int, batch *batch) {
	if g.operators[worker] == nil {
		g.operators[worker] = catalogue[g.index].build(g.setup)
	}
	operator, draws, values := g.operators[worker], &g.draws[worker], g.size.Values()
	for ctx.Err() == nil {
		i := int(batch.next.Add(1)) - 1
		if i >= batch.count {
			return
		}
		image, out := batch.pixels[i*values:(i+1)*values], batch.out[i*values:(i+1)*values]
		rng := stream.New(g.config.Seed, stream.Corruption, uint64(g.index), uint64(g.config.Severity), uint64(batch.first+i))
		operator.draw(rng, image, draws)
		operator.apply(image, draws, out)
	}
}
