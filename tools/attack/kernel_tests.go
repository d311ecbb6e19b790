package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
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

// missing returns why the kernels of the processor can't be compared here; nil if they can.
func (t kernelTest) missing() error {
	if t.emulator == "" {
		return nil
	}
	if t.processor == runtime.GOARCH {
		return fmt.Errorf("this is a processor of kind %s: --shapes compares its kernels without an emulator", t.processor)
	}
	if _, err := exec.LookPath(t.emulator); err != nil {
		return fmt.Errorf("no %s for the kernels of %s: install it (qemu-user has it)", t.emulator, t.processor)
	}
	return nil
}

// build compiles the tests, without the paths of folders and the symbol table, so that the same
// sources give the same program in every folder. Line numbers stay in it: a new line is another
// program.
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

// shapePatience is how long the tests may take for a shape, and for those of fixed shapes. In qemu
// a shape takes a fifth of a second of a core's time.
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
// numbers of workers, and reads what was compared. Without shapes it reads which sets would be.
func (t kernelTest) compare(ctx context.Context, first, count int, workers bool) (kernelShapes, error) {
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
	command := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	command.Dir = kernelFolder
	command.SysProcAttr = ownGroup() // control-C ends it through ctx only
	out, err := command.CombinedOutput()
	if err != nil {
		return kernelShapes{}, fmt.Errorf("attack shapes: %s: %w: %s", t.part(first, count), err, out)
	}
	compared, err := parseCompared(string(out), workers)
	if err == nil && compared.Shapes != count {
		err = fmt.Errorf("%d shapes were compared, want %d: make the flags of %s in %s count them", compared.Shapes, count, shapesTest, kernelFolder)
	}
	if err != nil {
		return compared, fmt.Errorf("attack shapes: %s: %w: %s", t.part(first, count), err, out)
	}
	return compared, nil
}

// part names the shapes of a process, such as "shapes 0 to 249 for arm64".
func (t kernelTest) part(first, count int) string {
	if count == 0 {
		return "the kernels for " + t.processor
	}
	return fmt.Sprintf("shapes %d to %d for %s", first, first+count-1, t.processor)
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
		if strings.Contains(out, "--- SKIP: "+shapesTest) {
			return k, errors.New("the processor has no kernels in assembly to compare: leave it out with 0 shapes")
		}
		return k, fmt.Errorf("nothing was compared: make %s and %s in %s log what they compare", shapesTest, workersTest, kernelFolder)
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
