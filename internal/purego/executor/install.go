// Package executor brings the kernels of package kernel to GoMLX's pure-Go backend: executors for
// single operations, and a graph pass that fuses several into one pass over memory. Everything else
// goes to the backend's own executors. Install compares both on small graphs and turns the kernels
// off, with the reason, if anything differs.
package executor

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/gomlx/compute"

	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/purego/kernel"
)

// Install brings the fastest kernels that this processor can run and that pass the check to the
// pure-Go backend; backend is any instance of it. Call it before the first graph of the process is
// built, and not while one is built or executed. It returns the name of the instruction set, empty
// if the backend stays unchanged, and the problem with a faster one. The last call decides.
func Install(backend compute.Backend, choice Choice) (name, problem string) {
	installed.active.Store(false)
	sets := choice.filter(kernel.Available())
	if len(sets) == 0 {
		return "", choice.whyNone()
	}
	program, _ := debug.ReadBuildInfo()
	if err := verifyVersion(program); err != nil {
		return "", err.Error()
	}
	wanted, err := checkResults(backend)
	if err != nil {
		line, _, _ := strings.Cut(err.Error(), "\n")
		return "", fmt.Sprintf("the kernels are off: small layers fail without them: %s: please "+
			"report it", line)
	}
	register()
	for _, set := range sets {
		installed.kernels = set
		installed.kernels.Use()
		if err = check(backend, wanted); err == nil {
			if set.Name == kernel.Portable && choice == Best && problem == "" {
				problem = "this processor has no AVX2 or NEON: its kernels are in plain Go, " +
					"which takes many times as long"
			}
			return set.Name, problem
		}
		problem = fmt.Sprintf("the %s kernels are off: %v: please report it", set.Name, err)
	}
	return "", problem
}

// register puts the executors and the graph pass, not active yet, into the backend.
var register = sync.OnceFunc(func() {
	for operation, try := range map[compute.OpType]attempt{
		compute.OpTypeConvGeneral: convolve,
		compute.OpTypeDotGeneral:  dot,
		compute.OpTypeMul:         fused[signProduct](signedProducts, binary(kernel.Multiply)),
		compute.OpTypeAdd:         binary(kernel.Add),
		compute.OpTypeMax:         fused[scaledRectifier](rectifyScaled, binary(kernel.Maximum)),
		compute.OpTypeAbs:         absolute,
		compute.OpTypeReduceSum:   fused[productSum](sumProducts, reduceSum),
	} {
		addSingle(operation, try.execute)
	}
	multipleExecutors[compute.OpTypeMul] = differentiateNoise
	multipleExecutors[compute.OpTypeCall] = callExecutor(multipleExecutors[compute.OpTypeCall])
	addPass(fusion{})
})

// fused chooses by the node's data: a fused node has data of another type.
func fused[Data any](special, plain attempt) attempt {
	return func(c call) (*buffer, error) {
		if _, ok := c.node.data.(Data); ok {
			return special(c)
		}
		return plain(c)
	}
}

// Setting is the environment variable that holds a Choice.
const Setting = "NBBNN_KERNELS"

// Choice selects which kernels may be used.
type Choice string

// The choices.
const (
	Best     Choice = ""         // the fastest that this processor runs
	AVX512   Choice = "avx512"   // AVX-512, or none
	AVX2     Choice = "avx2"     // AVX2, or none
	NEON     Choice = "neon"     // NEON, or none
	Portable Choice = "portable" // plain Go, on any processor
	Off      Choice = "off"      // none: the backend stays unchanged
)

// ParseChoice reads the value of the environment variable.
func ParseChoice(value string) (Choice, error) {
	switch choice := Choice(value); choice {
	case Best, AVX512, AVX2, NEON, Portable, Off:
		return choice, nil
	}
	known := []string{string(AVX512), string(AVX2), string(NEON), string(Portable), string(Off)}
	return Off, fmt.Errorf("%s is %q%s: use avx512, avx2, neon, portable or off, or unset it for "+
		"the fastest", Setting, value, nearest.Hint(value, known))
}

// IsAssembly reports whether the choice allows kernels in assembly that this processor runs: they
// are faster than XLA, portable ones are slower. Only Install shows whether they work.
func (c Choice) IsAssembly() bool {
	allowed := c.filter(kernel.Available())
	return len(allowed) > 0 && allowed[0].Name != kernel.Portable
}

// filter returns the sets that a choice allows.
func (c Choice) filter(sets []kernel.InstructionSet) []kernel.InstructionSet {
	names := map[Choice]string{AVX512: "AVX-512", AVX2: "AVX2", NEON: "NEON",
		Portable: kernel.Portable}
	var allowed []kernel.InstructionSet
	for _, set := range sets {
		if c == Best || set.Name == names[c] {
			allowed = append(allowed, set)
		}
	}
	return allowed
}

// whyNone explains why no instruction set is left.
func (c Choice) whyNone() string {
	if c == Off {
		return fmt.Sprintf("the kernels are off: unset %s for the fastest", Setting)
	}
	return fmt.Sprintf("this processor has no %s kernels: unset %s for the fastest that it has", c,
		Setting)
}
