package executor

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/gomlx/compute"

	"github.com/nbbnn/workbench/internal/purego/kernel"
)

// Install brings the fastest kernels that this processor can run and that pass the check to the
// pure-Go backend; backend is any instance of it. Call it before the first graph of the process is
// built, and not while one is built or executed. It returns the name of the instruction set, empty
// if the backend stays as it was, and the problem with a faster one. The last call decides.
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
		return "", fmt.Sprintf("the kernels are off: small layers fail without them: %s: please report it", line)
	}
	register()
	for _, set := range sets {
		installed.kernels = set
		installed.kernels.Use()
		if err = check(backend, wanted); err == nil {
			if set.Name == kernel.Portable && choice == Best && problem == "" {
				problem = "this processor has no AVX2 or NEON: its kernels are in plain Go, which takes many times as long"
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

// fused chooses by the node's data: a fused node has data of its own type.
func fused[Data any](special, plain attempt) attempt {
	return func(c call) (*buffer, error) {
		if _, ok := c.node.data.(Data); ok {
			return special(c)
		}
		return plain(c)
	}
}
