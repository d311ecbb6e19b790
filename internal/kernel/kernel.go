// Package kernel computes the float32 operations in which a convolutional network spends its time on a processor:
// convolutions of images [rows, height, width, channels] with their two gradients, and passes over memory that do several
// elementwise operations at once. It knows slices and sizes only; package executor brings it to GoMLX.
//
// The innermost loops are AVX2 and AVX-512 assembly that the generator in folder assembly writes. Results don't depend
// on the number of processors, to the last bit; they do depend on the instruction set.
package kernel

//go:generate go -C assembly run . -part micro -out ../micro_amd64.s -stubs ../micro_amd64.go -pkg kernel
//go:generate go -C assembly run . -part winograd -out ../winograd_amd64.s -stubs ../winograd_amd64.go -pkg kernel
//go:generate go -C assembly run . -part layer -out ../layer_amd64.s -stubs ../layer_amd64.go -pkg kernel
