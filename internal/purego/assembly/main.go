// Command assembly writes the micro-kernels of package kernel for AVX2 and AVX-512, and for NEON
// from the same descriptions. Run `go generate ./internal/purego/kernel`.
package main

import (
	"flag"
	"log"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
)

// parts are the files that it writes, by the value of flag -part.
var parts = map[string]func(){"micro": writeMicro, "winograd": writeWinograd, "layer": writeLayers}

// architecture is a processor architecture that it writes for. The descriptions are in terms of
// AVX; compile translates them if needed, and allocates registers.
type architecture struct {
	sets            []instructionSet
	compile         pass.Interface
	maximumKeepsNaN bool // the maximum of two values is a NaN if either is one
}

// architectures are by the value of flag -arch.
var architectures = map[string]architecture{
	"amd64": {sets: []instructionSet{avx2, avx512}, compile: pass.Compile},
	"arm64": {sets: []instructionSet{neon}, compile: compileNEON, maximumKeepsNaN: true},
}

// target is the architecture of this run.
var target architecture

func main() {
	flags := flag.NewFlagSet("assembly", flag.ExitOnError)
	part := flags.String("part", "micro", "which `file` to write: "+names(parts))
	name := flags.String("arch", "amd64", "the `architecture` to write for: "+names(architectures))
	output := build.NewFlags(flags)
	flags.Parse(os.Args[1:])
	write, known := parts[*part]
	if !known {
		log.Fatalf("assembly: unknown part %q: use one of %s", *part, names(parts))
	}
	if target, known = architectures[*name]; !known {
		log.Fatalf("assembly: unknown architecture %q: use one of %s", *name, names(architectures))
	}
	program.ConstraintExpr(*name)
	write()
	config := output.Config()
	config.Passes[0] = target.compile // avo's own, for amd64
	os.Exit(build.Main(config, program))
}

func names[Value any](table map[string]Value) string {
	return strings.Join(slices.Sorted(maps.Keys(table)), ", ")
}

func writeWinograd() {
	for _, s := range target.sets {
		for _, t := range transforms {
			t.write(s)
		}
	}
}

func writeMicro() {
	for _, s := range target.sets {
		for vectors := 1; vectors <= 3; vectors++ {
			convolutionTile(s, vectors)
			kernelGradientTile(s, vectors)
			shortConvolutionTile(s, vectors)
		}
	}
	for _, o := range operations {
		elementwiseRows(o)
	}
	multiplySign()
	for _, vectors := range []int{12, 3, 1} {
		sumRows(vectors)
		sumProductRows(vectors)
	}
	copyBlocks()
	transposeBlocks()
}

// writeLayers writes batch normalisation, pooling and the update of the parameters.
func writeLayers() {
	for _, f := range normaliseForms {
		normaliseRows(f)
	}
	for _, vectors := range []int{4, 2, 1} {
		momentRows(vectors)
		rectifiedNoiseRows(vectors)
		for _, m := range masks {
			gradientSumRows(m, vectors)
			normaliseGradientRows(m, vectors)
		}
	}
	poolRows()
	poolGradientRows()
	descend()
}
