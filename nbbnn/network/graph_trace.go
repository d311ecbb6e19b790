package network

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute-onnx/support/protos"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/onnx"
)

// tracedRows is a number of images that no dimension of a network has.
const tracedRows = 10007

// traceGraph builds the network of a graph, which shows whether it can be computed and what its
// layers are, and adds that to the graph with the name of its file. channels is the order of the
// colours that the network takes: rgb or bgr; "" means rgb.
func traceGraph(g *onnx.Graph, file, channels string) (err error) {
	g.SetProperty(nameKey, file)
	switch channels {
	case "", "rgb":
	case "bgr":
		g.SetProperty(channelsKey, channels)
	default:
		return fmt.Errorf("network: unknown order of channels %q: give rgb or bgr", channels)
	}
	backend, err := engine.OpenNamed("go")
	if err != nil {
		return err
	}
	net, store := newGraphNetwork("network", g), model.NewStore()
	if err := net.addVariables(store); err != nil {
		return err
	}
	built, classes := NewGraph(backend.Backend, "trace"), 0
	f := &graphPass{
		pass:         &pass{graph: built, store: store, mode: Deterministic, samples: 1},
		graphNetwork: net, layers: net.architecture().layers, values: map[string]*Node{},
		last: map[string]*Node{}, traced: map[string]onnx.Traced{},
	}
	if err := recovered(func() {
		logits := f.run(Parameter(built, "images", shapes.Make(computeType, tracedRows, g.Height,
			g.Width, 3)))
		if logits.Rank() != 2 || logits.Shape().Dim(0) != tracedRows {
			panic(fmt.Sprintf("for %d images it returns %s", tracedRows, logits.Shape()))
		}
		classes = logits.Shape().Dim(1)
		for _, x := range built.Nodes() {
			checkValue(x.Shape())
		}
	}); err != nil {
		return explainGraph(err, f.at)
	}
	var layers []onnx.Traced
	for _, l := range g.Layers {
		layers = append(layers, f.traced[l.Name])
	}
	return g.Trace(layers, classes)
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

// recovered returns what a function panics with as an error.
func recovered(build func()) (err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("%v", problem)
		}
	}()
	build()
	return nil
}

// explainGraph says what a network that can't be built may lack, after an error at a node.
func explainGraph(err error, at *protos.NodeProto) error {
	text, _, _ := strings.Cut(err.Error(), "\n")
	if strings.HasPrefix(text, "runtime error") {
		text = "its inputs or attributes aren't those of ONNX"
	}
	if at != nil && !strings.Contains(text, "Node \"") {
		text = fmt.Sprintf("%.200s at node %q (%q)", text, at.Name, at.OpType)
	}
	cure := "export it in another way, such as with a dynamic axis for the batch alone and " +
		"opset_version=17"
	switch {
	case strings.Contains(text, "unimplemented ONNX op"):
		cure = "replace the operation in the network, and export it again"
	case strings.Contains(text, "numbers, want up to"):
		cure = "it's too large to be computed here, or damaged"
	case strings.Contains(text, fmt.Sprint(tracedRows)):
		cure = "the file has a fixed batch: export it with a dynamic axis for the batch, by " +
			"dynamic_shapes=({0: torch.export.Dim('batch')},), or with dynamo=False by " +
			"dynamic_axes={'input': {0: 'batch'}, 'logits': {0: 'batch'}}"
	}
	return fmt.Errorf("network: the network in the file can't be computed: %s: %s", text, cure)
}
