package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/machine"
)

// record is the counts of one kind of attack, with what is needed to repeat them.
type record struct {
	Kind    string  `json:"kind"`
	Command string  `json:"command"`
	Seed    uint64  `json:"seed"`
	Date    string  `json:"date"`
	Minutes float64 `json:"minutes"` // that the attacks took
	Machine string  `json:"machine"` // its processor and system
	Rows    []*row  `json:"rows,omitempty"`
	Soak    *soaked `json:"soak,omitempty"`

	Shapes   []kernelShapes `json:"shapes,omitempty"`
	Overhead *overhead      `json:"overhead,omitempty"`
}

func newRecord(a *app, kind string, took time.Duration, rows []*row) record {
	command := fmt.Sprintf("attack %s --tries %d --seed %d", kind, a.tries, a.seed)
	if a.stride > 1 {
		command += fmt.Sprintf(" --stride %d", a.stride)
	}
	if a.minutes > 0 {
		command += fmt.Sprintf(" --minutes %g", a.minutes)
	}
	return record{
		Kind: kind, Command: command, Seed: a.seed, Date: time.Now().UTC().Format(time.DateOnly),
		Minutes: took.Round(time.Second).Minutes(), Machine: machine.Describe().String(), Rows: rows,
	}
}

// readRecords reads the records of a file by their kind; a missing file has none.
func readRecords(path string) (map[string]record, error) {
	records := map[string]record{}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return records, nil
	}
	if err != nil {
		return nil, err
	}
	var list []record
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("attack: %s holds no counts: %w: remove it and repeat the attacks", path, err)
	}
	for _, r := range list {
		records[r.Kind] = r
	}
	return records, nil
}

// replaceable returns the record in a file of which rows of a record of the same kind can replace
// some. All rows of a record have the same arguments and machine, so that its command repeats them.
func replaceable(path string, r record) (old record, err error) {
	records, err := readRecords(path)
	if err != nil {
		return old, err
	}
	old, there := records[r.Kind]
	switch {
	case !there:
		return old, fmt.Errorf("attack: %s has no %s whose rows --only could replace: leave --only out", path, r.Kind)
	case old.Command != r.Command || old.Machine != r.Machine:
		return old, fmt.Errorf("attack: %s has rows of %q on %s, which rows of %q on %s can't replace: use the same arguments, or leave --only or --record out",
			path, old.Command, old.Machine, r.Command, r.Machine)
	}
	return old, nil
}

// addRows replaces the rows of some targets in the record of a kind in a file. The minutes of all
// calls add up, and the date is that of the first and of the last one.
func addRows(path string, r record) error {
	old, err := replaceable(path, r)
	if err != nil {
		return err
	}
	counted := tally{r.Rows}
	rows := slices.DeleteFunc(old.Rows, func(o *row) bool { return counted.has(o.Kind, o.Target) })
	old.Rows, old.Minutes = append(rows, r.Rows...), old.Minutes+r.Minutes
	old.Date = span(old.Date, r.Date)
	return addRecord(path, old)
}

// dateRange separates the dates of the first and the last call.
const dateRange = " to "

// span returns the first and the last date of some, each of which may be a span itself.
func span(dates ...string) string {
	var all []string
	for _, date := range dates {
		if date != "" {
			all = append(all, strings.Split(date, dateRange)...)
		}
	}
	slices.Sort(all)
	if len(all) == 0 || all[0] == all[len(all)-1] {
		return strings.Join(all[:min(1, len(all))], "")
	}
	return all[0] + dateRange + all[len(all)-1]
}

// addRecord replaces the record of a kind in a file.
func addRecord(path string, r record) error {
	records, err := readRecords(path)
	if err != nil {
		return err
	}
	records[r.Kind] = r
	var list []record
	for _, kind := range slices.Sorted(maps.Keys(records)) {
		list = append(list, records[kind])
	}
	return files.Write(path, func(w io.Writer) error { return files.WriteJSON(w, list) })
}
