package executor

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// verifyLayout compares the structs of this package with those of the backend, field by field, by
// reflection, so that nothing is read through a type that doesn't fit.
func verifyLayout(backend compute.Backend) error {
	graph := backend.Builder("layout")
	convolution, err := smallConvolution(graph.Main())
	if err != nil {
		return fmt.Errorf("executor: the backend builds no convolution: %w", err)
	}
	product, err := smallDot(graph.Main(), plainDot)
	if err != nil {
		return fmt.Errorf("executor: the backend builds no product of matrices: %w", err)
	}
	sum, err := smallSum(graph.Main())
	if err != nil {
		return fmt.Errorf("executor: the backend builds no sum: %w", err)
	}
	ofConvolution, ofProduct, ofSum := dataType(convolution), dataType(product), dataType(sum)
	if ofConvolution == nil || ofProduct == nil || ofSum == nil {
		return fmt.Errorf("executor: the backend's nodes have no data")
	}
	called, err := smallCall(graph)
	if err != nil {
		return fmt.Errorf("executor: the backend calls no function: %w", err)
	}
	value, err := backend.BufferFromFlatData(0, []float32{0}, shapes.Make(dtypes.Float32, 1))
	if err != nil {
		return fmt.Errorf("executor: the backend makes no buffer: %w", err)
	}
	for _, pair := range []struct{ theirs, ours reflect.Type }{
		{reflect.TypeOf(value).Elem(), reflect.TypeFor[buffer]()},
		{reflect.TypeOf(convolution).Elem(), reflect.TypeFor[node]()},
		{reflect.TypeOf(graph.Main()).Elem(), reflect.TypeFor[function]()},
		{reflect.TypeOf(graph).Elem(), reflect.TypeFor[builder]()},
		{ofConvolution, reflect.TypeFor[convolutionData]()},
		{ofProduct, reflect.TypeFor[dotData]()},
		{ofSum, reflect.TypeFor[reductionData]()},
		{called, reflect.TypeFor[callData]()},
	} {
		if err := sameBeginning(pair.theirs, pair.ours); err != nil {
			return err
		}
	}
	return verifyDots(backend.Builder("products").Main())
}

// dataType returns the type of a node's data, or nil if it has none.
func dataType(node compute.Value) reflect.Type {
	data := reflect.ValueOf(node).Elem().FieldByName("Data")
	if !data.IsValid() || data.Kind() != reflect.Interface || data.Elem().Kind() != reflect.Pointer {
		return nil
	}
	return data.Elem().Type().Elem()
}

// smallConvolution adds a convolution of one pixel to a graph.
func smallConvolution(main compute.Function) (compute.Value, error) {
	one := shapes.Make(dtypes.Float32, 1, 1, 1, 1)
	input, err := main.Parameter("input", one, nil)
	if err != nil {
		return nil, err
	}
	axes := compute.ConvolveAxesConfig{
		InputChannels: 3, InputSpatial: []int{1, 2},
		KernelInputChannels: 2, KernelOutputChannels: 3, KernelSpatial: []int{0, 1},
		OutputChannels: 3, OutputSpatial: []int{1, 2},
	}
	return main.ConvGeneral(input, input, axes, []int{1, 1}, nil, nil, nil, 1, 1)
}

// smallSum adds a sum of one number to a graph.
func smallSum(main compute.Function) (compute.Value, error) {
	terms, err := main.Parameter("terms", shapes.Make(dtypes.Float32, 1), nil)
	if err != nil {
		return nil, err
	}
	return main.ReduceSum(terms, 0)
}

// smallCall adds a function and its call to a graph, and returns the type of the call's data.
func smallCall(graph compute.Builder) (reflect.Type, error) {
	function, err := graph.NewFunction("function")
	if err != nil {
		return nil, err
	}
	one := shapes.Make(dtypes.Float32, 1)
	input, err := function.Parameter("input", one, nil)
	if err != nil {
		return nil, err
	}
	if err := function.Return([]compute.Value{input}, nil); err != nil {
		return nil, err
	}
	argument, err := graph.Main().Parameter("argument", one, nil)
	if err != nil {
		return nil, err
	}
	results, err := graph.Main().Call(function, argument)
	if err != nil {
		return nil, err
	}
	inputs := reflect.ValueOf(results[0]).Elem().FieldByName("Inputs")
	if !inputs.IsValid() || inputs.Kind() != reflect.Slice || inputs.Len() != 1 {
		return nil, fmt.Errorf("its result has no input")
	}
	data := inputs.Index(0).Elem().FieldByName("Data")
	if !data.IsValid() || data.Kind() != reflect.Interface || data.Elem().Kind() != reflect.Pointer {
		return nil, fmt.Errorf("its node has no data")
	}
	return data.Elem().Type().Elem(), nil
}

// sameBeginning returns an error for the first field of ours whose offset, kind or tagged name
// differs from theirs.
func sameBeginning(theirs, ours reflect.Type) error {
	if theirs.Kind() != reflect.Struct || theirs.NumField() < ours.NumField() {
		return fmt.Errorf("executor: the backend's %s has changed: it has fewer fields", theirs)
	}
	for i := range ours.NumField() {
		our, their := ours.Field(i), theirs.Field(i)
		if name := our.Tag.Get("field"); their.Name != name || their.Offset != our.Offset || !sameKind(their.Type, our.Type) {
			return fmt.Errorf("executor: the backend's %s has changed: field %d is %s %s, want %s", theirs, i, their.Name, their.Type, name)
		}
	}
	return nil
}

// sameKind reports whether two types have the same memory layout; a pointer of ours matches any of
// theirs.
func sameKind(theirs, ours reflect.Type) bool {
	if ours == reflect.TypeFor[unsafe.Pointer]() {
		return theirs.Kind() == reflect.Pointer
	}
	if theirs.Kind() != ours.Kind() || theirs.Size() != ours.Size() {
		return false
	}
	if ours.Kind() == reflect.Slice {
		return sameKind(theirs.Elem(), ours.Elem())
	}
	return ours.Kind() == reflect.Pointer || ours.PkgPath() == reflect.TypeFor[node]().PkgPath() || theirs == ours
}
