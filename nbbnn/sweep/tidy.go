package sweep

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/internal/tidy"
	"github.com/nbbnn/workbench/nbbnn"
)

// WriteCSV writes a tidy table of the levels on the cards of the points that are done: one value a
// row, with the run and the columns of its configuration before it. It reads nothing but the
// status.
func (s Status) WriteCSV(w io.Writer) error {
	if s.manifest.evaluation == nil {
		return withoutEvaluation(s.manifest)
	}
	return s.write(w, []string{"level", "metric", "value"}, func(point PointStatus, row func(...string)) error {
		return s.eachLevel(point, func(level int, metric string, value float64) {
			row(strconv.Itoa(level), metric, number(value))
		})
	})
}

// withoutEvaluation returns the error for a manifest whose points have no levels to collect.
func withoutEvaluation(m *Manifest) error {
	if m.figure != nil {
		return never{fmt.Errorf("sweep: the points belong to a figure: `nbbnn figure %d --scale %s --no-train` draws those that are done", m.figure.Number, m.figure.Scale)}
	}
	return never{errors.New("sweep: the manifest has no evaluation, so there are no numbers to collect: plan it with one")}
}

// write writes the header and, for each point that is done, the rows of its values after the
// columns that they share.
func (s Status) write(w io.Writer, values []string, rows func(PointStatus, func(...string)) error) error {
	columns := nbbnn.Columns(s.manifest.varying)
	header := []string{"index", "run"}
	for _, f := range columns {
		header = append(header, f.Path())
	}
	buffered := bufio.NewWriterSize(w, 1<<20)
	fmt.Fprintln(buffered, strings.Join(append(header, values...), ","))
	for _, point := range s.Points {
		if point.State != Done {
			continue
		}
		shared := []string{strconv.Itoa(point.Index), point.Run}
		for _, f := range columns {
			shared = append(shared, f.Text(point.Config))
		}
		line := append(tidy.AppendFields(nil, shared...), ',')
		err := rows(point, func(texts ...string) {
			buffered.Write(append(tidy.AppendFields(line, texts...), '\n')) // Flush returns its error
		})
		if err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// number writes a value with all its digits.
func number(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }

// eachLevel calls do with the metrics of the manifest's evaluation on the card of a point, at each
// level.
func (s Status) eachLevel(point PointStatus, do func(level int, metric string, value float64)) error {
	found := point.run.OnCard(point.Card, *s.manifest.evaluation)
	if found == nil {
		return fmt.Errorf("sweep: the card of run %s lacks the manifest's evaluation: run point %d again", point.Run, point.Index)
	}
	for metric, values := range found.Levels.All() {
		for level, value := range values {
			do(level, metric.Key(), value)
		}
	}
	return nil
}
