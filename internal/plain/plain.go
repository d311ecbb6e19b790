// Package plain lets the networks that come with package explorer answer without an engine: a
// ResNet18 in plain Go, small enough for a web page. Its test holds it to the library's answers.
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

// Network is the network of some weights: its layers in the order of their latent variables.
type Network []layer

// layer is a convolution with zero padding that keeps the size of an image, or halves it if the
// stride is 2, times latent variables, normalised: h = (W * f + b) s scale + shift with s = mean +
// softplus(rho) epsilon. A layer of 1x1 pixels is a dense one.
type layer struct {
	weights, bias, scale, shift []float32 // [kernel, kernel, in, out], and the others [out]
	mean, sigma                 []float32 // [out]; nil without latent variables
	kernel, in, out, stride     int
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
		byName[tensor.Name] = tensor.Float32()
	}
	n := Network{readLayer(byName, "stem.conv", "stem.norm", 1)}
	for stage := range 4 {
		for block, stride := range []int{1 + min(1, stage), 1} {
			name := fmt.Sprintf("stage%d.block%d.", stage+1, block+1)
			n = append(n, readLayer(byName, name+"conv1", name+"norm1", stride),
				readLayer(byName, name+"conv2", name+"norm2", 1))
			if stride > 1 {
				n = append(n, readLayer(byName, name+"shortcut", name+"shortcut_norm", stride))
			}
		}
	}
	n = append(n, readLayer(byName, "dense", "", 1))
	for _, l := range n {
		if l.out == 0 || l.in == 0 || len(l.weights) != l.kernel*l.kernel*l.in*l.out {
			return nil, fmt.Errorf("plain: no weights of a ResNet18 in the file: take one of " +
				"lab/explorer/networks")
		}
	}
	return n, nil
}

// readLayer returns a layer and its normalisation, if it has one.
func readLayer(byName map[string]safetensors.Tensor, name, norm string, stride int) layer {
	floats := func(name string) []float32 { return byName[name].Floats() }
	weights, rho := byName["theta."+name+".weights"], floats("phi."+name+".rho")
	l := layer{weights: weights.Floats(), mean: floats("phi." + name + ".mean"), kernel: 1,
		stride: stride}
	switch shape := weights.Shape; len(shape) {
	case 2:
		l.in, l.out = shape[0], shape[1]
	case 4:
		l.kernel, l.in, l.out = shape[0], shape[2], shape[3]
	}
	for _, r := range rho {
		l.sigma = append(l.sigma, float32(math.Log1p(math.Exp(float64(r)))))
	}
	l.bias = append(floats("theta."+name+".bias"), make([]float32, l.out)...)[:l.out]
	gain, shift := floats("theta."+norm+".scale"), floats("theta."+norm+".shift")
	mean, variance := floats("running."+norm+".mean"), floats("running."+norm+".variance")
	for j := range gain {
		l.scale = append(l.scale, gain[j]/float32(math.Sqrt(float64(variance[j])+1e-5)))
		l.shift = append(l.shift, shift[j]-mean[j]*l.scale[j])
	}
	return l
}

// Answer returns the probabilities of the classes for an image of RGB pixels, [height, width, 3],
// means over the draws.
func (n Network) Answer(height, width int, pixels []uint8) (probabilities []float64) {
	last, count := len(n)-1, samples
	if n[0].sigma == nil {
		count = 1
	}
	probabilities = make([]float64, n[last].out)
	first, epsilon := n[0].convolve(normalised(height, width, pixels)), n.noise()
	for s := range count {
		apply := func(i int, f values) values { return n[i].finished(f, epsilon[i][s*n[i].out:]) }
		h := apply(0, first).rectified(nil)
		for i := 1; i < last; i += 2 {
			y := apply(i, n[i].convolve(h)).rectified(nil)
			y = apply(i+1, n[i+1].convolve(y))
			if n[i].stride > 1 {
				h = apply(i+2, n[i+2].convolve(h))
				i++
			}
			h = y.rectified(h.all)
		}
		logits := apply(last, n[last].convolve(h.pooled(n[last].in)))
		for class, p := range softmax(logits.all) {
			probabilities[class] += p / float64(count)
		}
	}
	return probabilities
}

// normalised returns pixels as the networks saw them in training.
func normalised(height, width int, pixels []uint8) values {
	v := values{height, width, make([]float32, len(pixels))}
	for i, pixel := range pixels {
		v.all[i] = float32(
			(float64(pixel)/255 - shapes10.First.Mean[i%3]) / shapes10.First.Std[i%3])
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

// addPatch adds the kernel's products with the inputs from a corner on to the outputs of one pixel.
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

// addProduct adds a value times each of the weights, as many as there are outputs. Eight in a row
// spare the loop most of its checks.
func addProduct(outputs []float32, value float32, weights []float32) {
	for len(outputs) >= 8 && len(weights) >= 8 {
		o, w := (*[8]float32)(outputs), (*[8]float32)(weights)
		o[0], o[1] = o[0]+value*w[0], o[1]+value*w[1]
		o[2], o[3] = o[2]+value*w[2], o[3]+value*w[3]
		o[4], o[5] = o[4]+value*w[4], o[5]+value*w[5]
		o[6], o[7] = o[6]+value*w[6], o[7]+value*w[7]
		outputs, weights = outputs[8:], weights[8:]
	}
	for j := range outputs {
		outputs[j] += value * weights[j]
	}
}

// finished returns each output of the layer times its latent variable, normalised.
func (l layer) finished(h values, epsilon []float32) values {
	done := values{h.height, h.width, make([]float32, len(h.all))}
	for j := range l.out {
		factor, shift := float32(1), float32(0)
		if l.sigma != nil {
			factor = l.mean[j] + l.sigma[j]*epsilon[j]
		}
		if l.scale != nil {
			factor, shift = factor*l.scale[j], l.shift[j]
		}
		for i := j; i < len(h.all); i += l.out {
			done.all[i] = h.all[i]*factor + shift
		}
	}
	return done
}

// rectified adds a residual, which may be nil, and sets negative values to zero.
func (v values) rectified(residual []float32) values {
	for i := range v.all {
		if residual != nil {
			v.all[i] += residual[i]
		}
		v.all[i] = max(v.all[i], 0)
	}
	return v
}

// pooled returns the mean of each channel, as an image of one pixel.
func (v values) pooled(channels int) values {
	means := values{1, 1, make([]float32, channels)}
	for i, value := range v.all {
		means.all[i%channels] += value * float32(channels) / float32(len(v.all))
	}
	return means
}

// softmax returns the probabilities of logits.
func softmax(logits []float32) (probabilities []float64) {
	sum := 0.0
	for _, logit := range logits {
		sum += math.Exp(float64(logit))
	}
	for _, logit := range logits {
		probabilities = append(probabilities, math.Exp(float64(logit))/sum)
	}
	return probabilities
}
