package paper

import (
	"math"
	"slices"
	"strconv"
	"strings"

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

// drawGap draws what noise wins against the gap, a point for each seed and a line through all: with
// the gamma of the claims, and with that chosen on validation images.
func drawGap(r *Result) (*viz.Figure, error) {
	var b board
	b.row()
	b.add(gapPanel(r, gapGamma))
	b.title(gammaName(gapGamma) + ", levels 1 to 5")
	b.add(gapPanel(r, chosenGamma))
	b.title("γ chosen on validation images, levels 1 to 5")
	return b.arranged(sideBySide)
}

// gapPanel draws the points of a gamma, of all seeds from the smallest gap on.
func gapPanel(r *Result, gamma float64) (*viz.Figure, error) {
	var lines []viz.Line
	var all viz.Line
	points := gapPoints(r, NLL, gamma)
	for _, network := range gapNetworks {
		line := viz.Line{Name: network.name, Points: true}
		for _, p := range ofNetwork(points, network.name) {
			line.X, line.Y = append(line.X, p.gap...), append(line.Y, p.wins...)
		}
		if len(line.X) > 0 {
			stat.SortWeighted(line.X, line.Y)
			lines = append(lines, line)
			all.X, all.Y = append(all.X, line.X...), append(all.Y, line.Y...)
		}
	}
	zero, slope := stat.LinearRegression(all.X, all.Y, nil, false)
	low, high := slices.Min(all.X), slices.Max(all.X)
	fitted := viz.Line{Name: "all", X: []float64{low, high}, Y: []float64{zero + slope*low, zero + slope*high}}
	return viz.Lines("gap of MAP (nats)", "NLL − that of MAP (nats)", append(lines, fitted))
}
