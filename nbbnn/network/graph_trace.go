package network

import (
	"fmt"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/gomlx/compute/shapes"

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
	traced := map[string]onnx.Traced{}
	built := NewGraph(backend.Backend, "trace")
	if err := recovered(func() {
		images := Parameter(built, "images", shapes.Make(computeType, tracedRows, g.Height, g.Width,
			3))
		f := &graphPass{
			pass:         &pass{graph: built, store: store, mode: Deterministic, samples: 1},
			graphNetwork: net, layers: net.architecture().layers, values: map[string]*Node{},
			last: map[string]*Node{}, traced: traced,
		}
		if logits := f.run(images); logits.Rank() != 2 || logits.Shape().Dim(0) != tracedRows {
			panic(fmt.Sprintf("for %d images it returns %s", tracedRows, logits.Shape()))
		} else if g.Classes == 0 {
			g.Classes = logits.Shape().Dim(1)
		}
	}); err != nil {
		return explainGraph(err)
	}
	var layers []onnx.Traced
	for _, l := range g.Layers {
		layers = append(layers, traced[l.Name])
	}
	return g.Trace(layers)
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

// explainGraph says what a network that can't be built may lack.
func explainGraph(err error) error {
	text, _, _ := strings.Cut(err.Error(), "\n")
	cure := "export it in another way, such as with a dynamic axis for the batch alone and " +
		"opset_version=17"
	switch {
	case strings.Contains(text, "unimplemented ONNX op"):
		cure = "replace the operation in the network, and export it again"
	case strings.Contains(text, fmt.Sprint(tracedRows)):
		cure = "the file has a fixed batch: export it with a dynamic axis for the batch, as by " +
			"dynamic_axes={'input': {0: 'batch'}, 'logits': {0: 'batch'}}"
	}
	return fmt.Errorf("network: the network in the file can't be computed: %s: %s", text, cure)
}
