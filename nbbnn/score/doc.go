// Package score computes numbers from predictions: the metrics of single evaluations, their means over
// corruptions, and comparisons over seeds.
//
// A [Prediction] holds the log-probabilities of every Monte-Carlo sample for each image. A [Measure]
// turns predictions and labels into a [Cell]: negative log-likelihood, error, expected calibration
// error and more under one [Condition], which is a corruption at a severity. [Cells] of a whole suite
// give [Levels], the means over the corruptions at each severity, and the levels of several seeds give
// a [LevelTable] with means and standard deviations. A [Store] keeps cells in cells.csv and bins.csv.
//
// Nothing here runs a network, so programs that only read numbers or draw them don't link an engine.
package score
