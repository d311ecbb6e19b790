package sweep

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/internal/fields"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/options"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// Manifest lists the points of a sweep: configurations, each of which is trained and then tested.
// It never changes once it is written, so that an index means the same point on every machine.
type Manifest struct {
	// the test of every point; nil only trains
	Evaluation *nbbnn.Evaluation `json:"evaluation,omitempty"`
	// that the sweep was planned for, which measures the points
	Figure *Figure   `json:"figure,omitempty"`
	Points []Planned `json:"points"`

	// Measure tests the points; nil is the evaluation. The file doesn't have it.
	Measure Measure `json:"-"`

	varying map[string][]fields.Field // in which the points of each title differ
}

// Planned is a point in the file.
type Planned struct {
	Run    string       `json:"run"`    // hash of the configuration
	Config nbbnn.Config `json:"config"` // filled
}

// Figure names the figure of the paper that a manifest was planned for: its points are measured as
// the figure needs them.
type Figure struct {
	Number int `json:"number"`
	// of a figure of ours, whose number is 0, for example "demo"
	Key   string `json:"key,omitempty"`
	Scale string `json:"scale"`
}

// Name returns the number or the key.
func (f Figure) Name() string { return cmp.Or(f.Key, strconv.Itoa(f.Number)) }

// New plans a point for each configuration, in the given order. Every point is tested by the
// evaluation; nil only trains. It returns an error if a configuration can't be trained or tested,
// or appears twice.
func New(configs []nbbnn.Config, evaluation *nbbnn.Evaluation) (*Manifest, error) {
	if len(configs) == 0 {
		return nil, errors.New("sweep: no configuration is given: a sweep has one point or more")
	}
	m := &Manifest{Points: make([]Planned, len(configs))}
	if evaluation != nil {
		filled := evaluation.WithDefaults()
		m.Evaluation = &filled
	}
	at := map[string]int{} // index by hash
	for i, config := range configs {
		config = config.WithDefaults()
		if err := m.check(config); err != nil {
			return nil, fmt.Errorf("%w (point %d)", err, i)
		}
		hash := config.Hash()
		if first, twice := at[hash]; twice {
			return nil, fmt.Errorf("sweep: points %d and %d have the same configuration, run "+
				"%.12s: leave one of them out", first, i, hash)
		}
		at[hash], m.Points[i] = i, Planned{hash, config}
	}
	m.vary()
	return m, nil
}

// vary finds what differs between the points of each title.
func (m *Manifest) vary() {
	titled := map[string][]nbbnn.Config{}
	for _, config := range m.Configs() {
		titled[config.Title()] = append(titled[config.Title()], config)
	}
	m.varying = map[string][]fields.Field{}
	for title, configs := range titled {
		m.varying[title] = Differing(configs...)
	}
}

// Configs returns the configurations of all points.
func (m *Manifest) Configs() []nbbnn.Config {
	configs := make([]nbbnn.Config, len(m.Points))
	for i, point := range m.Points {
		configs[i] = point.Config
	}
	return configs
}

// check checks the configuration and the test of a point.
func (m *Manifest) check(config nbbnn.Config) error {
	if err := config.Validate(); err != nil {
		return err
	}
	if m.Evaluation == nil {
		return nil
	}
	if err := m.Evaluation.Validate(config.Posterior.Components); err != nil {
		return err
	}
	if have := config.Data.Images().Size().Test; have > 0 && m.Evaluation.Images > have {
		return fmt.Errorf("sweep: %d test images are asked for, %s has %d: lower the number",
			m.Evaluation.Images, config.Data.Name, have)
	}
	return nil
}

// RunName returns the name of a point's run directory.
func (m *Manifest) RunName(index int) string {
	const length = 12 // of Config.RunName
	return m.Points[index].Run[:length]
}

// config returns the filled configuration of a point. It is an error wrapping ErrNever if the index
// is outside the manifest, or if this program reads the configuration differently from the planning
// one.
func (m *Manifest) config(index int) (nbbnn.Config, error) {
	if err := checkIndex(index, len(m.Points), "point"); err != nil {
		return nbbnn.Config{}, err
	}
	planned := m.Points[index]
	config := planned.Config.WithDefaults()
	if hash := config.Hash(); hash != planned.Run {
		return config, never{fmt.Errorf("sweep: point %d is run %.12s in the manifest and %.12s "+
			"in this program: it was planned by another version, or with other images; use that "+
			"one, or plan again", index, planned.Run, hash)}
	}
	return config, nil
}

// checkIndex refuses the index of a thing of which there are count.
func checkIndex(index, count int, thing string) error {
	if 0 <= index && index < count {
		return nil
	}
	return never{fmt.Errorf("sweep: index %d is outside the manifest, whose %s are 0 to %d: "+
		"start the array at 0", index, counted(count, thing), count-1)}
}

// Chunk returns the size points of a task, from index*size.
func (m *Manifest) Chunk(index, size int) (points []int, err error) {
	thing := "point"
	switch {
	case size < 1:
		return nil, never{fmt.Errorf("sweep: a chunk of %d points: give 1 or more", size)}
	case size > 1:
		thing = "chunk"
	}
	if err := checkIndex(index, m.Tasks(size), thing); err != nil {
		return nil, err
	}
	for i := index * size; i < min((index+1)*size, len(m.Points)); i++ {
		points = append(points, i)
	}
	return points, nil
}

// Tasks returns the number of tasks that take size points each.
func (m *Manifest) Tasks(size int) int { return (len(m.Points) + size - 1) / size }

// Name describes how a point differs from the others of its title, "gamma 2, seed 1": as
// nbbnn.Differences does, but only with its own method's options, and with the seed. Without a
// difference it's the run's name.
func (m *Manifest) Name(config nbbnn.Config) string {
	var parts, seed []string
	for _, f := range m.varying[config.Title()] {
		part, isMethod := f.Part(config), f.Path() == "method.fingerprint" || f.Keys[0] == "posthoc"
		switch {
		case f.Path() == "seed":
			seed = []string{part}
		case part != "" && !isMethod && options.Has(f, config.Method, config.Settings()):
			parts = append(parts, part)
		}
	}
	if len(m.varying) > 1 {
		parts = slices.Insert(parts, 0, config.Title())
	}
	if len(parts) > 0 {
		seed = slices.Insert(seed, 0, fields.Join(parts))
	}
	return cmp.Or(strings.Join(seed, ", "), "run "+config.RunName())
}

// Differing lists the fields that aren't the same in all configurations.
func Differing(configs ...nbbnn.Config) []fields.Field {
	return slices.DeleteFunc(fields.Of(reflect.TypeFor[nbbnn.Config]()), func(f fields.Field) bool {
		return !slices.ContainsFunc(configs, func(c nbbnn.Config) bool {
			return !f.In(&c).Equal(f.In(&configs[0]))
		})
	})
}

// Write writes the manifest to a file. It leaves a file with the same plan unchanged; anything else
// in the file is an error, because processes may be working on it.
func (m *Manifest) Write(path string) error {
	there, err := Read(path)
	if err == nil && reflect.DeepEqual(there, m) {
		return nil
	}
	var system *fs.PathError
	if errors.As(err, &system) && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("sweep: %w: choose another name for the manifest", system)
	}
	if _, missing := os.Stat(path); !errors.Is(missing, fs.ErrNotExist) {
		return never{fmt.Errorf("sweep: %s exists and holds something else: choose another name, "+
			"or remove it if nothing runs from it", path)}
	}
	if err := files.WriteSealed(path, "", m); err != nil {
		return fmt.Errorf("sweep: %w", files.Unwritten(path, err))
	}
	return nil
}

// Read reads a manifest. A file that was edited after planning, or that another version wrote, is
// an error wrapping ErrNever.
func Read(path string) (*Manifest, error) {
	m := &Manifest{}
	err := files.ReadSealed(path, "", m)
	var system *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, never{fmt.Errorf("sweep: there's no manifest %s: "+
			"`nbbnn sweep plan --manifest %[1]s`, with the flags of what varies, writes one", path)}
	case errors.As(err, &system):
		return nil, fmt.Errorf("sweep: %w", files.Unreadable(err))
	case err == nil && len(m.Points) == 0:
		err = errors.New("it has no points")
	}
	if err != nil {
		return nil, never{fmt.Errorf("sweep: %s is no manifest of this version, or was edited or "+
			"damaged after planning: %w: restore it, or plan under another name (finished points "+
			"stay finished)", path, err)}
	}
	m.vary()
	return m, nil
}

// ReadConfigs reads a JSON array of configurations. Keys that are left out keep their zero value;
// an unknown key is an error.
func ReadConfigs(path string) ([]nbbnn.Config, error) {
	data, err := files.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("sweep: %w: give the JSON file of an array of configurations", err)
	}
	var texts []json.RawMessage
	if err := files.ParseJSON(data, &texts); err != nil {
		return nil, never{fmt.Errorf("sweep: %s is no array of configurations: %w: put [ ] "+
			"around them", path, err)}
	}
	configs := make([]nbbnn.Config, len(texts))
	for i, text := range texts {
		if err := files.ParseJSON(text, &configs[i]); err != nil {
			return nil, never{fmt.Errorf("sweep: configuration %d of %s can't be read: %w: "+
				"correct it", i, path, err)}
		}
	}
	return configs, nil
}

// counted returns "1 point" or "1000 points": quantity.Count without commas, as indexes and the
// flags of a scheduler are written.
func counted(count int, thing string) string {
	return strconv.Itoa(count) + " " + quantity.Noun(count, thing)
}
