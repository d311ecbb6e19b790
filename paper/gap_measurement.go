package paper

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/nbbnn/workbench/viz"
)

// gapMeasurement tests each run as tests does. Its numbers are of a run: what the gap of its
// training is, what it scores and how wide its noise is.
type gapMeasurement struct{ tests }

// gapColumns are the numbers of a run.
var gapColumns = []string{"gap", "validation NLL", "clean NLL", "NLL, levels 1 to 5", "σ"}

// numbers returns the values of gapColumns.
func (gapMeasurement) numbers(run RunResult) []float64 {
	numbers := gapsOf([]RunResult{run}, validationSplit)
	for _, on := range []split{validationSplit, testSplit, corruptedSplit} {
		numbers = append(numbers, on.of(metricOf(NLL), run))
	}
	return append(numbers, run.sigma())
}

// sigma is the geometric mean of the trained standard deviations, which the entropy of one
// component gives; 0 without latents.
func (r RunResult) sigma() float64 {
	config := r.Config().WithDefaults()
	latents := config.Latents(dataSize(config).Classes)
	if latents == 0 {
		return 0
	}
	return math.Exp(r.LastEpoch().Entropy/float64(latents) - unitEntropy)
}

// table has a row for each network, number of images and method.
func (m gapMeasurement) table(r *Result) (viz.Table, error) {
	table := viz.Table{Labels: 3, Header: slices.Concat([]string{"", "images", "method"}, gapColumns)}
	for _, method := range r.Setup.Methods {
		row := r.row(method.Row)
		data := row.of(method.Name)[0].Config().Data
		network, _, _ := strings.Cut(method.Row, ",")
		labels := []string{network, strconv.Itoa(data.Train - data.Validation), method.Name}
		table.Rows = append(table.Rows, append(labels, meanCells(row.series(method.Name, m.numbers), 3)...))
	}
	return table, nil
}

// report adds the numbers of each run to the CSV file.
func (m gapMeasurement) report(r *Result, data *Report) error {
	data.Suite = r.Setup.Evaluation.Suite
	data.Samples, data.Images = r.mostSampled()[0].Samples, r.Runs[0].Cells[0].Images
	data.Methods = nil // a method's curves over all rows would mix networks
	data.csv = [][]string{slices.Concat([]string{"row", "images", "method", "seed"}, gapColumns)}
	for _, run := range r.Runs {
		config := run.Config()
		row := csvRow(run.Row, config.Data.Train-config.Data.Validation, run.Method, run.Seed)
		for _, value := range m.numbers(run) {
			row = append(row, decimal(value))
		}
		data.csv = append(data.csv, row)
	}
	return nil
}

// drawGap draws what noise wins against the gap, a point for each seed and number of images, and the
// mean of the seeds' lines with its 95 % interval, extrapolated from the least gap measured to none.
// The slope and the crossing decide, each with an interval of its own.
func drawGap(r *Result) (*viz.Figure, error) {
	points, least, largest := gapPoints(r, NLL), math.Inf(1), 0.0
	var lines []viz.Line
	for _, network := range gapNetworks {
		line := viz.Line{Name: network.name, Points: true}
		for _, p := range ofNetwork(points, network.name) {
			line.X, line.Y = append(line.X, p.gap...), append(line.Y, p.wins...)
		}
		if len(line.X) > 0 {
			stat.SortWeighted(line.X, line.Y)
			lines, least, largest = append(lines, line), min(least, line.X[0]), max(largest, slices.Max(line.X))
		}
	}
	measured, before := meanGapLine(points, least, largest), meanGapLine(points, 0, least)
	before.Name, before.Dashed, before.Half = "extrapolated to smaller gaps", true, nil
	title := gammaName(gapGamma) + ", levels 1 to 5"
	if measured.Half != nil {
		title += "; band: 95 % interval of the line"
	}
	lines = append(lines, before, measured, viz.Line{Name: mapName, X: []float64{0, largest}, Y: []float64{0, 0}})
	figure, err := viz.Lines("gap of MAP (nats)", "NLL − that of MAP (nats)", lines)
	if err != nil {
		return nil, err
	}
	return figure.Titled(title), nil
}

// meanGapLine is the mean of gapLines between two gaps, with half of its interval if there are seeds
// enough for one.
func meanGapLine(points []gapPoint, from, to float64) viz.Line {
	line, places := viz.Line{Name: "mean of seeds", Colour: "#0067a8"}, floats.Span(make([]float64, 41), from, to)
	zero, slope := gapLines(points)
	if len(zero) == 1 {
		line.Name = "one seed"
	}
	for _, gap := range places {
		values := slices.Clone(zero)
		floats.AddScaled(values, gap, slope)
		e := newEffect("", "", belowZero, values)
		line.X, line.Y = append(line.X, gap), append(line.Y, e.Mean)
		if e.Interval != nil {
			line.Half = append(line.Half, e.Interval[1]-e.Mean)
		}
	}
	return line
}
