package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/npy"
)

// ours corrupts images of one size with package corrupt.
type ours struct {
	side        int
	textures    string
	pixels, out []uint8
	generator   *corrupt.Generator
}

// piece is how many images are corrupted between two looks at the clock.
const piece = 20

func openOurs(path string, side int, textures string) (*ours, error) {
	array, err := npy.ReadFile[uint8](path)
	if err != nil {
		return nil, err
	}
	if len(array.Shape) != 4 || array.Shape[0] < piece || array.Shape[1] != side || array.Shape[2] != side || array.Shape[3] != 3 {
		return nil, fmt.Errorf("corruptions: %s holds %v: want [%d or more, %d, %d, 3]", path, array.Shape, piece, side, side)
	}
	return &ours{side: side, textures: textures, pixels: array.Values, out: make([]uint8, piece*side*side*3)}, nil
}

// choose prepares a corruption at severity 3.
func (o *ours) choose(corruption string) error {
	config := corrupt.Config{Corruption: corruption, Severity: 3, Textures: o.textures, Workers: 1}
	if o.side == 64 {
		config.Table = corrupt.Tiny
	}
	var err error
	o.generator, err = corrupt.NewGenerator(config, corrupt.Size{Height: o.side, Width: o.side})
	return err
}

// imagesPerSecond corrupts pieces of the set in turn until the time is over.
func (o *ours) imagesPerSecond(ctx context.Context, seconds float64) (float64, error) {
	pieces := len(o.pixels) / len(o.out)
	start := time.Now()
	for done := 0; ; done++ {
		if elapsed := time.Since(start).Seconds(); elapsed >= seconds {
			return float64(done*piece) / elapsed, nil
		}
		from := done % pieces * len(o.out)
		if err := o.generator.Generate(ctx, done*piece, o.pixels[from:from+len(o.out)], o.out); err != nil {
			return 0, err
		}
	}
}

// machine describes the processor, such as "AMD EPYC, 1 core used, linux/amd64".
func machine() string {
	model := "unknown processor"
	if file, err := os.Open("/proc/cpuinfo"); err == nil {
		defer file.Close()
		lines := bufio.NewScanner(file)
		for lines.Scan() {
			if key, value, _ := strings.Cut(lines.Text(), ":"); strings.TrimSpace(key) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	return fmt.Sprintf("%s, 1 core used, %s/%s", model, runtime.GOOS, runtime.GOARCH)
}
