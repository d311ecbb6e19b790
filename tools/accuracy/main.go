// Command accuracy measures how far rounding takes the gradients of a network, and each convolution
// of the kernels, from the same in float64, and writes docs/accuracy.md from what it measured.
// Start it in the root of the repository:
//
//	go run ./tools/accuracy measure docs/accuracy/measurements.json
//	go run ./tools/accuracy page docs/accuracy.md docs/accuracy/measurements.json
//
// Full width takes some minutes for each network, because GoMLX's own executors compute the float64
// reference.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/machine"
)

func main() {
	log.SetFlags(0)
	networks := flag.String("networks", "vgg16:16,resnet18:16,allcnnc:24,vgg16:64,resnet18:64",
		"networks and their widths, separated by commas")
	seeds := flag.Int("seeds", 3, "seeds of weights and draws, for narrow networks")
	flag.Parse()
	if err := run(context.Background(), flag.Args(), *networks, *seeds); err != nil {
		log.Fatal("accuracy: ", err)
	}
}

func run(ctx context.Context, args []string, networks string, seeds int) error {
	switch {
	case len(args) == 2 && args[0] == "measure":
		return measure(ctx, args[1], strings.Split(networks, ","), seeds)
	case len(args) == 3 && args[0] == "page":
		return writePage(args[1], args[2])
	}
	return fmt.Errorf("%q: give measure FILE or page PAGE FILE", args)
}

// measurements is the content of a file.
type measurements struct {
	Machine      string              `json:"machine"`
	Gradients    []gradientResult    `json:"gradients"`
	Convolutions []convolutionResult `json:"convolutions"`
}

// measure writes a file after each network, so that an interrupted measurement keeps what it has.
func measure(ctx context.Context, file string, networks []string, seeds int) error {
	all := measurements{Machine: machine.Describe().String(), Convolutions: measureConvolutions()}
	for _, name := range networks {
		cases, err := gradientCases(name, seeds)
		if err != nil {
			return err
		}
		for _, c := range cases {
			results, err := c.measure(ctx, c.ways())
			if err != nil {
				return err
			}
			all.Gradients = append(all.Gradients, results...)
			if err := all.write(file); err != nil {
				return err
			}
		}
	}
	return all.write(file)
}

func (m measurements) write(file string) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	// A line for each result makes changes readable.
	lines := bytes.ReplaceAll(text, []byte(`{"network"`), []byte("\n"+`{"network"`))
	return files.WriteBytes(file, append(lines, '\n'))
}

func readMeasurements(file string) (m measurements, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(text, &m)
}
