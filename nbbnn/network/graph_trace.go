package network

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute-onnx/support/protos"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/onnx"
)

// tracedRows is a number of images that no dimension of a network has.
const tracedRows = 10007

// traceGraph adds the layers and logits found in a trial to a graph; file names it in errors.
// channels is the order of the colours that the network takes: rgb or bgr; "" means rgb.
func traceGraph(g *onnx.Graph, file, channels string) error {
	g.SetProperty(nameKey, file)
	switch channels {
	case "", "rgb":
	case "bgr":
		g.SetProperty(channelsKey, channels)
	default:
		return fmt.Errorf("network: unknown order of channels %q: give rgb or bgr", channels)
	}
	layers, classes, err := tryGraph(g)
	if err != nil {
		return err
	}
	return g.Trace(layers, classes)
}

// checkTraced refuses a graph if a trial shows other values than those that traceGraph added.
func checkTraced(g *onnx.Graph) error {
	layers, classes, err := tryGraph(g)
	if err != nil {
		return err
	}
	for i, l := range g.Layers {
		if l.Traced != layers[i] || g.Classes != classes {
			return fmt.Errorf("network: the layer %s of the network isn't what its metadata say: "+
				"it's damaged, import the network again", l.Name)
		}
	}
	return nil
}

// tryGraph builds the network of a graph without memory for its values, which shows whether it can
// be computed, what its layers are, and the number of its logits.
func tryGraph(g *onnx.Graph) (layers []onnx.Traced, classes int, err error) {
	backend, err := engine.OpenNamed("go")
	if err != nil {
		return nil, 0, err
	}
	untraced := *g
	untraced.Layers = slices.Clone(g.Layers)
	for i := range untraced.Layers {
		untraced.Layers[i].Traced = onnx.Traced{}
	}
	net, built := newGraphNetwork("network", &untraced), NewGraph(backend.Backend, "trace")
	f := &graphPass{
		pass: &pass{graph: built, values: map[string]*Node{}, mode: Deterministic,
			samples: 1},
		graphNetwork: net, layers: net.architecture().layers, values: map[string]*Node{},
		last: map[string]*Node{}, traced: map[string]onnx.Traced{},
	}
	if problem := exceptions.Try(func() {
		for _, v := range g.Variables {
			path := variableOf(v)
			f.pass.values[path] = Parameter(built, path, shapes.Make(computeType, v.Shape...))
		}
		logits := f.run(Parameter(built, "images", shapes.Make(computeType, tracedRows, g.Height,
			g.Width, 3)))
		if logits.Rank() != 2 || logits.Shape().Dim(0) != tracedRows {
			panic(fmt.Sprintf("for %d images it returns %s", tracedRows, logits.Shape()))
		}
		classes = logits.Shape().Dim(1)
		for _, x := range built.Nodes() {
			checkValue(x.Shape())
		}
	}); problem != nil {
		return nil, 0, explainGraph(problem, f.at)
	}
	for _, l := range g.Layers {
		layers = append(layers, f.traced[l.Name])
	}
	return layers, classes, nil
}

// Numbers that a value may have: in all, and for each image.
const (
	mostNumbers      = 1 << 29
	mostImageNumbers = 1 << 26
)

// checkValue panics if a value of a traced network is too large to be computed.
func checkValue(shape shapes.Shape) {
	numbers, most := 1.0, float64(mostNumbers)
	for _, n := range shape.Dimensions {
		if n > 0 && n%tracedRows == 0 {
			n, most = n/tracedRows, mostImageNumbers
		}
		numbers *= float64(n)
	}
	if numbers > most {
		panic(fmt.Sprintf("it has a value of %.3g numbers, want up to %.3g", numbers, most))
	}
}

// explainGraph explains, after a problem at a node, what a network that can't be built may lack.
func explainGraph(problem any, at *protos.NodeProto) error {
	text, _, _ := strings.Cut(fmt.Sprint(problem), "\n")
	if strings.Contains(text, "runtime error") {
		text = "its inputs or attributes aren't ONNX's"
	}
	if at != nil && !strings.Contains(text, "Node \"") {
		text = fmt.Sprintf("%.200s at node %q (%q)", text, at.Name, at.OpType)
	}
	cure := "export it in another way, for example with a dynamic axis only for the batch and " +
		"opset_version=17"
	switch {
	case strings.Contains(text, "unimplemented ONNX op"):
		text, _, _ = strings.Cut(text, " [") // the inputs of the node
		cure = "replace the operation in the network, and export it again"
		if strings.Contains(text, `"Random`) { // of a dropout
			cure = "export the network after network.eval()"
		}
	case strings.Contains(text, "numbers, want up to"):
		cure = "it's too large to be computed here, or damaged"
	case strings.Contains(text, fmt.Sprint(tracedRows)):
		cure = "the file has a fixed batch: export it with a dynamic axis for the batch, by " +
			"dynamic_shapes=({0: torch.export.Dim('batch')},), or with dynamo=False by " +
			"dynamic_axes={'input': {0: 'batch'}, 'logits': {0: 'batch'}}"
	}
	return fmt.Errorf("network: the network in the file can't be computed: %s: %s", text, cure)
}
