// Command assembly writes the AVX2 and AVX-512 micro-kernels of package kernel. Run `go generate` in the parent folder.
package main

import . "github.com/mmcloughlin/avo/build"

func main() {
	ConstraintExpr("amd64")
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
	Generate()
}
