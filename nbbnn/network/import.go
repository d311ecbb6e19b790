package network

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/safetensors"
)

// importedFile is a file of weights for a network.
type importedFile struct {
	path     string
	settings Settings
	tensors  map[string]Tensor // remaining tensors, by name
	theirs   bool              // the layout is the published code's
	layers   []layer           // of the network
}

// unwrapped returns the network's tensors among a file's, with notes on the changes.
func unwrapped(m *Model, path string, stored []Tensor) (tensors []Tensor, notes []string,
	err error) {
	theirs := !slices.ContainsFunc(stored, func(t Tensor) bool {
		return strings.Contains(t.Name, thetaPrefix)
	})
	name, mode := m.Settings.Network.Name, m.Settings.Posterior.Mode
	var required []string
	for _, entry := range referenceEntries(name, m.Architecture, mode) {
		if !theirs {
			entry.name = tensorName(m.store.GetVariable(entry.path))
		}
		required = append(required, entry.name)
	}
	prefix, others, err := prefixOf(path, stored, required)
	if err != nil {
		return nil, nil, err
	}
	var left []string
	for _, tensor := range stored {
		inner, ours := strings.CutPrefix(tensor.Name, prefix)
		if !ours || slices.ContainsFunc(others, func(other string) bool {
			return strings.HasPrefix(tensor.Name, other)
		}) {
			left = append(left, tensor.Name)
			continue
		}
		tensor.Name = inner
		tensors = append(tensors, tensor)
	}
	if prefix != "" {
		notes = append(notes, fmt.Sprintf("the prefix %s was taken from the names in the file",
			prefix))
	}
	if len(left) > 0 {
		notes = append(notes, fmt.Sprintf("left out of the file: %s (%s and so on), which the "+
			"network hasn't", quantity.Count(len(left), "tensor"), left[0]))
	}
	return tensors, notes, nil
}

// prefixOf returns the prefix of the required names in a file, and, if the file has them without
// one, the prefixes of others that are complete. Most names with a prefix suffice, so that an error
// names what is missing.
func prefixOf(path string, stored []Tensor, required []string) (prefix string, others []string,
	err error) {
	count := map[string]int{}
	for _, tensor := range stored {
		for _, name := range required {
			if before, found := strings.CutSuffix(tensor.Name, name); found &&
				(before == "" || strings.HasSuffix(before, ".")) {
				count[before]++
			}
		}
	}
	bare := count[""]
	delete(count, "")
	for _, before := range slices.Sorted(maps.Keys(count)) {
		if count[before] == len(required) {
			others = append(others, before)
		}
		if count[before] > len(required)/2 && count[before] > max(bare, count[prefix]) {
			prefix = before
		}
	}
	switch {
	case bare == len(required):
		return "", others, nil
	case len(others) > 1:
		return "", nil, fmt.Errorf("nbbnn: %s has %d networks, with the prefixes %s: save the "+
			"tensors of one without the prefix",
			path, len(others), strings.Join(others, " and "))
	}
	return prefix, nil, nil
}

// take returns the values that the file has for a variable.
func (f *importedFile) take(entry referenceEntry, v *model.Variable) ([]byte, error) {
	name, shape := tensorName(v), v.Shape().Dimensions
	if f.theirs {
		name, shape = entry.name, entry.theirShape(shape)
	}
	tensor, ok := f.tensors[name]
	if !ok {
		return nil, fmt.Errorf("nbbnn: %s has no tensor %s %v, which %s in mode %s has%s",
			f.path, name, shape, f.settings.Network.Name, f.settings.Posterior.Mode,
			f.missingAdvice(entry, name, shape))
	}
	if tensor.DType != "F32" || !slices.Equal(tensor.Shape, shape) {
		return nil, fmt.Errorf("nbbnn: %s has %s of type %s and shape %v, want F32 and %v: %s",
			f.path, name, tensor.DType, tensor.Shape, shape, f.shapeAdvice(entry, tensor, shape))
	}
	delete(f.tensors, name)
	if f.theirs {
		tensor.Data = entry.fromTheirs(tensor, v.Shape().Dimensions)
	}
	if safetensors.NotFinite(tensor) != "" {
		return nil, fmt.Errorf("nbbnn: %s has %s with an infinity or NaN in it: "+
			"choose weights of a training that didn't diverge",
			f.path, name)
	}
	for i := 3; i < len(tensor.Data) && strings.HasSuffix(entry.name, ".running_var"); i += 4 {
		if tensor.Data[i]&0x80 != 0 && tensor.Data[i]&0x7f != 0 {
			return nil, fmt.Errorf("nbbnn: %s has %s with a negative variance: the file is "+
				"damaged, or isn't of this network: download or save it again", f.path, name)
		}
	}
	return tensor.Data, nil
}

// missingAdvice suggests why a tensor is missing.
func (f *importedFile) missingAdvice(entry referenceEntry, name string, shape []int) string {
	layout := WorkbenchLayout
	if f.theirs {
		layout = ReferenceLayout
	}
	if strings.HasPrefix(entry.path, phiScope) &&
		!slices.ContainsFunc(slices.Collect(maps.Keys(f.tensors)), layout.InPosterior) {
		return ": it holds a network without latents: give --mode none to import it as one"
	}
	if near := f.nearest(name, shape); near != "" {
		return near + ": rename it if it's the same, or give the network, width and mode that it " +
			"was trained with"
	}
	return ": give the network, width and mode that it was trained with"
}

// nearest names the file's tensor that most resembles a missing one: of its shape, with a similar
// name, in its place or the only one; or else of any shape.
func (f *importedFile) nearest(name string, shape []int) string {
	var others, alike []string // of the same shape
	for _, other := range slices.Sorted(maps.Keys(f.tensors)) {
		if len(f.tensors[other].Shape) == len(shape) {
			others = append(others, other)
		}
		if slices.Equal(f.tensors[other].Shape, shape) {
			alike = append(alike, other)
		}
	}
	found, ok := nearest.Name(name, alike)
	most := 0
	for _, other := range alike {
		if shared := sharedParts(name, other); !ok && shared > most {
			most, found = shared, other
		}
	}
	if found == "" && len(alike) == 1 {
		found = alike[0]
	} else if found == "" {
		found, _ = nearest.Name(name, others)
	}
	if found == "" {
		return ""
	}
	return fmt.Sprintf(" (the nearest is %s %v)", found, f.tensors[found].Shape)
}

// sharedParts returns the number of leading parts, separated by dots, that two names share.
func sharedParts(a, b string) (count int) {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for count < min(len(x), len(y)) && x[count] == y[count] {
		count++
	}
	return count
}

// shapeAdvice explains a different shape if the reason is a common one.
func (f *importedFile) shapeAdvice(entry referenceEntry, tensor Tensor, want []int) string {
	have := tensor.Shape
	first, last := f.layers[0], f.layers[len(f.layers)-1]
	outputs, kernel := len(want)-1, 0 // the axes of the classes and of the kernel
	if f.theirs {
		outputs, kernel = 0, 2
	}
	switch {
	case tensor.DType != "F32":
		return "give the network as it was before it was quantised, or convert its tensors with " +
			"x.float()"
	case len(have) != len(want):
	case (entry.path == weightPath(last) || entry.path == biasPath(last)) &&
		have[outputs] != want[outputs]:
		return fmt.Sprintf("the file distinguishes %d classes, the data set has %d: give the data "+
			"set that it was trained on",
			have[outputs], want[outputs])
	case entry.path == weightPath(first) && len(want) == 4 && have[kernel] != want[kernel]:
		cure := "replace it and train again"
		switch name := f.settings.Network.Name; {
		case name == "resnet18" && have[kernel] == 7:
			cure = "give --network " + imageNetResNet18
		case name == imageNetResNet18 && have[kernel] == 3:
			cure = "give --network resnet18 if its stride is 1 and no pool follows"
		}
		return fmt.Sprintf("its first convolution has %d x %d pixels, our %s's %d x %d: %s",
			have[kernel], have[kernel], f.settings.Network.Name, want[kernel], want[kernel], cure)
	}
	return "give the network, width and mode that it was trained with"
}

// checkRest refuses tensors that the network doesn't have. The published code keeps the prior with
// each layer, which must equal the settings', and counts the batches of its normalisations, which
// nothing depends on.
func (f *importedFile) checkRest() error {
	rest := f.tensors
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		prior := priorMean
		switch {
		case strings.HasSuffix(name, ".num_batches_tracked"),
			strings.HasPrefix(name, momentumBuffer+"."),
			strings.HasPrefix(name, hookPrefix):
			continue
		case strings.HasSuffix(name, ".prior_std"):
			prior = f.settings.Posterior.PriorStd
		case !strings.HasSuffix(name, ".prior_mean"):
			return fmt.Errorf("nbbnn: %s has %s %v, which %s in mode %s hasn't: "+
				"take it out, or give the network, width and mode that it was trained with",
				f.path, name, rest[name].Shape, f.settings.Network.Name, f.settings.Posterior.Mode)
		}
		if len(rest[name].Data) != 4 {
			return fmt.Errorf("nbbnn: %s has %s %v, want a single float32", f.path, name,
				rest[name].Shape)
		}
		got := float64(rest[name].Floats()[0])
		if math.Abs(got-prior) > 1e-6 {
			return fmt.Errorf("nbbnn: %s has %s %g, the configuration %g: "+
				"give the prior that it was trained with",
				f.path, name, got, prior)
		}
	}
	return nil
}
