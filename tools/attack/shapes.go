package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
)

// kernelShapes is how many random shapes a set of kernels was compared on.
type kernelShapes struct {
	Sets      string  `json:"sets"` // that were compared, such as "AVX-512, AVX2 and portable"
	Processor string  `json:"processor"`
	Shapes    int     `json:"shapes"`
	Workers   string  `json:"workers"` // numbers of workers of the test for those
	Minutes   float64 `json:"minutes"`

	// Largest differences that the test allows, of the largest value, and those of normalisation.
	Tolerance     float64 `json:"tolerance"`
	Normalisation float64 `json:"normalisation_tolerance"`
}

// shapesCommand compares all kernels on random shapes.
func shapesCommand(a *app) *cobra.Command {
	shapes, emulated := 10000, 1000
	command := &cobra.Command{
		Use: "shapes", Short: "Compare all kernels on random shapes, those for arm64 in qemu-aarch64",
		Args: commandline.Arguments(), Example: "  attack shapes --shapes 200",
		RunE: func(c *cobra.Command, _ []string) error {
			if shapes < 1 || emulated < 1 {
				return commandline.Usage(fmt.Errorf("attack shapes: %d shapes and %d emulated: give 1 or more of each", shapes, emulated))
			}
			return a.shapes(c.Context(), shapes, emulated)
		},
	}
	command.Flags().IntVar(&shapes, "shapes", shapes, "random shapes on this processor")
	command.Flags().IntVar(&emulated, "emulated", emulated, "random shapes in qemu-aarch64, about one a second")
	return command
}

// kernelTests are the tests of kernels whose counts are recorded.
const kernelTests = "^(TestAllSetsAgree|TestResultsDoNotDependOnTheNumberOfCores)$"

// shapes runs the tests of the kernels on this processor and, if qemu is there, on arm64. What a
// processor compared is recorded when its tests end.
func (a *app) shapes(ctx context.Context, count, emulated int) error {
	started := time.Now()
	here, err := testKernels(ctx, a.out, count, runtime.GOARCH)
	if err != nil {
		return err
	}
	r := newRecord(a, "shapes", 0, nil)
	r.Command = fmt.Sprintf("attack shapes --shapes %d --emulated %d", count, emulated)
	if err := a.recordShapes(&r, here, started); err != nil || runtime.GOARCH == "arm64" {
		return err
	}
	if _, err := exec.LookPath("qemu-aarch64"); err != nil {
		fmt.Fprintln(a.out, "attack   no qemu-aarch64: the kernels for arm64 are not tried")
		return nil
	}
	there, err := testKernels(ctx, a.out, emulated, "arm64", "-exec", "qemu-aarch64")
	if err != nil {
		return err
	}
	return a.recordShapes(&r, there, started)
}

// recordShapes adds what a processor compared to a record, and writes it if there is a file for it.
func (a *app) recordShapes(r *record, compared kernelShapes, started time.Time) error {
	r.Shapes = append(r.Shapes, compared)
	r.Minutes = time.Since(started).Round(time.Second).Minutes()
	if a.record == "" {
		return nil
	}
	return addRecord(a.record, *r)
}

// shapePatience is how long the tests may take for a shape, and for those of fixed shapes. In qemu a
// shape takes about a second.
const (
	shapePatience = 10 * time.Second
	fixedPatience = 20 * time.Minute
)

// Lines of the kernels' tests.
var (
	comparedShapes  = regexp.MustCompile(`compared (.+) on (\d+) shapes within (\S+), normalisation within (\S+)`)
	comparedWorkers = regexp.MustCompile(`the same with (.+) workers`)
)

// testKernels runs the tests for a processor, and reads what they compared.
func testKernels(ctx context.Context, show io.Writer, count int, processor string, more ...string) (kernelShapes, error) {
	limit := fixedPatience + time.Duration(count)*shapePatience
	arguments := append([]string{"test", "-v", "-timeout", limit.String(), "-run", kernelTests}, more...)
	command := exec.CommandContext(ctx, "go", append(arguments, "./internal/purego/kernel", "-shapes", strconv.Itoa(count))...)
	command.Env = append(os.Environ(), "GOARCH="+processor)
	if processor != runtime.GOARCH {
		command.Env = append(command.Env, "CGO_ENABLED=0")
	}
	fmt.Fprintf(show, "attack   go %s for %s\n", strings.Join(command.Args[1:], " "), processor)
	started := time.Now()
	out, err := command.CombinedOutput()
	if err != nil {
		return kernelShapes{}, fmt.Errorf("attack shapes: %w: %s", err, out)
	}
	compared, err := parseCompared(string(out))
	if err != nil {
		return compared, fmt.Errorf("attack shapes: %w on %s: %s", err, processor, out)
	}
	compared.Processor, compared.Minutes = processor, time.Since(started).Round(time.Second).Minutes()
	return compared, nil
}

// parseCompared reads what the tests logged.
func parseCompared(out string) (k kernelShapes, err error) {
	compared, workers := comparedShapes.FindStringSubmatch(out), comparedWorkers.FindStringSubmatch(out)
	if compared == nil || workers == nil {
		return k, errors.New("nothing was compared")
	}
	k.Sets, k.Workers = compared[1], workers[1]
	var failures [3]error
	k.Shapes, failures[0] = strconv.Atoi(compared[2])
	k.Tolerance, failures[1] = strconv.ParseFloat(compared[3], 64)
	k.Normalisation, failures[2] = strconv.ParseFloat(compared[4], 64)
	return k, errors.Join(failures[:]...)
}
