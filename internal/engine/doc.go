// Package engine chooses and opens the backend on which every graph of the process is computed.
//
// There are three: XLA on an NVIDIA GPU; GoMLX's pure-Go backend, which needs nothing installed and
// gets the kernels of package internal/purego/kernel, for AVX-512, AVX2 or NEON if the processor
// has it, or in plain Go; and XLA on the processor. [Open] takes the first that is present in
// this order, but prefers XLA on the processor to kernels in plain Go. GOMLX_BACKEND overrides the
// choice (go, xla:cuda, xla:cpu or xla:/path/to/plugin.so), NBBNN_KERNELS=avx512, avx2, neon,
// portable or off the kernels. XLA plugins are found, never downloaded: in
// PJRT_PLUGIN_LIBRARY_PATH, or where go-xla installs them. A program has XLA when it's built with
// cgo and without the tag noxla. [Inspect] says what was found and what is missing.
//
// The kernels are checked on small layers against the stock executors before they're used. Results
// of the pure-Go engine don't depend on the number of cores, to the last bit; between x86 assembly,
// arm64 assembly and portable kernels, and with and without kernels, the last digits of float32
// differ. AVX2 and AVX-512 give the same bits.
//
// # Writing graphs that are fast
//
// On the pure-Go backend the kernels do float32 convolutions of images [rows, height, width,
// channels] that are neither grouped nor dilated; sums, products, maxima and signs of 4,096 values
// or more; and join several nodes into one where each value between them has one user and the
// number of channels is a multiple of 8. So
//
//   - write a bias and noise as shapes [1, 1, 1, channels] and [rows, 1, 1, channels], next to their
//     convolution: Max(Mul(Add(Convolve(x, w), b), s), 0) is one pass;
//   - give relu the gradient g sign(relu(x)) with InternalFusedOpCaller: the stock gradient of Max
//     takes five passes, and this one is joined with the gradients of s and b;
//   - write a dense layer over pixels as a convolution with a kernel of 1x1, not Dot, which is
//     scalar;
//   - repeat images for the samples with Concatenate, not with a broadcast;
//   - keep Slice, Transpose and Gather away from large values: they go value by value;
//   - a shape that is dynamic, a closure (If, While) and other types than float32 take the stock
//     executors.
package engine
