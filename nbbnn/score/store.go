package score

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/nbbnn/workbench/internal/files"
)

// Key identifies an evaluation among those whose cells a directory keeps.
type Key struct {
	Suite   string // label of what was tested: a suite, with whatever sets the evaluation apart from the plain one
	Samples int    // Monte-Carlo samples for each image
	Subset  int    // test images that were asked for; 0 for all
	Seed    uint64 // of the corruptions and of the latents
}

// Store keeps the cells of evaluations in a directory: the metrics in cells.csv, the bins of their
// calibration error in bins.csv and the values of registered metrics, if there are any, in
// metrics.csv.
type Store struct {
	directory string
	rows      []cellRow
	at        map[string]int // index of a row by its identity
}

// OpenStore reads the cells that a directory has so far.
func OpenStore(directory string) (*Store, error) {
	s := &Store{directory: directory, at: map[string]int{}}
	bins, err := s.readBins()
	if err != nil {
		return nil, err
	}
	custom, err := s.readCustom()
	if err != nil {
		return nil, err
	}
	records, groups, err := readTable(s.path(cellFile), cellColumns, columnGroups...)
	for i, fields := range records {
		row := fields.row()
		row.Cell.Images = fields.int()
		for _, metric := range row.Cell.metrics() {
			*metric = fields.float()
		}
		for _, group := range groups {
			group.read(fields, &row.Cell)
		}
		row.Cell.Bins, row.Cell.Custom = bins[row.identity()], custom[row.identity()]
		if _, double := s.at[row.identity()]; double || fields.failed || row.Cell.Images < 1 {
			return nil, damagedTable(s.path(cellFile), i+2)
		}
		if row.Cell.hasBins() {
			s.put(row)
		}
	}
	return s, err
}

// hasBins reports whether the bins are those that the cell's ECE was computed from. A cell without
// them counts as missing.
func (c Cell) hasBins() bool {
	return c.Bins.Count() == c.Images && math.Abs(c.Bins.ECE(c.Images)-c.ECE) < 1e-9
}

// readBins returns the bins of every cell, by the cell's identity.
func (s *Store) readBins() (map[string]Bins, error) {
	cells := map[string]Bins{}
	records, _, err := readTable(s.path(binFile), binColumns)
	for i, fields := range records {
		row, index := fields.row(), fields.int()
		bin := Bin{fields.int(), fields.int(), fields.float()}
		if fields.failed || index < 0 || index >= BinCount {
			return nil, damagedTable(s.path(binFile), i+2)
		}
		bins := cells[row.identity()]
		bins[index] = bin
		cells[row.identity()] = bins
	}
	return cells, err
}

// readCustom returns the values of registered metrics of every cell, by the cell's identity.
func (s *Store) readCustom() (map[string]map[string]float64, error) {
	cells := map[string]map[string]float64{}
	records, _, err := readTable(s.path(customFile), customColumns)
	for i, fields := range records {
		row, metric, value := fields.row(), fields.text(), fields.float()
		if fields.failed {
			return nil, damagedTable(s.path(customFile), i+2)
		}
		if cells[row.identity()] == nil {
			cells[row.identity()] = map[string]float64{}
		}
		cells[row.identity()][metric] = value
	}
	return cells, err
}

func (s *Store) path(name string) string { return filepath.Join(s.directory, name) }

// put adds a row, or replaces the one with the same identity.
func (s *Store) put(row cellRow) {
	if index, found := s.at[row.identity()]; found {
		s.rows[index] = row
		return
	}
	s.at[row.identity()] = len(s.rows)
	s.rows = append(s.rows, row)
}

// Find returns the cell of an evaluation under a condition, and reports whether the store has it
// with all registered metrics.
func (s *Store) Find(key Key, condition Condition) (Cell, bool) {
	row := cellRow{key, Cell{Corruption: condition.Corruption, Severity: condition.Severity}}
	index, found := s.at[row.identity()]
	if !found || !s.rows[index].Cell.hasCustom() {
		return Cell{}, false
	}
	return s.rows[index].Cell, true
}

// Largest returns, of all evaluations with a label, the cell under a condition that has the most
// images, then the most samples, and reports whether there is one.
func (s *Store) Largest(label string, condition Condition) (largest Cell, found bool) {
	for _, row := range s.rows {
		if row.Suite != label || row.Cell.Condition() != condition {
			continue
		}
		more := cmp.Or(cmp.Compare(row.Cell.Images, largest.Images), cmp.Compare(row.Cell.Samples, largest.Samples))
		if more > 0 {
			largest, found = row.Cell, true
		}
	}
	return largest, found
}

// Add adds a cell of an evaluation, or replaces it, and saves the files: cells.csv last, so that a
// cell is never without its bins. A replaced cell keeps the values of registered metrics that this
// program doesn't know. The cell must have the samples of the evaluation.
func (s *Store) Add(key Key, cell Cell) error {
	if cell.Samples != key.Samples {
		return fmt.Errorf("score: a cell of %d samples can't be kept with an evaluation of %d, where nobody finds it: evaluate with %[1]d samples",
			cell.Samples, key.Samples)
	}
	row := cellRow{key, cell}
	if index, found := s.at[row.identity()]; found && len(s.rows[index].Cell.Custom) > 0 {
		row.Cell.Custom = maps.Clone(s.rows[index].Cell.Custom)
		maps.Copy(row.Cell.Custom, cell.Custom)
	}
	s.put(row)
	if err := s.save(binFile, binColumns, s.binRecords()); err != nil {
		return err
	}
	if records := s.customRecords(); len(records) > 0 {
		if err := s.save(customFile, customColumns, records); err != nil {
			return err
		}
	}
	return s.saveCells()
}

// save replaces one of the files.
func (s *Store) save(name string, columns []string, records [][]string) error {
	err := files.Write(s.path(name), func(w io.Writer) error { return writeTable(w, columns, records) })
	if err != nil {
		return fmt.Errorf("score: %s can't be written: %w: free disk space or make the directory writable, then try again", s.path(name), err)
	}
	return nil
}

// saveCells replaces cells.csv. It has the optional columns that a cell has metrics for.
func (s *Store) saveCells() error {
	groups, columns := usedGroups(s.rows), cellColumns
	for _, group := range groups {
		columns = slices.Concat(columns, group.columns)
	}
	var records [][]string
	for _, row := range s.rows {
		record := append(row.fields(), strconv.Itoa(row.Cell.Images))
		for _, metric := range row.Cell.metrics() {
			record = append(record, formatFloat(*metric))
		}
		for _, group := range groups {
			record = append(record, group.line(row.Cell)...)
		}
		records = append(records, record)
	}
	return s.save(cellFile, columns, records)
}

// binRecords leaves empty bins out.
func (s *Store) binRecords() (records [][]string) {
	for _, row := range s.rows {
		for index, bin := range row.Cell.Bins {
			if bin.Count > 0 {
				records = append(records, append(row.fields(), strconv.Itoa(index), strconv.Itoa(bin.Count),
					strconv.Itoa(bin.Correct), formatFloat(bin.Confidence)))
			}
		}
	}
	return records
}

func (s *Store) customRecords() (records [][]string) {
	for _, row := range s.rows {
		for _, name := range slices.Sorted(maps.Keys(row.Cell.Custom)) {
			records = append(records, append(row.fields(), name, formatFloat(row.Cell.Custom[name])))
		}
	}
	return records
}
