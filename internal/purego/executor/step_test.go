//go:build unix

package executor

import (
	"math"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// trainingStep is one step of SGD of a narrow All-CNN-C with multiplicative noise on every layer's
// outputs.
type trainingStep struct {
	images, samples, width int
	noiseFirst             bool // the noise comes before the rectifier, as in the paper, not after
}

func (s trainingStep) layers() []layerSizes {
	w := s.width
	plain := func(side, inputs, outputs, stride int) layerSizes {
		return layerSizes{s.images * s.samples, side, side, inputs, outputs, 3, stride, 1, 1}
	}
	return []layerSizes{
		plain(32, 3, w, 1), plain(32, w, w, 1), plain(32, w, w, 2),
		plain(16, w, 2*w, 1), plain(16, 2*w, 2*w, 1), plain(16, 2*w, 2*w, 2), plain(8, 2*w, 2*w, 1),
		{s.images * s.samples, 8, 8, 2 * w, 10, 1, 1, 0, 0},
	}
}

// values are images and labels, then a kernel and a bias a layer, then noise [rows, channels] a
// layer but the last.
func (s trainingStep) values() (data, parameters, noise []any) {
	random := rand.New(rand.NewPCG(5, 6))
	labels := make([]int32, s.images*s.samples)
	for i := range labels {
		labels[i] = int32(i % 10)
	}
	data = []any{normals(random, s.images, 32, 32, 3), tensors.FromFlatDataAndDimensions(labels, len(labels), 1)}
	layers := s.layers()
	for i, l := range layers {
		scale := math.Sqrt(2 / float64(l.kernel*l.kernel*l.inputs))
		parameters = append(parameters, scaledNormals(random, scale, 0, l.kernel, l.kernel, l.inputs, l.outputs), scaledNormals(random, 0, 0, l.outputs))
		if i < len(layers)-1 {
			noise = append(noise, scaledNormals(random, 0.3, 1, l.images, l.outputs))
		}
	}
	return data, parameters, noise
}

func scaledNormals(random *rand.Rand, scale, shift float64, dimensions ...int) *tensors.Tensor {
	t := normals(random, dimensions...)
	t.MustMutableFlatData(func(flat any) {
		values := flat.([]float32)
		for i := range values {
			values[i] = float32(shift + scale*float64(values[i]))
		}
	})
	return t
}

// build returns the loss, the new parameters and the gradients of the noise.
func (s trainingStep) build(in []*Node) []*Node {
	layers := s.layers()
	parameters, noise := in[2:2+2*len(layers)], in[2+2*len(layers):]
	logits := s.forward(in[0], parameters, noise)
	truth := OneHot(Squeeze(in[1], -1), 10, dtypes.Float32)
	loss := Neg(ReduceAllMean(ReduceSum(Mul(LogSoftmax(logits), truth), -1)))
	gradients := Gradient(loss, in[2:]...)
	outputs := []*Node{loss}
	for i, parameter := range parameters {
		outputs = append(outputs, Sub(parameter, MulScalar(gradients[i], 0.01)))
	}
	return append(outputs, gradients[len(parameters):]...)
}

func (s trainingStep) forward(images *Node, parameters, noise []*Node) *Node {
	copies := make([]*Node, s.samples)
	for i := range copies {
		copies[i] = ExpandAxes(images, 1)
	}
	x := Reshape(Concatenate(copies, 1), s.images*s.samples, 32, 32, 3)
	for i, l := range s.layers() {
		x = Add(l.convolve(x, parameters[2*i]), Reshape(parameters[2*i+1], 1, 1, 1, l.outputs))
		if i == len(noise) {
			break
		}
		scale := Reshape(noise[i], l.images, 1, 1, l.outputs)
		if s.noiseFirst {
			x = relu(Mul(x, scale))
		} else {
			x = Mul(relu(x), scale)
		}
	}
	return ReduceMean(x, 1, 2)
}

func BenchmarkTrainingStep(b *testing.B) {
	for _, test := range []struct {
		name string
		step trainingStep
	}{
		{"width=24/noise=first", trainingStep{32, 4, 24, true}},
		{"width=24/noise=last", trainingStep{32, 4, 24, false}},
		{"width=96/noise=first", trainingStep{32, 4, 96, true}},
	} {
		b.Run(test.name, func(b *testing.B) {
			needKernels(b)
			execution, err := NewExec(backend, test.step.build)
			if err != nil {
				b.Fatal(err)
			}
			data, parameters, noise := test.step.values()
			before := processorSeconds()
			for b.Loop() {
				outputs, err := execution.Call(append(append(data, parameters...), noise...)...)
				if err != nil {
					b.Fatal(err)
				}
				for i := range parameters {
					parameters[i].(*tensors.Tensor).FinalizeAll()
					parameters[i] = outputs[1+i]
				}
			}
			b.ReportMetric(1e3*(processorSeconds()-before)/float64(b.N), "cpu-ms/op")
		})
	}
}

// processorSeconds is the time that all cores have spent for this process: steadier than the clock
// on a busy machine.
func processorSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
