// Package score computes numbers from predictions: the metrics of single evaluations, their means
// over corruptions, and comparisons over seeds.
//
// A [Prediction] holds the log-probabilities of every Monte-Carlo sample for each image. With the
// labels it gives a [Cell]: negative log-likelihood, error, expected calibration error and more
// under one [Condition], which is a corruption at a severity. [Cells] of a whole suite give the
// metrics at each level. The directory of a run keeps them in cells.csv and bins.csv.
//
// A [Metric] has a name, a unit, a label and a direction, and gives its value of a cell, at the
// levels of a run, and over several seeds: figures, tables and commands call MetricByName(name) and
// then
//
//	metric.Value(cell)              one corruption at one severity
//	metric.Levels(cells)            one run, at the levels 0 to 5
//	metric.Series(suite, runs...)   several seeds, mean and standard deviation at each level
//	metric.Shown(value)             in the unit of metric.Label(), with metric.Decimals()
//
// Functions of predictions compute single scores: [APSThreshold] with [MeasureSets], and [Detect]
// for images of another data set. docs/using.md says what each of them answers.
//
// [Register] adds a custom metric, which evaluations then compute for every cell.
//
// A [Comparison] is several methods that were tested alike, each with several seeds: [Compare]
// groups runs by their settings, and its Tables, CellSummaries and Bins give the numbers that
// figures draw.
//
// Nothing here runs a network, so programs that only read numbers or draw them don't link an
// engine.
package score
