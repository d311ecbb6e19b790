package network

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/onnx"
)

// graphNetwork is a network that a file defines: operations of ONNX, whose weights are variables.
type graphNetwork struct {
	*onnx.Graph
	name, digest string
	data         []byte
	byName       map[string]onnx.Layer // the layers
	users        map[string][]int      // nodes that take each value
	makers       map[string]int        // node that computes each value
	tried        func() error          // checkTraced of it, once
}

// graphs holds the networks of files, by name.
var graphs struct {
	sync.RWMutex
	all map[string]*graphNetwork
}

// graphOf returns the network of a file with a name; nil if there is none.
func graphOf(name string) *graphNetwork {
	graphs.RLock()
	defer graphs.RUnlock()
	return graphs.all[name]
}

// notInNames are the letters that names of networks don't have.
var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// nameKey is the property of a graph with the name of its file.
const nameKey = "name"

// defineGraph adds the network of a graph, in the bytes that onnx.Graph.Bytes returns, to the
// networks that configurations can name, and returns its settings. The file's name begins its name.
// A graph that isn't just traced is tried before its first use.
func defineGraph(data []byte, isTraced bool) (Network, error) {
	g, err := onnx.Load(data)
	if err != nil {
		return Network{}, err
	}
	digest := onnx.Digest(data)
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(g.Property(nameKey)), "_"),
		"_")
	name = strings.Trim(name[:min(len(name), 40)]+"_"+digest, "_")
	settings := Network{Name: name, Width: 1, Form: Published, Fingerprint: digest}
	graphs.Lock()
	defer graphs.Unlock()
	if graphs.all[name] == nil {
		net := newGraphNetwork(name, g)
		net.digest, net.data = digest, data
		net.tried = sync.OnceValue(func() error {
			if isTraced {
				return nil
			}
			return checkTraced(g)
		})
		if graphs.all == nil {
			graphs.all = map[string]*graphNetwork{}
		}
		graphs.all[name] = net
		build := func(*Builder) Value { panic("a file defines it") }
		return settings,
			definitions.Add(definition{name, Defaults{Width: 1, LearningRate: 0.01}.filled(), build,
				true})
	}
	return settings, nil
}

func newGraphNetwork(name string, g *onnx.Graph) *graphNetwork {
	net := &graphNetwork{Graph: g, name: name, byName: map[string]onnx.Layer{},
		users: map[string][]int{}, makers: map[string]int{}}
	for _, l := range g.Layers {
		net.byName[l.Name] = l
	}
	for i, n := range g.Nodes {
		for _, value := range n.Input {
			net.users[value] = append(net.users[value], i)
		}
		for _, value := range n.Output {
			net.makers[value] = i
		}
	}
	return net
}

// architecture returns the layers with latents.
func (net *graphNetwork) architecture() Architecture {
	a := Architecture{graph: net, Without: net.Without, Parameters: net.parameters()}
	for _, l := range net.Layers {
		a.layers = append(a.layers, layer{name: l.Name, kernel: l.Kernel, in: l.In, out: l.Out})
	}
	return a
}

// checkSize refuses images of another size than the file's.
func (net *graphNetwork) checkSize(name string, height, width int) error {
	if height == net.Height && width == net.Width {
		return nil
	}
	return fmt.Errorf("network: %s takes images of %d x %d pixels, and the data set has %d x %d: "+
		"scale them (`nbbnn data add NAME FOLDER --size %[2]dx%[3]d`), or export the network for "+
		"that size", name, net.Height, net.Width, height, width)
}

// check refuses a data set or settings that the graph can't have.
func (net *graphNetwork) check(m *Model) error {
	switch {
	case m.Classes != net.Classes:
		return fmt.Errorf("network: %s distinguishes %d classes, the data set has %d: give the "+
			"data set that it was trained on, or import it with `nbbnn weights import FILE --data "+
			"NAME --class-map N,N,N`, which says which output is which class",
			net.name, net.Classes, m.Classes)
	case m.Settings.Network.Precision != float32Precision:
		return fmt.Errorf("network: %s is computed in float32, not in %s: leave the precision out",
			net.name, m.Settings.Network.Precision)
	}
	return net.tried()
}

// parameters counts the weights without the statistics of batch normalisation.
func (net *graphNetwork) parameters() (count int) {
	for _, v := range net.Variables {
		if !v.Running {
			count += sizeOf(v.Shape)
		}
	}
	return count
}

// size counts the weights of a layer.
func (net *graphNetwork) size(layer string) int { return sizeOf(net.byName[layer].Weight.Shape) }

func sizeOf(shape []int) int { return shapes.Make(computeType, shape...).Size() }

// paths lists the variables that are weights, or running statistics, by name.
func (net *graphNetwork) paths(running bool) (paths []string) {
	for _, v := range net.Variables {
		if v.Running == running {
			paths = append(paths, variableOf(v))
		}
	}
	slices.Sort(paths)
	return paths
}

// variableOf returns the path of a variable.
func variableOf(v *onnx.Variable) string {
	if v.Running {
		return runningScope + v.Name
	}
	return thetaScope + v.Name
}

// addVariables adds zeros for the weights, which are set before they're used.
func (net *graphNetwork) addVariables(store *model.Store) error {
	for _, v := range net.Variables {
		if _, err := store.CreateVariable(variableOf(v),
			tensors.FromShape(shapes.Make(computeType, v.Shape...))); err != nil {
			return err
		}
	}
	return nil
}

// entries lists the variables, which have one name in all layouts.
func (net *graphNetwork) entries(a Architecture, mode Mode) (entries []referenceEntry) {
	for _, path := range slices.Concat(net.paths(false), net.paths(true), a.phiPaths(mode)) {
		entries = append(entries, referenceEntry{path: path, name: strings.ReplaceAll(path[1:], "/",
			".")})
	}
	return entries
}

// graphTensors gives the weights of a file the names of the network's variables.
func graphTensors(n Network, weights []Tensor) []Tensor {
	net := graphOf(n.Name)
	named := slices.Clone(weights)
	for i, tensor := range named {
		path := variableOf(net.Variables[tensor.Name])
		named[i].Name = strings.ReplaceAll(path[1:], "/", ".")
	}
	return named
}
