package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// costHeader names the columns of a method's cost.
var costHeader = strings.Fields("parameters epochs training prediction seconds")

// costColumns explains the columns of CostTable.
const costColumns = "parameters: numbers that predictions need; training: passes of each image " +
	"an epoch, 1 for SGD; " +
	"prediction: forward passes of an image; seconds: of the training, on the machines that trained"

// costCaption is costColumns for a comparison, with what posthoc runs' cost leaves out.
func costCaption(c score.Comparison) string {
	for _, method := range c.Methods {
		if cost, _ := method.Cost(); cost.Posthoc {
			return costColumns + "; post hoc: on top of the parent's training"
		}
	}
	return costColumns
}

// costValues returns the cost of a method in the columns of costHeader, NaN if unknown.
func costValues(method score.Method) []float64 {
	cost, known := method.Cost()
	values := []float64{
		float64(cost.Parameters), float64(cost.Epochs), float64(cost.TrainingPasses),
		float64(cost.PredictionPasses), cost.TrainingSeconds,
	}
	for i, value := range values {
		isEpochs := costHeader[i] == "epochs" // of which fixed noise has 0
		if !known || value == 0 && !isEpochs || isEpochs && cost.TrainingPasses == 0 {
			values[i] = math.NaN()
		}
	}
	return values
}

// costCells returns the cost of a method as text.
func costCells(method score.Method) (cells []string) {
	for _, value := range costValues(method) {
		if math.IsNaN(value) {
			cells = append(cells, "-")
		} else {
			cells = append(cells, quantity.Thousands(value))
		}
	}
	return cells
}

// CostTable returns the cost of each method: parameters, epochs, passes and seconds.
func CostTable(c score.Comparison) (viz.Table, error) {
	if err := c.Check(); err != nil {
		return viz.Table{}, err
	}
	table := viz.Table{Header: append([]string{"cost"}, costHeader...), Labels: 1,
		Caption: costCaption(c)}
	for _, method := range c.Methods {
		table.Rows = append(table.Rows, append([]string{method.Name}, costCells(method)...))
	}
	return table, nil
}

// summaryTable returns a row for each method: metrics on clean images and their mean over the
// severities 1 to 5, "mean ± standard deviation" over the seeds, and its cost. Without names, the
// metrics are Metrics; bold type is as in LevelTable.
func summaryTable(c score.Comparison, metrics ...string) (viz.Table, error) {
	if err := c.Check(); err != nil {
		return viz.Table{}, err
	}
	chosen, err := metricsOf(metrics, Metrics(c)...)
	if err != nil {
		return viz.Table{}, err
	}
	table := viz.Table{Header: []string{"method"}, Labels: 1,
		Caption: test(c) + "; corrupted: severities 1 to 5; " + costCaption(c)}
	for _, method := range c.Methods {
		table.Rows, table.Strong = append(table.Rows, []string{method.Name}),
			append(table.Strong, []bool{false})
	}
	for _, metric := range chosen {
		for _, images := range splits {
			methods, err := seriesOf(c, metric, images)
			if err != nil {
				return viz.Table{}, err
			}
			table.Header = append(table.Header, metric.Heading()+" "+images.name)
			bold := bestAt(c, metric, methods, 0)
			for i, s := range methods {
				table.Rows[i], table.Strong[i] = append(table.Rows[i], meanStd(metric, at(s, 0))),
					append(table.Strong[i], bold[i])
			}
		}
	}
	table.Header = append(table.Header, costHeader...)
	for i, method := range c.Methods {
		table.Rows[i] = append(table.Rows[i], costCells(method)...)
		table.Strong[i] = append(table.Strong[i], make([]bool, len(costHeader))...)
	}
	explain(&table, c)
	return table, nil
}

var splits = []split{{"clean", 0, 0}, {"corrupted", 1, score.LevelCount - 1}}

// againstPasses draws metrics against the forward passes that predict an image, with the Pareto
// front, on clean images and as means over the severities 1 to 5: error and NLL if none are named.
// The costs of all methods must be known.
func againstPasses(c score.Comparison, metrics ...string) (*viz.Figure, error) {
	chosen, err := metricsOf(metrics, "Error", "NLL")
	if err != nil {
		return nil, err
	}
	var panels []*viz.Figure
	for _, metric := range chosen {
		for _, images := range splits {
			panel, err := passesPanel(c, metric, images)
			if err != nil {
				return nil, err
			}
			panels = append(panels, panel.Titled(images.name))
		}
	}
	return viz.SharedGrid(inRows(panels)...)
}

func passesPanel(c score.Comparison, metric score.Metric, images split) (*viz.Figure, error) {
	points, err := seriesOf(c, metric, images)
	if err != nil {
		return nil, err
	}
	for i, method := range c.Methods {
		cost, known := method.Cost()
		if !known {
			return nil, fmt.Errorf("report: the cost of %s isn't known: compare runs, whose "+
				"cards tell it", method.Name)
		}
		points[i].X = []float64{float64(cost.PredictionPasses)}
		points[i].Test = fmt.Sprintf("%s, %s", c.Suite, imagesOf(method.Cells[0]))
	}
	return viz.AgainstPasses(metric.Name, points)
}
