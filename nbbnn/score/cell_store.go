package score

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"

	"github.com/nbbnn/workbench/internal/atomicfile"
)

// Key identifies an evaluation among those whose cells a directory keeps.
type Key struct {
	Suite   string // label of what was tested: a suite, with whatever sets the evaluation apart from the plain one
	Samples int    // Monte-Carlo samples for each image
	Subset  int    // test images that were asked for; 0 for all
	Seed    uint64 // of the corruptions and of the latents
}

// Store holds the rows of cells.csv and bins.csv of a directory.
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
	records, err := readTable(s.cellPath(), cellColumns)
	for i, fields := range records {
		row := fields.row()
		row.Cell.Images = fields.int()
		for _, metric := range row.Cell.metrics() {
			*metric = fields.float()
		}
		row.Cell.Bins = bins[row.identity()]
		if _, double := s.at[row.identity()]; double || fields.failed || row.Cell.Images < 1 {
			return nil, damagedTable(s.cellPath(), i+2)
		}
		if row.Cell.hasBins() {
			s.put(row)
		}
	}
	return s, err
}

// hasBins says whether the bins are those that the cell's ECE was computed from. A cell without them counts as missing.
func (c Cell) hasBins() bool {
	count := 0
	for _, bin := range c.Bins {
		count += bin.Count
	}
	return count == c.Images && math.Abs(c.Bins.ECE(c.Images)-c.ECE) < 1e-9
}

// readBins returns the bins of every cell, by the cell's identity.
func (s *Store) readBins() (map[string]Bins, error) {
	cells := map[string]Bins{}
	records, err := readTable(s.binPath(), binColumns)
	for i, fields := range records {
		row, index := fields.row(), fields.int()
		bin := Bin{fields.int(), fields.int(), fields.float()}
		if fields.failed || index < 0 || index >= BinCount {
			return nil, damagedTable(s.binPath(), i+2)
		}
		bins := cells[row.identity()]
		bins[index] = bin
		cells[row.identity()] = bins
	}
	return cells, err
}

func (s *Store) cellPath() string { return filepath.Join(s.directory, "cells.csv") }
func (s *Store) binPath() string  { return filepath.Join(s.directory, "bins.csv") }

func (s *Store) put(row cellRow) {
	s.at[row.identity()] = len(s.rows)
	s.rows = append(s.rows, row)
}

// Find returns the cell of an evaluation under a condition, and reports whether the store has it.
func (s *Store) Find(key Key, condition Condition) (Cell, bool) {
	row := cellRow{key, Cell{Corruption: condition.Corruption, Severity: condition.Severity}}
	index, found := s.at[row.identity()]
	if !found {
		return Cell{}, false
	}
	return s.rows[index].Cell, true
}

// Add adds a cell of an evaluation and saves both files: the bins first, so that a cell is never
// without them.
func (s *Store) Add(key Key, cell Cell) error {
	key.Samples = cell.Samples
	s.put(cellRow{key, cell})
	if err := writeFile(s.binPath(), s.writeBins); err != nil {
		return err
	}
	return writeFile(s.cellPath(), s.writeCells)
}

func (s *Store) writeCells(w io.Writer) error {
	var records [][]string
	for _, row := range s.rows {
		records = append(records, row.record())
	}
	return writeTable(w, cellColumns, records)
}

// writeBins leaves empty bins out.
func (s *Store) writeBins(w io.Writer) error {
	var records [][]string
	for _, row := range s.rows {
		for index, bin := range row.Cell.Bins {
			if bin.Count > 0 {
				records = append(records, append(row.fields(), strconv.Itoa(index), strconv.Itoa(bin.Count),
					strconv.Itoa(bin.Correct), formatFloat(bin.Confidence)))
			}
		}
	}
	return writeTable(w, binColumns, records)
}

func writeFile(path string, write func(io.Writer) error) error {
	if err := atomicfile.Write(path, write); err != nil {
		return fmt.Errorf("score: %s can't be written: %w: free disk space or make the directory writable, then try again", path, err)
	}
	return nil
}
