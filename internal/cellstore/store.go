// Package cellstore keeps the cells of evaluations in the directory of a run or an ensemble: the
// metrics in cells.csv, the bins of their calibration error in bins.csv and the values of
// registered metrics, if there are any, in metrics.csv.
package cellstore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// Key identifies an evaluation among the ones that a directory has cells of.
type Key struct {
	// label of the test: a suite, with the evaluation's differences from the plain one
	Suite   string
	Samples int    // Monte-Carlo samples for each image
	Subset  int    // test images that were asked for; 0 for all
	Seed    uint64 // of the corruptions and of the latents
}

// Store keeps the cells of evaluations in a directory.
type Store struct {
	place string
	owner string
	rows  []cellRow
	at    map[string]int // index of a row by its identity
}

// Open reads the existing cells of a place, and compares them with their checksums, which are
// bound to the owner: the run's hash and Card.StateSHA256, with a space between. A place is a
// directory or a record.
func Open(place, owner string) (*Store, error) {
	s := &Store{place: place, owner: owner, at: map[string]int{}}
	bins, err := s.readBins()
	if err != nil {
		return nil, err
	}
	custom, err := s.readCustom()
	if err != nil {
		return nil, err
	}
	records, groups, err := cellTable.read(place, owner)
	if err != nil {
		return nil, err
	}
	for _, fields := range records {
		row := fields.row()
		row.Cell.Images = fields.int()
		for _, group := range slices.Concat(columnGroups[:1], groups) {
			readGroup(group, fields, &row.Cell)
		}
		row.Cell.Bins, row.Cell.Custom = bins[row.identity()], custom[row.identity()]
		if _, double := s.at[row.identity()]; double || fields.failed || row.Cell.Images < 1 {
			return nil, cellTable.damaged(place)
		}
		s.put(row)
	}
	return s, nil
}

// readBins returns the bins of every cell, by the cell's identity.
func (s *Store) readBins() (map[string]score.Bins, error) {
	cells := map[string]score.Bins{}
	records, _, err := binTable.read(s.place, s.owner)
	for _, fields := range records {
		row, index := fields.row(), fields.int()
		bin := score.Bin{Count: fields.int(), Correct: fields.int(), Confidence: fields.float()}
		if fields.failed || index < 0 || index >= len(score.Bins{}) {
			return nil, binTable.damaged(s.place)
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
	records, _, err := customTable.read(s.place, s.owner)
	for _, fields := range records {
		row, metric, value := fields.row(), fields.text(), fields.float()
		if fields.failed {
			return nil, customTable.damaged(s.place)
		}
		if cells[row.identity()] == nil {
			cells[row.identity()] = map[string]float64{}
		}
		cells[row.identity()][metric] = value
	}
	return cells, err
}

// put adds a row, or replaces the one with the same identity.
func (s *Store) put(row cellRow) {
	if index, found := s.at[row.identity()]; found {
		s.rows[index] = row
		return
	}
	s.at[row.identity()] = len(s.rows)
	s.rows = append(s.rows, row)
}

// Find returns the cell of an evaluation under a condition, and reports whether the store has it:
// with its bins and all registered metrics, unless it is of a record, which can't be computed again.
// A cell without its bins stays in cells.csv until it is measured again.
func (s *Store) Find(key Key, condition score.Condition, ofRecord bool) (score.Cell, bool) {
	row := cellRow{Key: key, Cell: score.Cell{Corruption: condition.Corruption,
		Severity: condition.Severity}}
	index, found := s.at[row.identity()]
	if !found {
		return score.Cell{}, false
	}
	cell := s.rows[index].Cell
	return cell, ofRecord || hasCustom(cell) && score.Cells{cell}.Binned()
}

// hasCustom reports whether the cell has the values of all registered metrics.
func hasCustom(cell score.Cell) bool {
	return !slices.ContainsFunc(score.Metrics(), func(m score.Metric) bool {
		_, found := cell.Custom[m.Name]
		return m.Of != nil && !found
	})
}

// Largest returns, of all evaluations with a label, the cell under a condition that has the most
// images, then the most samples, and reports whether there is one. Unless images is 0 it leaves out
// cells of other numbers of images.
func (s *Store) Largest(label string, condition score.Condition,
	images int) (largest score.Cell, found bool) {
	for _, row := range s.rows {
		if row.Suite != label || row.Cell.Condition() != condition ||
			!(score.Cells{row.Cell}).Binned() ||
			images != 0 && images != row.Cell.Images {
			continue
		}
		more := cmp.Or(cmp.Compare(row.Cell.Images, largest.Images), cmp.Compare(row.Cell.Samples,
			largest.Samples))
		if more > 0 {
			largest, found = row.Cell, true
		}
	}
	return largest, found
}

// Add adds a cell of an evaluation, or replaces it, and saves the files: cells.csv last, so that a
// cell is never without its bins. A replaced cell keeps the values of registered metrics that this
// program doesn't know. The cell must have the samples of the evaluation.
func (s *Store) Add(key Key, cell score.Cell) error {
	row := cellRow{Key: key, Cell: cell}
	if index, found := s.at[row.identity()]; found && len(s.rows[index].Cell.Custom) > 0 {
		row.Cell.Custom = maps.Clone(s.rows[index].Cell.Custom)
		maps.Copy(row.Cell.Custom, cell.Custom)
	}
	if row.Cell.Samples != row.Key.Samples {
		return fmt.Errorf("cellstore: a cell of %d samples can't be kept in an evaluation of %d: "+
			"evaluate with %[1]d samples",
			row.Cell.Samples, row.Key.Samples)
	}
	s.put(row)
	if err := binTable.write(s.place, s.owner, binColumns, s.binRecords()); err != nil {
		return err
	}
	if err := customTable.write(s.place, s.owner, customColumns, s.customRecords()); err != nil {
		return err
	}
	header, records := s.cellRecords()
	return cellTable.write(s.place, s.owner, header, records)
}

// cellRecords returns cells.csv. It has the optional columns that a cell has metrics for.
func (s *Store) cellRecords() (header []string, records [][]string) {
	groups, header := usedGroups(s.rows), cellColumns
	for _, group := range groups[1:] {
		header = slices.Concat(header, group.Columns)
	}
	for _, row := range s.rows {
		fields := append(row.fields(), strconv.Itoa(row.Cell.Images))
		for _, group := range groups {
			fields = append(fields, lineOf(group, row.Cell)...)
		}
		records = append(records, fields)
	}
	return header, records
}

// binRecords leaves empty bins out.
func (s *Store) binRecords() (records [][]string) {
	for _, row := range s.rows {
		for index, bin := range row.Cell.Bins {
			if bin.Count > 0 {
				records = append(records, append(row.fields(), strconv.Itoa(index),
					strconv.Itoa(bin.Count),
					strconv.Itoa(bin.Correct), formatFloat(bin.Confidence)))
			}
		}
	}
	return records
}

func (s *Store) customRecords() (records [][]string) {
	for _, row := range s.rows {
		for _, name := range slices.Sorted(maps.Keys(row.Cell.Custom)) {
			records = append(records,
				append(row.fields(), name, formatFloat(row.Cell.Custom[name])))
		}
	}
	return records
}

// EachValue calls visit with every metric of every cell that a directory keeps, as the files spell
// them: the columns of its evaluation, corruption and severity, its images, the metric's column and
// the value. It compares the files with their checksums, as Open does, before the first call, and
// reads no bins.
func EachValue(place, owner string, visit func(evaluation []string, images, metric,
	value string) error) error {
	identity := len(identityColumns)
	rows, groups, err := cellTable.read(place, owner)
	if err != nil {
		return err
	}
	customRows, _, err := customTable.read(place, owner)
	if err != nil {
		return err
	}
	metrics := cellColumns[identity+1:]
	for _, group := range groups {
		metrics = slices.Concat(metrics, group.Columns)
	}
	images := map[string]string{} // by evaluation
	for _, row := range rows {
		evaluation := row.fields[:identity]
		if len(customRows) > 0 {
			images[strings.Join(evaluation, ",")] = row.fields[identity]
		}
		for i, metric := range metrics {
			if value := row.fields[identity+1+i]; value != "" && !slices.Contains(unread.Columns,
				metric) {
				if err := visit(evaluation, row.fields[identity], metric, value); err != nil {
					return err
				}
			}
		}
	}
	for _, row := range customRows {
		evaluation := row.fields[:identity]
		if err := visit(evaluation, images[strings.Join(evaluation, ",")], row.fields[identity],
			row.fields[identity+1]); err != nil {
			return err
		}
	}
	return nil
}
