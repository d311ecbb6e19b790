package paper

import (
	"fmt"
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
	numbers := []float64{heldOutGap(run)}
	for _, on := range []split{validationSplit, testSplit, corruptedSplit} {
		numbers = append(numbers, on.of(metricOf(NLL), run))
	}
	return append(numbers, run.sigma())
}

// heldOutGap is the validation NLL minus the training NLL, nats. The clean test NLL shares its images
// with the NLL under corruption, and so the chance of their choice; validation images don't.
func heldOutGap(run RunResult) float64 {
	if len(run.History) == 0 {
		return math.NaN()
	}
	return validationSplit.of(metricOf(NLL), run) - run.LastEpoch().NLL
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

func (gapMeasurement) test(r *Result) string {
	return fmt.Sprintf("%s, %s", r.testText(), counted(len(r.Setup.Seeds), "seed"))
}

// table has a row for each network, number of images and method.
func (m gapMeasurement) table(r *Result) (viz.Table, error) {
	table := viz.Table{Labels: 3, Header: slices.Concat([]string{"", "images", "method"}, gapColumns)}
	for _, method := range r.Setup.Methods {
		runs := r.row(method.Row).of(method.Name)
		values := make([][]float64, len(runs))
		for seed, run := range runs {
			values[seed] = m.numbers(run)
		}
		config := runs[0].Config()
		network, _, _ := strings.Cut(method.Row, ",")
		row := []string{network, strconv.Itoa(config.Data.Train - config.Data.Validation), method.Name}
		for _, s := range summarise(values) {
			row = append(row, viz.MeanStd(s.Mean, s.Std, s.N, 3))
		}
		table.Rows = append(table.Rows, row)
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

// gapPanel draws the points of a gamma.
func gapPanel(r *Result, gamma float64) (*viz.Figure, error) {
	var lines []viz.Line
	var all viz.Line
	for _, network := range gapNetworks {
		points := gapPoints(r, NLL, network.name, gamma)
		if len(points) > 0 {
			line := sortedPoints(points)
			line.Name, line.Points = network.name, true
			lines = append(lines, line)
			all.X, all.Y = append(all.X, line.X...), append(all.Y, line.Y...)
		}
	}
	zero, slope := stat.LinearRegression(all.X, all.Y, nil, false)
	low, high := slices.Min(all.X), slices.Max(all.X)
	fitted := viz.Line{Name: "all", X: []float64{low, high}, Y: []float64{zero + slope*low, zero + slope*high}}
	return viz.Lines("gap of MAP (nats)", "NLL − that of MAP (nats)", append(lines, fitted))
}

// sortedPoints returns the points of all seeds, from the smallest gap on.
func sortedPoints(points []gapPoint) (line viz.Line) {
	for _, p := range points {
		line.X, line.Y = append(line.X, p.gap...), append(line.Y, p.wins...)
	}
	stat.SortWeighted(line.X, line.Y)
	return line
}
