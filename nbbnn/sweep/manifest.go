package sweep

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// Manifest lists the points of a sweep: configurations, each of which is trained and then tested.
// It never changes once it is written, so that an index means the same point on every machine.
type Manifest struct {
	evaluation *nbbnn.Evaluation
	figure     *Figure
	shared     nbbnn.Config  // the filled configuration of the first point
	varying    []nbbnn.Field // what a point's patch sets
	points     []entry
	checksum   string
}

// Figure names the figure of the paper that a manifest was planned for: its points are measured as
// the figure needs them.
type Figure struct {
	Number int    `json:"number"`
	Key    string `json:"key,omitempty"` // of a figure of ours, whose number is 0, such as "demo"
	Scale  string `json:"scale"`
}

// Name returns the number or the key.
func (f Figure) Name() string { return cmp.Or(f.Key, strconv.Itoa(f.Number)) }

// entry is a point in the file.
type entry struct {
	Run string          `json:"run"` // hash of the configuration
	Set json.RawMessage `json:"set"` // what the point changes in the shared configuration
}

// New plans a point for each configuration, in the given order. Every point is tested by the
// evaluation; nil only trains. It returns an error if a configuration can't be trained or tested,
// or appears twice.
func New(configs []nbbnn.Config, evaluation *nbbnn.Evaluation) (*Manifest, error) {
	if len(configs) == 0 {
		return nil, errors.New("sweep: no configuration is given: a sweep has one point or more")
	}
	m := &Manifest{points: make([]entry, len(configs))}
	if evaluation != nil {
		filled := evaluation.WithDefaults()
		m.evaluation = &filled
	}
	filled := make([]nbbnn.Config, len(configs))
	at := map[string]int{} // index by hash
	for i, config := range configs {
		filled[i] = config.WithDefaults()
		if err := m.check(filled[i]); err != nil {
			return nil, fmt.Errorf("%w (point %d)", err, i)
		}
		hash := filled[i].Hash()
		if first, twice := at[hash]; twice {
			return nil, fmt.Errorf("sweep: points %d and %d have the same configuration, run %.12s: leave one of them out", first, i, hash)
		}
		at[hash], m.points[i].Run = i, hash
	}
	m.shared, m.varying = filled[0], nbbnn.Differing(filled...)
	for i, config := range filled {
		var err error
		if m.points[i].Set, err = patch(config, m.varying); err != nil {
			return nil, fmt.Errorf("sweep: point %d: %w", i, err)
		}
	}
	return m, nil
}

// check checks the configuration and the test of a point.
func (m *Manifest) check(config nbbnn.Config) error {
	if err := config.Validate(); err != nil {
		return err
	}
	if m.evaluation == nil {
		return nil
	}
	if err := m.evaluation.Validate(config.Posterior.Components); err != nil {
		return err
	}
	if have := config.Data.Images().Size().Test; have > 0 && m.evaluation.Images > have {
		return fmt.Errorf("sweep: %d test images are asked for, %s has %d: lower the number", m.evaluation.Images, config.Data.Name, have)
	}
	return nil
}

// ForFigure returns the manifest with the figure that measures its points, in place of an
// evaluation.
func (m *Manifest) ForFigure(figure Figure) *Manifest {
	copied := *m
	copied.figure, copied.evaluation, copied.checksum = &figure, nil, ""
	return &copied
}

// Len returns the number of points.
func (m *Manifest) Len() int { return len(m.points) }

// Evaluation returns the test of every point, nil if there's none.
func (m *Manifest) Evaluation() *nbbnn.Evaluation { return m.evaluation }

// Figure returns the figure that the manifest was planned for, nil for none.
func (m *Manifest) Figure() *Figure { return m.figure }

// RunName returns the name of a point's run directory.
func (m *Manifest) RunName(index int) string {
	const length = 12 // of Config.RunName
	return m.points[index].Run[:length]
}

// Config returns the filled configuration of a point. It is an error wrapping ErrNever if the index
// is outside the manifest, or if this program reads the configuration differently from the one that
// planned it.
func (m *Manifest) Config(index int) (nbbnn.Config, error) {
	if err := m.checkIndex(index); err != nil {
		return nbbnn.Config{}, err
	}
	config := m.shared
	if err := files.ParseJSON(m.points[index].Set, &config); err != nil {
		return config, never{fmt.Errorf("sweep: point %d can't be read: %w: it was planned by a newer version; update this one, or plan again", index, err)}
	}
	config = config.WithDefaults()
	if hash := config.Hash(); hash != m.points[index].Run {
		return config, never{fmt.Errorf("sweep: point %d is run %.12s in the manifest and %.12s in this program: it was planned by another version, or with other images; use that one, or plan again", index, m.points[index].Run, hash)}
	}
	return config, nil
}

func (m *Manifest) checkIndex(index int) error {
	if 0 <= index && index < len(m.points) {
		return nil
	}
	return never{fmt.Errorf("sweep: index %d is outside the manifest, whose %s are 0 to %d: start the array at 0", index, counted(len(m.points), "point"), len(m.points)-1)}
}

// Chunk returns the points of a task that takes size points each: index*size and those that follow.
func (m *Manifest) Chunk(index, size int) ([]int, error) {
	if size < 1 {
		return nil, never{fmt.Errorf("sweep: a chunk of %d points: give 1 or more", size)}
	}
	tasks := m.Tasks(size)
	if size == 1 {
		return []int{index}, m.checkIndex(index)
	}
	if index < 0 || index >= tasks {
		return nil, never{fmt.Errorf("sweep: index %d is outside the manifest, whose %s in chunks of %d are the tasks 0 to %d: start the array at 0", index, counted(m.Len(), "point"), size, tasks-1)}
	}
	var points []int
	for i := index * size; i < min((index+1)*size, m.Len()); i++ {
		points = append(points, i)
	}
	return points, nil
}

// Tasks returns the number of tasks that take size points each.
func (m *Manifest) Tasks(size int) int { return (m.Len() + size - 1) / size }

// Name says in what a point differs from the others, such as "gamma 2, seed 1".
func (m *Manifest) Name(config nbbnn.Config) string { return config.NameBy(m.varying) }

// counted is such as "1 point" or "1000 points": quantity.Count without commas, as indexes and
// the flags of a scheduler are written.
func counted(count int, thing string) string {
	return strconv.Itoa(count) + " " + quantity.Noun(count, thing)
}
