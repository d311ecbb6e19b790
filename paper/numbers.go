package paper

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/viz"
)

// numbers are a figure's results, which make its table, its CSV file and its report.
type numbers struct {
	// headings of the rows, "" if obvious, and of the columns, for example "level"
	what, at string
	lines    []line
	untabled []line // only of the report, for example the controls of many sweeps

	// rows for the CSV file that are finer than the lines, the header first; nil for none
	rows [][]string
}

// line is a number along one curve, of each of its runs. It's in the unit in which it is shown.
type line struct {
	What   string      `json:"what"`   // for example "Error %"
	Curve  string      `json:"curve"`  // the method, or another name of the curve
	At     []string    `json:"at"`     // places along the curve, for example the levels
	Seeds  []uint64    `json:"seeds"`  // of the runs
	Values [][]float64 `json:"values"` // [seeds][places]
	Paper  []float64   `json:"paper,omitempty"`

	decimals int // in the table
}

// places returns all lines' places. A place that earlier lines lack is inserted after its
// neighbour.
func (n numbers) places() (places []string) {
	for _, l := range n.lines {
		next := 0
		for _, place := range l.At {
			if at := slices.Index(places, place); at >= 0 {
				next = at
			} else {
				places = slices.Insert(places, next, place)
			}
			next++
		}
	}
	return places
}

// table has a row for the mean of each line over its seeds. Below it are the standard deviation,
// and the paper's numbers if they are public.
func (n numbers) table() viz.Table {
	places := n.places()
	table := viz.Table{Header: slices.Concat([]string{n.what, n.at}, places), Labels: 2}
	for _, l := range n.lines {
		add := func(label string, values []float64) {
			row := make([]string, len(table.Header))
			row[0], row[1] = l.What, label
			for i, value := range values {
				row[2+slices.Index(places, l.At[i])] = strconv.FormatFloat(value, 'f', l.decimals,
					64)
			}
			table.Rows = append(table.Rows, row)
		}
		means, stds := meansAndStds(summarise(l.Values))
		if len(l.Values) > 0 {
			add(l.Curve, means)
		}
		if len(l.Values) > 1 {
			add("± sd", stds)
		}
		if l.Paper != nil {
			add(l.ofPaper(), l.Paper)
		}
	}
	return table
}

// ofPaper names the paper's numbers.
func (l line) ofPaper() string { return strings.TrimPrefix(l.Curve+", paper", ", ") }

// csvRow writes values for a CSV file: numbers with a point have six decimals.
func csvRow(values ...any) (row []string) {
	for _, value := range values {
		text := fmt.Sprint(value)
		if number, is := value.(float64); is {
			text = strconv.FormatFloat(number, 'f', 6, 64)
		}
		row = append(row, text)
	}
	return row
}

// writeCSV writes the numbers as a table, a row for each run and place. The paper's have no seed.
func (r Report) writeCSV(w io.Writer) error {
	if r.rows != nil {
		return csv.NewWriter(w).WriteAll(r.rows)
	}
	rows := [][]string{{"what", "curve", "at", "seed", "value"}}
	for _, l := range r.Lines {
		add := func(curve, seed string, values []float64) {
			for i, value := range values {
				rows = append(rows, csvRow(l.What, curve, l.At[i], seed, value))
			}
		}
		for i, values := range l.Values {
			add(l.Curve, fmt.Sprint(l.Seeds[i]), values)
		}
		add(l.ofPaper(), "", l.Paper)
	}
	return csv.NewWriter(w).WriteAll(rows)
}
