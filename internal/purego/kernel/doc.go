// Package kernel computes the float32 operations in which a convolutional network spends its time
// on a processor: convolutions of images [rows, height, width, channels] with their two gradients,
// and passes over memory that do several elementwise operations at once. It knows slices and sizes
// only; package executor brings it to GoMLX.
//
// There are four sets of kernels. The portable one is plain Go, runs on every processor and defines
// what a kernel computes: read portable_*.go for that. AVX2, AVX-512 and NEON are assembly that the
// generator in ../assembly writes from one description; tests compare them with the portable set.
// Results don't depend on the number of processors, to the last bit; they do depend on the set,
// but for AVX2 and AVX-512.
package kernel

//go:generate go -C ../assembly run . -part micro -out ../kernel/micro_amd64.s -stubs ../kernel/micro_amd64.go -pkg kernel
//go:generate go -C ../assembly run . -part winograd -out ../kernel/winograd_amd64.s -stubs ../kernel/winograd_amd64.go -pkg kernel
//go:generate go -C ../assembly run . -part passes -out ../kernel/passes_amd64.s -stubs ../kernel/passes.go -pkg kernel
//go:generate go -C ../assembly run . -arch arm64 -part micro -out ../kernel/micro_arm64.s -stubs ../kernel/micro_arm64.go -pkg kernel
//go:generate go -C ../assembly run . -arch arm64 -part winograd -out ../kernel/winograd_arm64.s -stubs ../kernel/winograd_arm64.go -pkg kernel
//go:generate go -C ../assembly run . -arch arm64 -part passes -out ../kernel/passes_arm64.s -pkg kernel
