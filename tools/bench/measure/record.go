package measure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/machine"
)

// Record holds the measurements on one machine: a file of docs/performance.
type Record struct {
	Machine     machine.Machine `json:"machine"`
	Comparisons []Comparison    `json:"comparisons,omitempty"` // with other programs
	Settings    []Comparison    `json:"settings,omitempty"`    // of our own: cores, components, frozen weights
	Methods     []Comparison    `json:"methods,omitempty"`     // of our own, with SGD first
	Profiles    []Profile       `json:"profiles,omitempty"`
	Scalings    []Scaling       `json:"scalings,omitempty"`
	Estimates   []Estimate      `json:"estimates,omitempty"`
	Corruption  *Corruption     `json:"corruption,omitempty"`
	Start       *Start          `json:"start,omitempty"`
}

// Scaling is how the time of training grows with one quantity.
type Scaling struct {
	Variable string    `json:"variable"` // "samples", "images" or "epochs"
	Network  string    `json:"network"`
	Width    int       `json:"width"`
	Values   []float64 `json:"values"`
	Seconds  []float64 `json:"seconds"`
	Exponent float64   `json:"exponent"` // b of seconds = a value^b
}

// Estimate compares what `nbbnn train --plan` said with what was measured.
type Estimate struct {
	Workload
	Seconds         float64 `json:"seconds"` // of a step
	MeasuredSeconds float64 `json:"measured_seconds"`
	Memory          float64 `json:"memory_bytes"`
	MeasuredMemory  float64 `json:"measured_memory_bytes"`
}

// ReadRecord reads a record; a file that isn't there gives an empty one of this machine.
func ReadRecord(path string) (Record, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Record{Machine: machine.Describe()}, nil
	}
	if err != nil {
		return Record{}, fmt.Errorf("bench: %w: make the file readable", err)
	}
	var record Record
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&record); err != nil {
		return Record{}, fmt.Errorf("bench: %s is no record of measurements: %w: write to another file", path, err)
	}
	return record, nil
}

// Update reads the record at path, changes it and writes it back. A record of another machine is
// refused.
func Update(path string, change func(*Record)) error {
	record, err := ReadRecord(path)
	if err != nil {
		return err
	}
	if here := machine.Describe(); record.Machine.Model != here.Model || record.Machine.Cores != here.Cores {
		return fmt.Errorf("bench: %s is of %s with %d cores, this is %s with %d: write to another file",
			path, record.Machine.Model, record.Machine.Cores, here.Model, here.Cores)
	}
	change(&record)
	data, err := record.encode()
	if err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	if err := files.WriteBytes(path, data); err != nil {
		return fmt.Errorf("bench: %s can't be written: %w: make the folder writable", path, err)
	}
	return nil
}

// sections are the fields of a record, in the order of the file.
var sections = []string{
	"machine", "comparisons", "settings", "methods", "profiles", "scalings", "estimates", "corruption", "start",
}

// encode returns the record as JSON with one measurement a line.
func (r Record) encode() ([]byte, error) {
	compact, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(compact, &values); err != nil {
		return nil, err
	}
	var lines []string
	for _, name := range sections {
		value, present := values[name]
		if !present {
			continue
		}
		var measurements []json.RawMessage
		if err := json.Unmarshal(value, &measurements); err == nil {
			value = append(append([]byte("[\n  "), bytes.Join(asBytes(measurements), []byte(",\n  "))...), "\n ]"...)
		}
		lines = append(lines, fmt.Sprintf(" %q: %s", name, value))
	}
	return []byte("{\n" + strings.Join(lines, ",\n") + "\n}\n"), nil
}

func asBytes(messages []json.RawMessage) [][]byte {
	all := make([][]byte, len(messages))
	for i, message := range messages {
		all[i] = message
	}
	return all
}

// put replaces the element for which same holds, or adds it at the end.
func put[T any](all []T, element T, same func(T) bool) []T {
	if i := slices.IndexFunc(all, same); i >= 0 {
		all[i] = element
		return all
	}
	return append(all, element)
}

// PutComparison enters a comparison with other programs in place of an earlier one of the same
// work.
func (r *Record) PutComparison(c Comparison) {
	r.Comparisons = put(r.Comparisons, c, func(other Comparison) bool { return other.Key() == c.Key() })
}

// PutSetting enters a comparison of our own settings.
func (r *Record) PutSetting(c Comparison) {
	same := func(other Comparison) bool {
		return other.Key() == c.Key() && other.Entries[1].Name == c.Entries[1].Name
	}
	r.Settings = put(r.Settings, c, same)
}

// PutMethods enters a comparison of the methods.
func (r *Record) PutMethods(c Comparison) {
	r.Methods = put(r.Methods, c, func(other Comparison) bool { return other.Key() == c.Key() })
}

// PutProfile enters where the time of a step goes: the operations that the page shows.
func (r *Record) PutProfile(p Profile) {
	p.Operations = p.Largest(profiledOperations)
	r.Profiles = put(r.Profiles, p, func(other Profile) bool { return other.What == p.What && other.Workload == p.Workload })
}

// PutScaling enters how the time grows with a quantity.
func (r *Record) PutScaling(s Scaling) {
	r.Scalings = put(r.Scalings, s, func(other Scaling) bool {
		return other.Variable == s.Variable && other.Network == s.Network && other.Width == s.Width
	})
}

// PutEstimate enters an estimate.
func (r *Record) PutEstimate(e Estimate) {
	r.Estimates = put(r.Estimates, e, func(other Estimate) bool { return other.Workload == e.Workload })
}
