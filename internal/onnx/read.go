package onnx

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/gomlx/compute-onnx/support/protos"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/safetensors"
)

// Limits of files. A protocol buffer has at most 2 GB, so larger networks have their weights in
// separate files, which together have the same limit.
const (
	mostBytes     = 1<<31 - 1
	mostStructure = 32 << 20 // bytes that aren't weights
	mostNodes     = 100_000
	firstOpset    = 7
	lastOpset     = 25
)

// Read reads the network in a file. Its weights are float32 and named as the variables of the
// graph.
func Read(path string) (*Graph, []safetensors.Tensor, error) {
	g, weights, err := read(path)
	if err != nil {
		return nil, nil, fmt.Errorf("onnx: %s %w", path, err)
	}
	return g, weights, nil
}

func read(path string) (*Graph, []safetensors.Tensor, error) {
	m, err := parseFile(path)
	if err != nil {
		return nil, nil, err
	}
	if property(m.MetadataProps, ExportKey) != "" {
		return nil, nil, errors.New("is the prediction of a run, as `nbbnn weights export` " +
			"writes it: export that run as NAME.safetensors, and import this")
	}
	if err := loadExternal(m.Graph, filepath.Dir(path)); err != nil {
		return nil, nil, err
	}
	return simplify(m)
}

// ExportKey is in the metadata of the predictions of runs, which aren't read.
const ExportKey = "nbbnn"

// Exported returns the metadata of a run's prediction, none of another file in the ONNX format.
func Exported(path string) (map[string]string, error) {
	m, err := parseFile(path)
	if err != nil {
		return nil, fmt.Errorf("onnx: %s %w", path, err)
	}
	if property(m.MetadataProps, ExportKey) == "" {
		return nil, nil
	}
	all := map[string]string{}
	for _, entry := range m.MetadataProps {
		all[entry.Key] = entry.Value
	}
	return all, nil
}

func parseFile(path string) (*protos.ModelProto, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("can't be read: %w: give the path of a file that can be read", err)
	}
	if info.Size() > mostBytes || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("has %s, want a file of up to 2 GB: save its weights as "+
			"external data next to it", quantity.Bytes(info.Size()))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("can't be read: %w", err)
	}
	return parse(data)
}

var errNoONNX = errors.New("isn't an ONNX file, or is cut off: export the network again " +
	"(torch.onnx.export)")

// parse reads a model, if what isn't weights has a bounded size.
func parse(data []byte) (*protos.ModelProto, error) {
	structure, nodes, err := measure(data)
	if err != nil || nodes == 0 {
		return nil, errNoONNX
	}
	if structure > mostStructure || nodes > mostNodes {
		return nil, fmt.Errorf("has %d nodes and %s besides its weights, want up to %d and %s: "+
			"it's too large to be computed here",
			nodes, quantity.Bytes(int64(structure)), mostNodes, quantity.Bytes(mostStructure))
	}
	m := new(protos.ModelProto)
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(data, m); err != nil ||
		m.Graph == nil {
		return nil, errNoONNX
	}
	return m, nil
}

// Numbers of fields in onnx.proto.
const (
	graphField       = 7 // of a model
	nodeField        = 1 // of a graph
	initializerField = 5
	attributeField   = 5 // of a node
	tensorField      = 5 // of an attribute
	floatsField      = 4 // of a tensor: float_data and raw_data
	rawField         = 9
)

// measure counts the bytes of a model that aren't weights, and its nodes, without a copy.
func measure(data []byte) (structure, nodes int, err error) {
	payload := 0
	tensor := func(number protowire.Number, value []byte) error {
		if number == floatsField || number == rawField {
			payload += len(value)
		}
		return nil
	}
	node := in(attributeField, in(tensorField, tensor))
	graph := func(number protowire.Number, value []byte) error {
		switch number {
		case nodeField:
			nodes++
			return eachField(value, node)
		case initializerField:
			return eachField(value, tensor)
		}
		return nil
	}
	err = eachField(data, in(graphField, graph))
	return len(data) - payload, nodes, err
}

// fieldVisit is called with the number of a field and its bytes.
type fieldVisit func(number protowire.Number, value []byte) error

// in returns a visit of the fields of those messages that a field holds.
func in(field protowire.Number, visit fieldVisit) fieldVisit {
	return func(number protowire.Number, value []byte) error {
		if number != field {
			return nil
		}
		return eachField(value, visit)
	}
}

// eachField visits the fields of a message that hold bytes.
func eachField(message []byte, visit fieldVisit) error {
	for len(message) > 0 {
		number, kind, length := protowire.ConsumeTag(message)
		if length < 0 {
			return protowire.ParseError(length)
		}
		message = message[length:]
		length = protowire.ConsumeFieldValue(number, kind, message)
		if length < 0 {
			return protowire.ParseError(length)
		}
		if kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(message)
			if err := visit(number, value); err != nil {
				return err
			}
		}
		message = message[length:]
	}
	return nil
}

// loadExternal reads the weights that are in files next to the model.
func loadExternal(g *protos.GraphProto, folder string) error {
	total := 0
	for _, t := range g.Initializer {
		if t.DataLocation != protos.TensorProto_EXTERNAL {
			continue
		}
		at := map[string]string{}
		for _, entry := range t.ExternalData {
			at[entry.Key] = entry.Value
		}
		name := filepath.FromSlash(at["location"])
		if !filepath.IsLocal(name) {
			return fmt.Errorf("has the weights %q in %q, outside of its folder: put them into it",
				t.Name, name)
		}
		size, err := bytesOf(t)
		if err != nil {
			return err
		}
		if total += size; total > mostBytes {
			return fmt.Errorf("has more than 2 GB of weights: they can't be read")
		}
		if t.RawData, err = readPart(folder, name, at["offset"], size); err != nil {
			if wrapped := errors.Unwrap(err); wrapped != nil { // without the unquoted name
				err = wrapped
			}
			return fmt.Errorf("has the weights %q in the file %q: %w: put the whole file next "+
				"to it", t.Name, name, err)
		}
		t.DataLocation, t.ExternalData = protos.TensorProto_DEFAULT, nil
	}
	return nil
}

// readPart reads size bytes of a file inside folder, also after symbolic links.
func readPart(folder, name, offset string, size int) ([]byte, error) {
	from, err := strconv.ParseInt(cmp.Or(offset, "0"), 10, 64)
	if err != nil || from < 0 {
		return nil, fmt.Errorf("its offset is %q", offset)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || from > info.Size()-int64(size) {
		return nil, fmt.Errorf("it has %d bytes, want %d from %d on", info.Size(), size, from)
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data := make([]byte, size)
	_, err = file.ReadAt(data, from)
	return data, err
}

// widths are the bytes of a number of the types that weights and settings of operations have.
var widths = map[protos.TensorProto_DataType]int{
	protos.TensorProto_FLOAT: 4, protos.TensorProto_INT64: 8, protos.TensorProto_INT32: 4,
	protos.TensorProto_BOOL:   1,
	protos.TensorProto_DOUBLE: 8, protos.TensorProto_FLOAT16: 2, protos.TensorProto_BFLOAT16: 2,
	protos.TensorProto_INT8: 1, protos.TensorProto_UINT8: 1,
}

// bytesOf returns the size of a tensor's values as raw bytes.
func bytesOf(t *protos.TensorProto) (int, error) {
	kind := protos.TensorProto_DataType(t.DataType)
	width, known := widths[kind]
	if !known {
		return 0, fmt.Errorf("has the tensor %q of type %s: export the network in float32", t.Name,
			kind)
	}
	count := int64(1)
	for _, n := range t.Dims {
		if n < 0 || n > 0 && count > mostBytes/n {
			return 0, fmt.Errorf("has the tensor %q of shape %v: it's damaged, export the "+
				"network again", t.Name, t.Dims)
		}
		count *= n
	}
	return int(count) * width, nil
}

// checkTensors refuses weights and constants of a simplified graph that can't be held in memory.
func checkTensors(g *protos.GraphProto) error {
	total := 0
	tensors := slices.Clone(g.Initializer)
	for _, n := range g.Node {
		if t := constant(n); t != nil {
			tensors = append(tensors, t)
		}
	}
	for i, t := range tensors {
		if t.DataLocation == protos.TensorProto_EXTERNAL ||
			i < len(g.Initializer) && t.DataType != int32(protos.TensorProto_FLOAT) {
			return fmt.Errorf("has the tensor %q outside of it, or weights that aren't float32: "+
				"export the network again", t.Name)
		}
		size, err := bytesOf(t)
		if err != nil {
			return err
		}
		if total += size; total > mostBytes {
			return errors.New("has more than 2 GB of weights: they can't be read")
		}
	}
	return nil
}

// floats returns the values of float32 weights.
func floats(t *protos.TensorProto, name string) (safetensors.Tensor, error) {
	size, err := bytesOf(t)
	if err != nil {
		return safetensors.Tensor{}, err
	}
	result := safetensors.Tensor{Name: name, DType: "F32", Data: t.RawData}
	for _, n := range t.Dims {
		result.Shape = append(result.Shape, int(n))
	}
	if len(t.FloatData) > 0 {
		result = safetensors.FromFloats(name, t.FloatData, result.Shape...)
	}
	if len(result.Data) != size {
		return result, fmt.Errorf("has the weights %q with %d bytes, want %d for %v: it's "+
			"damaged, export the network again", t.Name, len(result.Data), size, t.Dims)
	}
	for i := 0; i < size; i += 4 {
		const exponent = 0xff << 23 // only of infinities and NaN
		if binary.LittleEndian.Uint32(result.Data[i:])&exponent == exponent {
			return result, fmt.Errorf("has the weights %q with an infinity or NaN in it: choose "+
				"weights of a training that didn't diverge", t.Name)
		}
	}
	return result, nil
}
