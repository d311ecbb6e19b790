package network

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute-onnx/support/protos"
	"google.golang.org/protobuf/proto"

	"github.com/nbbnn/workbench/internal/onnx"
	"github.com/nbbnn/workbench/internal/safetensors"
)

// exportONNX is Model.ExportONNX.
func exportONNX(m *Model, sampling bool, metadata [][2]string) ([]byte, error) {
	if len(m.drawnLayers(false)) > 0 && m.Settings.Posterior.Mode == Deterministic {
		return nil, fmt.Errorf("network: dropout in predictions isn't exported in the ONNX " +
			"format: export safetensors, or a network with latents")
	}
	variables, err := m.Variables()
	if err != nil {
		return nil, err
	}
	e := &exporter{Writer: onnx.NewWriter(), m: m, values: byPath(variables), sampling: sampling,
		latents: map[string][2]string{}}
	var opset []*protos.OperatorSetIdProto
	if net := m.Architecture.graph; net != nil && net.Version() < leastOpset {
		return nil, fmt.Errorf("network: the file of %s has opset %d, and latents are written in "+
			"opset %d or later: export that network again, and import it", net.name, net.Version(),
			leastOpset)
	}
	logits := ""
	images := e.images()
	if net := m.Architecture.graph; net != nil {
		opset, logits = net.Opset(), e.file(net, images)
	} else {
		logits = e.steps(images)
	}
	e.Node("LogSoftmax", []string{logits}, onnx.AttributeOf("axis", 1))
	last := e.Node("Reshape",
		[]string{e.Last(), e.Node("Concat", []string{e.batch, e.Whole(-1, int64(m.Classes))},
			onnx.AttributeOf("axis", 0))})
	e.Node("Identity", []string{last})
	e.Output(e.Rename("log_probabilities"), "batch", "samples", m.Classes)
	return e.Bytes(opset, metadata...)
}

// leastOpset has the axes of Unsqueeze as an input.
const leastOpset = 13

// exporter writes one network.
type exporter struct {
	*onnx.Writer
	m           *Model
	values      map[string]Tensor
	sampling    bool
	batch, rows string // [1], numbers of images and of rows
	// of inputs and outputs of each layer, [rows, channels]; "" for none
	latents map[string][2]string
}

// floats adds constant numbers.
func (e *exporter) floats(name string, values []float32, shape ...int) string {
	return e.Floats(name, safetensors.FromFloats(name, values, shape...).Data, shape...)
}

// images adds the inputs and returns normalised images [rows, 3, height, width].
func (e *exporter) images() string {
	m := e.m
	bytes := e.Input("images", protos.TensorProto_UINT8, "batch", m.Height, m.Width, 3)
	e.batch = e.Node("Slice", []string{e.Node("Shape", []string{bytes}), e.Whole(0), e.Whole(1)})
	e.rows = e.batch
	layers := m.drawnLayers(false)
	if e.sampling && len(layers) > 0 {
		e.rows = e.Node("Mul", []string{e.batch, e.Input("samples", protos.TensorProto_INT64, 1)})
	}
	for i, l := range layers {
		e.sample(l, i == 0)
	}
	x := e.Node("Cast", []string{bytes}, onnx.AttributeOf("to", int(protos.TensorProto_FLOAT)))
	var scale, shift [3]float32
	for c := range scale {
		scale[c], shift[c] = float32(1/(255*m.Std[c])), float32(-m.Mean[c]/m.Std[c])
	}
	x = e.Node("Add", []string{e.Node("Mul", []string{x, e.floats("scale", scale[:], 3)}),
		e.floats("shift", shift[:], 3)})
	if len(layers) > 0 { // every image once for each of its samples
		samples := e.Node("Div", []string{e.rows, e.batch})
		x = e.Node("Unsqueeze", []string{x, e.Whole(1)})
		x = e.Node("Expand",
			[]string{
				x,
				e.Node("Concat", []string{e.batch, samples, e.Whole(int64(m.Height), int64(m.Width),
					3)}, onnx.AttributeOf("axis", 0))})
		x = e.Node("Reshape", []string{x, e.Whole(-1, int64(m.Height), int64(m.Width), 3)})
	}
	return e.Node("Transpose", []string{x}, onnx.AttributeOf("perm", []int{0, 3, 1, 2}))
}

// sample adds the latents of a layer, mean + sigma epsilon.
func (e *exporter) sample(l layer, first bool) {
	width, k := e.m.drawnDimensions(l), e.m.Settings.Posterior.Components
	noise := ""
	if e.sampling {
		shape := e.Node("Concat", []string{e.rows, e.Whole(int64(width))},
			onnx.AttributeOf("axis", 0))
		noise = e.Node("RandomNormalLike", []string{e.Node("ConstantOfShape", []string{shape})})
	} else {
		noise = e.Input("noise/"+l.name, protos.TensorProto_FLOAT, "rows", width)
		if first {
			e.rows = e.Node("Slice", []string{e.Node("Shape", []string{noise}), e.Whole(0),
				e.Whole(1)})
		}
	}
	if e.m.Settings.Posterior.Law == signLaw {
		noise = e.Node("Sign", []string{noise})
	}
	mean, rho := e.values[meanPath(l)].Floats(), e.values[rhoPath(l)].Floats()
	sigma := make([]float32, len(rho))
	scale := 1.0
	if e.m.scale != nil {
		scale = *e.m.scale
	}
	for i, value := range rho {
		sigma[i] = float32(scale * softplus(float64(value)))
	}
	means, sigmas := e.floats("mean/"+l.name, mean, k, width), e.floats("sigma/"+l.name, sigma, k,
		width)
	if k > 1 {
		zero, one := e.scalar(0), e.scalar(1)
		components := e.Node("Mod",
			[]string{e.Node("Range", []string{zero, e.Node("Squeeze", []string{e.rows}), one}),
				e.scalar(int64(k))})
		means, sigmas = e.Node("Gather", []string{means, components}),
			e.Node("Gather", []string{sigmas, components})
	}
	all := e.Node("Add", []string{means, e.Node("Mul", []string{sigmas, noise})})
	part := func(from, to int) string {
		return e.Node("Slice", []string{all, e.Whole(int64(from)), e.Whole(int64(to)), e.Whole(1)})
	}
	switch e.m.Settings.Posterior.Mode {
	case Input:
		e.latents[l.name] = [2]string{all, ""}
	case Both:
		e.latents[l.name] = [2]string{part(0, l.in), part(l.in, width)}
	default:
		e.latents[l.name] = [2]string{"", all}
	}
}

// scalar adds an integer without an axis.
func (e *exporter) scalar(value int64) string { return e.Node("Squeeze", []string{e.Whole(value)}) }

// scaled multiplies x by latents [rows, channels], which get the axes of length one.
func (e *exporter) scaled(x, latents string, axes ...int64) string {
	if latents == "" {
		return x
	}
	if len(axes) > 0 {
		latents = e.Node("Unsqueeze", []string{latents, e.Whole(axes...)})
	}
	return e.Node("Mul", []string{x, latents})
}

// file adds the nodes of a network from a file with its weights, and returns the name of the
// logits.
func (e *exporter) file(net *graphNetwork, images string) string {
	if net.Property(channelsKey) == "bgr" {
		images = e.Node("Gather", []string{images, e.Whole(2, 1, 0)}, onnx.AttributeOf("axis", 1))
	}
	if net.ChannelsLast {
		images = e.Node("Transpose", []string{images}, onnx.AttributeOf("perm", []int{0, 2, 3, 1}))
	}
	name := func(value string) string {
		switch value {
		case "":
			return ""
		case net.Input:
			return images
		}
		return "file/" + value
	}
	for _, v := range net.Variables {
		e.Floats(name(v.Name), e.values[variableOf(v)].Data, v.Shape...)
	}
	layers := map[*protos.NodeProto]onnx.Layer{}
	for _, l := range net.Layers {
		layers[l.Node] = l
	}
	for _, original := range net.Nodes {
		n := proto.Clone(original).(*protos.NodeProto)
		for i := range n.Input {
			n.Input[i] = name(n.Input[i])
		}
		for i := range n.Output {
			n.Output[i] = name(n.Output[i])
		}
		l, is := layers[original]
		if !is {
			e.Add(n)
			continue
		}
		both, axes := e.latents[l.Name], unsqueezed(l)
		n.Input[0] = e.scaled(n.Input[0], both[0], axes...)
		if both[1] == "" {
			e.Add(n)
			continue
		}
		out := n.Output[0]
		n.Output[0] += "/certain"
		e.Add(n)
		e.scaled(n.Output[0], both[1], axes...)
		e.Rename(out)
	}
	return name(net.Output)
}

// unsqueezed returns the axes of a layer's values that are neither rows nor channels.
func unsqueezed(l onnx.Layer) (axes []int64) {
	if l.Kernel > 0 {
		return []int64{2, 3}
	}
	for axis := range l.Rank - 1 {
		if axis != l.Rows {
			axes = append(axes, int64(axis))
		}
	}
	return axes
}

// steps adds the nodes of a network of our own, and returns the name of the logits.
func (e *exporter) steps(images string) string {
	a := e.m.Architecture
	names := make([]string, len(a.steps))
	for i, s := range a.steps {
		x := images
		if len(s.inputs) > 0 {
			x = names[s.inputs[0]]
		}
		names[i] = e.step(s, x, names)
	}
	return e.flat(names[a.output])
}

// flat returns features [rows, channels] of images of one pixel.
func (e *exporter) flat(x string) string {
	return e.Node("Flatten", []string{x}, onnx.AttributeOf("axis", 1))
}

// step adds one step and returns the name of its output; images are [rows, channels, height,
// width].
func (e *exporter) step(s step, x string, names []string) string {
	pool := func(kernel, pad int) string {
		return e.Node("MaxPool", []string{x}, onnx.AttributeOf("kernel_shape",
			[]int{kernel, kernel}), onnx.AttributeOf("strides", []int{2, 2}),
			onnx.AttributeOf("pads", []int{pad, pad, pad, pad}))
	}
	switch s.kind {
	case rescaleStep:
		inverse := make([]float32, 3)
		for c, value := range allCNNCInputScale {
			inverse[c] = 1 / value
		}
		return e.Node("Mul", []string{x, e.floats("rescale", inverse, 1, 3, 1, 1)})
	case convolutionStep, denseStep:
		return e.layer(s.layer, x)
	case normaliseStep:
		n := s.normalisation
		inputs := []string{x}
		for _, path := range []string{n.scalePath(), n.shiftPath(), n.meanPath(),
			n.variancePath()} {
			inputs = append(inputs, e.Floats(strings.TrimPrefix(path, "/"), e.values[path].Data,
				n.channels))
		}
		return e.Node("BatchNormalization", inputs,
			onnx.AttributeOf("epsilon", normalisationEpsilon))
	case rectifyStep:
		return e.Node("Relu", []string{x})
	case maxPoolStep:
		return pool(2, 0)
	case stemPoolStep:
		return pool(3, 1)
	case averagePoolStep:
		return e.Node("GlobalAveragePool", []string{x})
	case addStep:
		return e.Node("Add", []string{x, names[s.inputs[1]]})
	}
	return x
}

// layer adds h = (W (x z) + b) s of equation 1 of the paper.
func (e *exporter) layer(l layer, x string) string {
	weights := referenceEntry{axes: matrixAxes}
	var axes []int64
	if l.kernel > 0 {
		weights.axes, axes = kernelAxes, []int64{2, 3}
	} else {
		x = e.flat(x)
	}
	tensor := weights.toTheirs(e.values[weightPath(l)])
	inputs := []string{e.scaled(x, e.latents[l.name][0], axes...),
		e.Floats("weights/"+l.name, tensor.Data, tensor.Shape...)}
	if l.bias {
		inputs = append(inputs, e.Floats("bias/"+l.name, e.values[biasPath(l)].Data, l.out))
	}
	h := ""
	if l.kernel > 0 {
		h = e.Node("Conv", inputs, onnx.AttributeOf("strides", []int{l.stride, l.stride}),
			onnx.AttributeOf("pads", []int{l.padding, l.padding, l.padding, l.padding}))
	} else {
		h = e.Node("Gemm", inputs, onnx.AttributeOf("transB", 1))
	}
	return e.scaled(h, e.latents[l.name][1], axes...)
}
