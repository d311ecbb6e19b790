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

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
)

// parts are the files that it writes, by the value of flag -part.
var parts = map[string]func(){"micro": writeMicro, "winograd": writeWinograd, "passes": writePasses}

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
	program.ConstraintExpr("amd64 arm64") // file names show which; passes.go is for both
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
			if vectors > 1 && !s.byElement {
				tapGradientTile(s, vectors)
			}
		}
		if s.planes > 0 {
			planesTile(s, s.planes, 2)
		}
	}
}

// writePasses writes the passes over memory, which are the same for all architectures.
func writePasses() {
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

// program collects the functions that the descriptions write. It is not avo's global context, so
// that it can be translated before registers are allocated.
var program = build.NewContext()

// avo's names for registers, instructions and parts of a function.
var (
	GP64, XMM, YMM, ZMM             = program.GP64, program.XMM, program.YMM, program.ZMM
	Doc, Pragma, Label, Load, Param = program.Doc, program.Pragma, program.Label,
		program.Load, program.Param
	Instruction            = program.Instruction
	ADDQ, ANDQ, CMPQ, DECQ = program.ADDQ, program.ANDQ, program.CMPQ,
		program.DECQ
	LEAQ, MOVQ, SHLQ, SHRQ = program.LEAQ, program.MOVQ, program.SHLQ,
		program.SHRQ
	TESTQ, XORQ            = program.TESTQ, program.XORQ
	JMP, JNE, JNZ, JZ, RET = program.JMP, program.JNE, program.JNZ, program.JZ,
		program.RET
	VADDPS, VSUBPS, VMULPS, VMAXPS = program.VADDPS, program.VSUBPS, program.VMULPS,
		program.VMAXPS
	VFMADD213PS, VFMADD231PS, VFNMADD231PS = program.VFMADD213PS, program.VFMADD231PS,
		program.VFNMADD231PS
	VMOVSS, VMOVUPS, VMOVAPS, VBROADCASTSS = program.VMOVSS, program.VMOVUPS, program.VMOVAPS,
		program.VBROADCASTSS
	VANDPS, VORPS, VXORPS, VPXORD = program.VANDPS, program.VORPS, program.VXORPS,
		program.VPXORD
	VCMPPS, VBLENDVPS, VPCMPEQD               = program.VCMPPS, program.VBLENDVPS, program.VPCMPEQD
	VPSLLD, VPSRLD                            = program.VPSLLD, program.VPSRLD
	VUNPCKLPS, VUNPCKHPS, VSHUFPS, VPERM2F128 = program.VUNPCKLPS, program.VUNPCKHPS,
		program.VSHUFPS, program.VPERM2F128
	VBROADCASTF64X4, VINSERTF64X4 = program.VBROADCASTF64X4, program.VINSERTF64X4
	VZEROUPPER                    = program.VZEROUPPER
)

// TEXT begins a function.
func TEXT(name string, attributes attr.Attribute, signature string) {
	program.Function(name)
	program.Attributes(attributes)
	program.SignatureExpr(signature)
}
