package network

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/onnx"
	"github.com/nbbnn/workbench/internal/registry"
)

// Defaults are the settings that a defined network takes if its configuration leaves them out.
type Defaults struct {
	Width        int     // channels that Builder.Width returns; 0 means 16
	InitStd      float64 // centre of the initial standard deviations of the latents; 0 means 0.3
	Epochs       int     // of the training; 0 means 30
	Batch        int     // images of a step; 0 means 128
	LearningRate float64 // of the weights and of the posterior at the start; 0 means 0.05
}

// definition is a network and the settings of its training that a configuration may leave out.
type definition struct {
	name string
	Defaults
	build func(*Builder) Value
	own   bool // Define has added it
}

// definitions holds the networks in the order of METHOD.md 1.2, then the ones added by Define.
var definitions = newDefinitions()

func newDefinitions() *registry.Registry[definition] {
	return registry.New("network.Define", func(d definition) string { return d.name }, builtIn...)
}

// Define makes a network available to configurations. Call it from an init function, so that every
// process that reads a run of the network knows it:
//
//	func init() {
//		if err := network.Define("tiny", tiny); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// The definition must be a pure function of the Builder's width and classes: it's called again for
// each configuration. A fingerprint of its layers is part of the configuration, so that a changed
// definition is another run. At most one value of defaults is used.
func Define(name string, build func(*Builder) Value, defaults ...Defaults) error {
	if build == nil {
		return definitions.Refuse(name, fmt.Errorf("network: %s has no definition: "+
			"give a function that adds its layers to the Builder",
			name))
	}
	var d Defaults
	if len(defaults) > 0 {
		d = defaults[0]
	}
	defined := definition{name, d.filled(), build, true}
	if err := cmp.Or(d.validate(name), defined.check()); err != nil {
		return definitions.Refuse(name, err)
	}
	return definitions.Add(defined)
}

func (d Defaults) validate(name string) error {
	if d.Width < 0 || d.InitStd < 0 || d.Epochs < 0 || d.Batch < 0 || d.LearningRate < 0 {
		return fmt.Errorf("network: %s has the defaults %+v: give numbers that aren't negative",
			name, d)
	}
	return nil
}

func (d Defaults) filled() Defaults {
	return Defaults{
		Width: cmp.Or(d.Width, 16), InitStd: cmp.Or(d.InitStd, 0.3), Epochs: cmp.Or(d.Epochs, 30),
		Batch: cmp.Or(d.Batch, 128), LearningRate: cmp.Or(d.LearningRate, 0.05),
	}
}

// check builds the network at its default width, more than once.
func (d definition) check() error {
	a, err := d.architecture(Network{Width: d.Width}, fingerprintClasses[0])
	if err != nil {
		return err
	}
	first, err := d.fingerprint(d.Width)
	if err != nil {
		return err
	}
	if second, _ := d.fingerprint(d.Width); second != first {
		return fmt.Errorf("network: the definition of %s changes from call to call: "+
			"let it depend on Width and Classes only",
			d.name)
	}
	if _, ok := a.sides(); !ok {
		_, err := a.sizes(largestTried, largestTried)
		return fmt.Errorf("network: %s takes no images of up to %d x %d pixels: %w: "+
			"use fewer pools, smaller strides or more padding",
			d.name, largestTried, largestTried, err)
	}
	return nil
}

// architecture builds the network for settings and a number of classes.
func (d definition) architecture(network Network, classes int) (a Architecture, err error) {
	defer func() {
		switch problem := recover().(type) {
		case nil:
		case mistake:
			err = fmt.Errorf("network: %s, width %d: %s", d.name, network.Width, problem.text)
		default:
			err = fmt.Errorf("network: the definition of %s fails at width %d: %v: correct the "+
				"function",
				d.name, network.Width, problem)
		}
	}()
	if net := graphOf(d.name); net != nil {
		a = net.architecture()
		layers := make([]*layer, len(a.layers))
		for i := range a.layers {
			layers[i] = &a.layers[i]
		}
		choose(network.Latents, layers)
		return a, nil
	}
	b := &Builder{network: network, classes: classes, names: map[string]bool{},
		numbers: map[string]int{}}
	output := d.build(b)
	layers := make([]*layer, len(b.steps))
	for i := range b.steps {
		layers[i] = &b.steps[i].layer
	}
	choose(network.Latents, layers)
	return newArchitecture(b, output), nil
}

// fingerprintClasses are the numbers of classes for which a fingerprint describes a network: two
// common ones, and 1 for what depends only on the layers.
var fingerprintClasses = []int{10, 1, 100}

// fingerprint returns hexadecimal digits that change with the layers of the network.
func (d definition) fingerprint(width int) (string, error) {
	if net := graphOf(d.name); net != nil {
		return net.digest, nil
	}
	hash := sha256.New()
	for _, classes := range fingerprintClasses {
		a, err := d.architecture(Network{Width: width}, classes)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(hash, "%d classes\n%s", classes, a.text())
	}
	return hex.EncodeToString(hash.Sum(nil)[:6]), nil
}

// definitionOf finds a network by its name; an unknown one has the zero definition.
func definitionOf(name string) definition {
	d, _ := definitions.Find(name)
	return d
}

// withFingerprint fills the fingerprint of a defined network.
func (n Network) withFingerprint() Network {
	if n.Fingerprint == "" {
		n.Fingerprint, _ = n.fingerprint() // validate returns the error
	}
	return n
}

// Undefined returns an error unless this program has the layers that filled settings were made for:
// another program defines them, or they have changed. The results of such a network can be read all
// the same.
func (n Network) Undefined() error {
	now, err := n.fingerprint()
	if n.Fingerprint != "" && strings.HasSuffix(n.Name, "_"+n.Fingerprint) &&
		definitionOf(n.Name).name == "" {
		return fmt.Errorf("network: the network %s of a file in the ONNX format isn't known: put "+
			"network.onnx back into the run's directory, or import the file again", n.Name)
	}
	return cmp.Or(err, definitions.Undefined(n.Name, n.Fingerprint, now, "the layers of "+
		n.Name+" have"))
}

// fingerprint returns the fingerprint of the network's definition in this program, "" if it is
// built in or unknown.
func (n Network) fingerprint() (string, error) {
	if d := definitionOf(n.Name); d.own {
		return d.fingerprint(n.Width)
	}
	return "", nil
}

// graphName matches the name of a network from a file: the file's, and a fingerprint.
var graphName = regexp.MustCompile(`_[0-9a-f]{12}$`)

// validateName checks that the network is known, or was in the program that filled the settings.
func (n Network) validateName() error {
	err := check.Known("network", n.Name, Names()...)
	if err == nil || n.Fingerprint != "" {
		return nil
	}
	if graphName.MatchString(n.Name) {
		return fmt.Errorf("network: the network %s comes from a file in the ONNX format, whose "+
			"weights aren't trained here: `nbbnn posthoc --from RUN` puts noise on its run", n.Name)
	}
	return cmp.Or(definitions.Refused(n.Name), fmt.Errorf("%w; one of your own is in your program",
		err))
}

// Read returns the network in an ONNX file, to replace n, and its weights as variables of a model.
// channels is the order of the colours that it takes, rgb or bgr; "" means rgb. outputs has the
// output of each class, if the network has others, too; nil means that it has none. Configurations
// of this process can name the network from then on.
func (n Network) Read(path, channels string, outputs []int) (Network, []Tensor, error) {
	graph, weights, err := onnx.Read(path)
	if err != nil {
		return n, nil, err
	}
	if err := traceGraph(graph, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)),
		channels); err != nil {
		return n, nil, err
	}
	if outputs != nil {
		if err := graph.Choose(outputs); err != nil {
			return n, nil, err
		}
	}
	data, err := graph.Bytes()
	if err != nil {
		return n, nil, err
	}
	if n, err = defineGraph(data, true); err != nil {
		return n, nil, err
	}
	return n, graphTensors(n, weights), nil
}

// Restore defines the network of a file again, from the bytes of Graph.
func (n Network) Restore(graph []byte) error {
	_, err := defineGraph(graph, false)
	return err
}

// Graph returns the operations of the network of a file, for Restore in another process; nil for
// other networks.
func (n Network) Graph() []byte {
	if net := graphOf(n.Name); net != nil {
		return net.data
	}
	return nil
}
