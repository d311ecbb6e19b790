// Package plain lets the networks that come with package explorer answer without an engine: an
// All-CNN-C in plain Go, small enough for a web page. Its test holds it to the library's answers.
package plain

import (
	"fmt"
	"math"

	"github.com/nbbnn/workbench/internal/random"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/shapes10"
)

const (
	samples = 16 // draws of the latent variables, as many as explorer.Samples
	seed    = 1  // of the networks, whose draws depend on it
)

// Network is the network of some weights.
type Network []layer

// layer is a convolution with zero padding that keeps the size of an image, or halves it if the
// stride is 2: h = (W * f + b) s with latent variables s = mean + softplus(rho) epsilon.
type layer struct {
	weights, bias, mean, rho []float32 // weights [kernel, kernel, in, out], the others [out]
	kernel, in, out, stride  int
}

// values holds an image's numbers, [height, width, channels].
type values struct {
	height, width int
	all           []float32
}

// Read returns the network of a file in the format safetensors.
func Read(file []byte) (Network, error) {
	tensors, _, err := safetensors.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("plain: no weights of a network: %w", err)
	}
	byName := map[string]safetensors.Tensor{}
	for _, tensor := range tensors {
		byName[tensor.Name] = tensor
	}
	var n Network
	for number, stride := range []int{1, 1, 2, 1, 1, 2, 1, 1} {
		name := fmt.Sprintf("conv%d.", number+1)
		weights := byName["theta."+name+"weights"]
		if len(weights.Shape) != 4 {
			return nil, fmt.Errorf("plain: no weights of %s in the file: take one of "+
				"lab/explorer/networks", name)
		}
		n = append(n, layer{
			weights: weights.Floats(), bias: byName["theta."+name+"bias"].Floats(),
			mean: byName["phi."+name+"mean"].Floats(), rho: byName["phi."+name+"rho"].Floats(),
			kernel: weights.Shape[0], in: weights.Shape[2], out: weights.Shape[3], stride: stride,
		})
	}
	return n, nil
}

// Answer returns the probabilities of the classes for an image of RGB pixels, [height, width, 3],
// means over the draws.
func (n Network) Answer(height, width int, pixels []uint8) (probabilities []float64) {
	last := len(n) - 1
	probabilities = make([]float64, n[last].out)
	first, epsilon := n[0].convolve(normalised(height, width, pixels)), n.noise()
	for s := range samples {
		h := n[0].multiplied(first, epsilon[0][s*n[0].out:])
		for l, layer := range n[1:] {
			h = layer.multiplied(layer.convolve(h.rectified()), epsilon[l+1][s*layer.out:])
		}
		for class, p := range softmax(h.pooled(len(probabilities))) {
			probabilities[class] += p / samples
		}
	}
	return probabilities
}

// normalised returns pixels as the networks saw them in training.
func normalised(height, width int, pixels []uint8) values {
	v := values{height, width, make([]float32, len(pixels))}
	for i, pixel := range pixels {
		v.all[i] = float32(
			(float64(pixel)/255 - shapes10.Bright.Mean[i%3]) / shapes10.Bright.Std[i%3])
	}
	return v
}

// noise draws the library's epsilon for the first image of a test, [samples, out] for each layer.
func (n Network) noise() (epsilon [][]float32) {
	for l, layer := range n {
		rng, draws := random.New(seed, random.Evaluation, 0, 0, uint64(l)),
			make([]float32, samples*layer.out)
		for i := range draws {
			draws[i] = float32(rng.NormFloat64())
		}
		epsilon = append(epsilon, draws)
	}
	return epsilon
}

// convolve returns W * f + b.
func (l layer) convolve(f values) values {
	h := values{height: (f.height-1)/l.stride + 1, width: (f.width-1)/l.stride + 1}
	for y := range h.height {
		for x := range h.width {
			h.all = append(h.all, l.bias...)
			l.addPatch(h.all[len(h.all)-l.out:], f, y*l.stride-l.kernel/2, x*l.stride-l.kernel/2)
		}
	}
	return h
}

// addPatch adds to the outputs of one pixel what the kernel makes of the inputs from a corner on.
func (l layer) addPatch(outputs []float32, f values, top, left int) {
	for y := max(0, top); y < min(top+l.kernel, f.height); y++ {
		for x := max(0, left); x < min(left+l.kernel, f.width); x++ {
			weights := l.weights[((y-top)*l.kernel+x-left)*l.in*l.out:]
			for c, value := range f.all[(y*f.width+x)*l.in:][:l.in] {
				if value != 0 { // half of the rectified ones are
					addProduct(outputs, value, weights[c*l.out:])
				}
			}
		}
	}
}

// addProduct adds a value times each of the weights, as many as there are outputs.
func addProduct(outputs []float32, value float32, weights []float32) {
	weights = weights[:len(outputs)] // spares the loop a check of its index
	for j := range outputs {
		outputs[j] += value * weights[j]
	}
}

// multiplied returns each output of the layer times its latent variable.
func (l layer) multiplied(h values, epsilon []float32) values {
	times := make([]float32, l.out)
	for j, rho := range l.rho {
		times[j] = l.mean[j] + float32(math.Log1p(math.Exp(float64(rho))))*epsilon[j]
	}
	product := values{h.height, h.width, make([]float32, len(h.all))}
	for i, value := range h.all {
		product.all[i] = value * times[i%l.out]
	}
	return product
}

// rectified sets what is below zero to zero.
func (v values) rectified() values {
	for i, value := range v.all {
		v.all[i] = max(value, 0)
	}
	return v
}

// pooled returns the mean of each channel.
func (v values) pooled(channels int) []float64 {
	means := make([]float64, channels)
	for i, value := range v.all {
		means[i%channels] += float64(value) * float64(channels) / float64(len(v.all))
	}
	return means
}

// softmax returns the probabilities of logits.
func softmax(logits []float64) (probabilities []float64) {
	sum := 0.0
	for _, logit := range logits {
		sum += math.Exp(logit)
	}
	for _, logit := range logits {
		probabilities = append(probabilities, math.Exp(logit)/sum)
	}
	return probabilities
}
