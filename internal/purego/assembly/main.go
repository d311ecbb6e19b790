// Command assembly writes the AVX2 and AVX-512 micro-kernels of package kernel. Run `go generate
// ./internal/purego/kernel`.
package main

import (
	"flag"
	"log"

	. "github.com/mmcloughlin/avo/build"
)

// parts are the files that it writes, by the value of flag -part.
var parts = map[string]func(){"micro": writeMicro, "winograd": writeWinograd, "layer": writeLayers}

func main() {
	part := flag.String("part", "micro", "which `file` to write: micro, winograd or layer")
	flag.Parse()
	write, known := parts[*part]
	if !known {
		log.Fatalf("assembly: unknown part %q: use micro, winograd or layer", *part)
	}
	ConstraintExpr("amd64")
	write()
	Generate()
}

func writeWinograd() {
	for _, s := range []instructionSet{avx2, avx512} {
		for _, t := range transforms {
			t.write(s)
		}
	}
}

func writeMicro() {
	for _, s := range []instructionSet{avx2, avx512} {
		for vectors := 1; vectors <= 3; vectors++ {
			convolutionTile(s, vectors)
			kernelGradientTile(s, vectors)
		}
	}
	for _, o := range operations {
		elementwiseRows(o)
		elementwiseScalar(o)
	}
	sign()
	multiplySign()
	scaleMultiplySign()
	scaleRectify()
	for _, vectors := range []int{12, 3, 1} {
		sumRows(vectors)
		sumProductRows(vectors)
	}
	for _, vectors := range []int{3, 1} {
		noiseGradient(vectors)
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
