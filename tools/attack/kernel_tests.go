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
	"time"
)

// kernelTest runs the tests of the kernels for a processor.
type kernelTest struct {
	processor string
	emulator  string // program that runs those for another processor; "" for this one
	program   string // path of the tests
	count     int    // shapes
}

// kernelFolder is the folder of the kernels and their tests.
const kernelFolder = "internal/purego/kernel"

// canRun reports whether the processor is this one, or an emulator for it is here.
func (t kernelTest) canRun(show io.Writer) bool {
	if t.emulator == "" {
		return true
	}
	if t.processor == runtime.GOARCH {
		return false
	}
	if _, err := exec.LookPath(t.emulator); err != nil {
		fmt.Fprintf(show, "attack   no %s: the kernels for %s are not tried\n", t.emulator, t.processor)
		return false
	}
	return true
}

// build compiles the tests, without what depends on folders or comments.
func (t kernelTest) build(ctx context.Context) error {
	command := exec.CommandContext(ctx, "go", "test", "-c", "-trimpath", "-ldflags=-s -w -buildid=", "-o", t.program, "./"+kernelFolder)
	command.Env = append(os.Environ(), "GOARCH="+t.processor)
	if t.emulator != "" {
		command.Env = append(command.Env, "CGO_ENABLED=0")
	}
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("attack shapes: go test -c for %s: %w: %s", t.processor, err, out)
	}
	return nil
}

// shapePatience is how long the tests may take for a shape, and for those of fixed shapes. In qemu a
// shape takes a fifth of a second of a core's time.
const (
	shapePatience = 10 * time.Second
	fixedPatience = 20 * time.Minute
)

// Tests of the kernels whose counts are recorded.
const (
	shapesTest  = "TestAllSetsAgree"
	workersTest = "TestResultsDoNotDependOnTheNumberOfCores"
)

// compare compares count shapes from the first one on, with workers also the results of different
// numbers of workers, and reads what was compared.
func (t kernelTest) compare(ctx context.Context, show io.Writer, first, count int, workers bool) (kernelShapes, error) {
	tests := "^" + shapesTest + "$"
	if workers {
		tests = "^(" + shapesTest + "|" + workersTest + ")$"
	}
	limit := fixedPatience + time.Duration(count)*shapePatience
	arguments := []string{t.program, "-test.v", "-test.timeout", limit.String(), "-test.run", tests,
		"-shapes", strconv.Itoa(count), "-first", strconv.Itoa(first)}
	if t.emulator != "" {
		arguments = append([]string{t.emulator}, arguments...)
	}
	fmt.Fprintf(show, "attack   shapes %d to %d for %s\n", first, first+count-1, t.processor)
	command := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	command.Dir = kernelFolder
	out, err := command.CombinedOutput()
	if err != nil {
		return kernelShapes{}, fmt.Errorf("attack shapes: %w: %s", err, out)
	}
	compared, err := parseCompared(string(out), workers)
	if err == nil && compared.Shapes != count {
		err = fmt.Errorf("%d shapes were compared, want %d", compared.Shapes, count)
	}
	if err != nil {
		return compared, fmt.Errorf("attack shapes: %w on %s: %s", err, t.processor, out)
	}
	return compared, nil
}

// Lines of the kernels' tests.
var (
	comparedShapes  = regexp.MustCompile(`compared (.+) on (\d+) shapes from \d+ on within (\S+), normalisation within (\S+)`)
	comparedWorkers = regexp.MustCompile(`the same with (.+) workers`)
)

// parseCompared reads what the tests logged, with or without that of the numbers of workers.
func parseCompared(out string, withWorkers bool) (k kernelShapes, err error) {
	compared, workers := comparedShapes.FindStringSubmatch(out), comparedWorkers.FindStringSubmatch(out)
	if compared == nil || withWorkers && workers == nil {
		return k, errors.New("nothing was compared")
	}
	k.Sets = compared[1]
	if withWorkers {
		k.Workers = workers[1]
	}
	var failures [3]error
	k.Shapes, failures[0] = strconv.Atoi(compared[2])
	k.Tolerance, failures[1] = strconv.ParseFloat(compared[3], 64)
	k.Normalisation, failures[2] = strconv.ParseFloat(compared[4], 64)
	return k, errors.Join(failures[:]...)
}
