package lab

import (
	"context"
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/viz"
)

// recordedCurves are the values of seeds by the measure, the curve and the place on the axis.
type recordedCurves struct {
	measures, names []string
	values          map[[2]string]map[float64][]float64
}

// Panel shows the curves of a record against the axis that is given, one measure at a time: one
// curve in colour, with one standard deviation over the seeds to both sides and a mark at its least
// value if the axis is γ, and the others in grey.
func (r Record) Panel(ctx context.Context, axis string) {
	curves := Must(r.readCurves())
	sliders := []Slider{{Name: "measure", Choices: curves.measures}, {Name: "curve",
		Choices: curves.names}}
	Panel(ctx, sliders, func(v []int) (*viz.Figure, error) {
		return curves.figure(axis, curves.measures[v[0]], curves.names[v[1]])
	})
}

// readCurves reads the file of the record's curves, except the training's.
func (r Record) readCurves() (c recordedCurves, err error) {
	file, err := os.Open(r.curves)
	if err != nil {
		return c, fmt.Errorf("lab: %w: restore it with git", err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) == 0 || strings.Join(rows[0], ",") != "what,curve,at,seed,value" {
		return c, fmt.Errorf("lab: %s has no curves of a measure by seed: choose another record, "+
			"or restore it with git", r.curves)
	}
	c.values = map[[2]string]map[float64][]float64{}
	for _, row := range rows[1:] {
		measure, name := row[0], row[1]
		if !strings.ContainsAny(measure, "EL") { // as Error and ECE have; NLL is left out
			measure = "NLL, " + measure
		}
		at, noPlace := strconv.ParseFloat(row[2], 64) // a layer's name, for example
		if strings.HasSuffix(measure, "entropy (nats)") || strings.HasSuffix(name, "paper") ||
			noPlace != nil {
			continue
		}
		c.measures = quantity.AddNew(c.measures, measure)
		c.names = quantity.AddNew(c.names, name)
		curve := [2]string{measure, name}
		if c.values[curve] == nil {
			c.values[curve] = map[float64][]float64{}
		}
		value, err := strconv.ParseFloat(row[4], 64)
		if err != nil {
			return c, fmt.Errorf("lab: %s: %w: restore it with git", r.curves, err)
		}
		c.values[curve][at] = append(c.values[curve][at], value)
	}
	return c, nil
}

// figure draws the curves of a measure, one of them in colour.
func (c recordedCurves) figure(axis, measure, chosen string) (*viz.Figure, error) {
	var lines, last []viz.Line
	for _, name := range c.names {
		line, by := viz.Line{Name: name, Colour: "#66727d"}, c.values[[2]string{measure, name}]
		if by == nil {
			continue
		}
		for _, at := range slices.Sorted(maps.Keys(by)) {
			mean, deviation := stat.MeanStdDev(by[at], nil)
			line.X, line.Y = append(line.X, at), append(line.Y, mean)
			line.Half = append(line.Half, deviation)
		}
		if name == chosen {
			line.Colour = "#0067a8"
			last = append(last, line)
			if i := slices.Index(line.Y, slices.Min(line.Y)); strings.HasPrefix(axis, "γ") {
				last = append(last, viz.Line{Name: "least", Points: true, Colour: "#b3400a",
					X: line.X[i : i+1], Y: line.Y[i : i+1]})
			}
			continue
		}
		line.Half = nil
		lines = append(lines, line)
	}
	return viz.Lines(axis, measure, append(lines, last...))
}
