// Corruptions times the corruptions and the reference's own code, of which the user has a copy, in
// alternation on one core, and writes a table as JSON:
//
//	taskset -c 0 go run ./tools/bench/corruptions -python venv/bin/python -reference robustness/ImageNet-C/create_c \
//		-images32 cifar10.npy -images64 tinyimagenet.npy -out docs/performance/corruptions.json
//
// The images are .npy files, uint8 [count, side, side, 3]. Severity 3, the parameters of the
// images' size and the reference's own frost textures on both sides.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/files"
)

// settings are the flags.
type settings struct {
	python, reference string
	images            [2]string // of 32 and of 64 pixels
	out               string
	rounds            int
	seconds           float64 // a measurement takes
}

// row is a line of the table.
type row struct {
	Corruption string  `json:"corruption"`
	Size       int     `json:"size"` // of the square images' side in pixels
	Ours       float64 `json:"ours_images_per_second"`
	Reference  float64 `json:"reference_images_per_second"`
	Ratio      float64 `json:"ratio"` // ours to the reference's
}

// table is what is written.
type table struct {
	Machine string `json:"machine"`
	Go      string `json:"go"`
	Peer    string `json:"peer"`
	Rows    []row  `json:"rows"`
}

func main() {
	s := settings{}
	flag.StringVar(&s.python, "python", "python3", "Python that has the reference's libraries")
	flag.StringVar(&s.reference, "reference", "", "folder of the reference's make_cifar_c.py and frost pictures")
	flag.StringVar(&s.images[0], "images32", "", ".npy file of 32-pixel images")
	flag.StringVar(&s.images[1], "images64", "", ".npy file of 64-pixel images")
	flag.StringVar(&s.out, "out", "", "JSON file; \"\" prints the table only")
	flag.IntVar(&s.rounds, "rounds", 5, "measurements of each, of which the median counts")
	flag.Float64Var(&s.seconds, "seconds", .1, "time of a measurement")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	if err := run(context.Background(), s, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run measures everything and writes the table.
func run(ctx context.Context, s settings, out io.Writer) error {
	peer, err := startReference(ctx, s)
	if err != nil {
		return err
	}
	defer peer.stop()
	result := table{Machine: machine(), Go: runtime.Version(), Peer: peer.name}
	for i, side := range []int{32, 64} {
		ours, err := openOurs(s.images[i], side, s.reference)
		if err != nil {
			return err
		}
		for _, corruption := range corrupt.Names() {
			row, err := compare(ctx, s, ours, peer, corruption)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%-18s %2d px %10.0f %10.0f %8.1f\n", row.Corruption, row.Size, row.Ours, row.Reference, row.Ratio)
			result.Rows = append(result.Rows, row)
		}
	}
	return result.write(s.out)
}

// compare measures one corruption in alternation.
func compare(ctx context.Context, s settings, ours *ours, peer *reference, corruption string) (row, error) {
	var mine, theirs []float64
	if err := ours.choose(corruption); err != nil {
		return row{}, err
	}
	for range s.rounds {
		a, err := ours.imagesPerSecond(ctx, s.seconds)
		if err != nil {
			return row{}, err
		}
		b, err := peer.imagesPerSecond(corruption, ours.side, s.seconds)
		if err != nil {
			return row{}, err
		}
		mine, theirs = append(mine, a), append(theirs, b)
	}
	a, b := median(mine), median(theirs)
	return row{corruption, ours.side, round(a), round(b), float64(int(a/b*100+.5)) / 100}, nil
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

func round(value float64) float64 { return float64(int(value + .5)) }

// write replaces the file by the table.
func (t table) write(path string) error {
	if path == "" {
		return nil
	}
	return files.Write(path, func(w io.Writer) error { return files.WriteJSON(w, t) })
}
