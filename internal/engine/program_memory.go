package engine

import (
	"reflect"

	"github.com/gomlx/compute"
)

// ProgramMemory returns the memory of its device that a compiled program needs, in bytes, by the
// plan of XLA's compiler: arguments, outputs, intermediate values and code. It's 0 if unknown, as
// for the pure-Go engine.
//
// XLA plans all memory of a program before it runs, so it takes exactly this from the device.
// go-xla has the numbers in a public struct but keeps the way to it private, so it's gone by the
// names of the fields, without changing anything.
func ProgramMemory(executable compute.Executable) int64 {
	value := reflect.ValueOf(executable)
	for _, name := range []string{"exec", "OnDeviceMemoryUsageStats"} {
		if value.Kind() == reflect.Interface || value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		if value.Kind() != reflect.Struct {
			return 0
		}
		value = value.FieldByName(name)
	}
	if value.Kind() != reflect.Struct {
		return 0
	}
	total := int64(0)
	for name, sign := range map[string]int64{"GeneratedCode": 1, "Inputs": 1, "Outputs": 1,
		"Aliases": -1, "Temporary": 1} {
		part := value.FieldByName(name)
		if !part.IsValid() || !part.CanInt() {
			return 0
		}
		total += sign * part.Int()
	}
	return max(0, total)
}
