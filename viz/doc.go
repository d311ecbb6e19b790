// Package viz draws the workbench's pictures for a paper, a slide or a notebook. It takes plain
// data and knows no trainer.
//
// What can be drawn: metrics against the corruption level ([LevelCurves], [LevelGrid],
// [LevelMultiples]) and against gamma ([GammaCurves]), the entropy over training ([EntropyCurves]),
// reliability and risk ([Reliability], [RiskCoverage]), every corruption at every severity
// ([HeatMap], [DifferenceMap]), outputs in two principal components ([PCAScatter]), shares of names
// ([Bars]), and images ([Images], [CorruptionGrid], [CorruptionSheet], [ImplicitCorruptions]).
// [LevelTable] and [CellTable] are the tables.
//
// A figure is made from data, put next to others, and saved, or shown in a notebook by package lab:
//
//	entropy, err := viz.EntropyCurves([]viz.Series{
//		{Name: "M16", Mean: m16Entropy, Std: m16EntropyStd, Seeds: 5},
//		{Name: "M32", Mean: m32Entropy, Std: m32EntropyStd, Seeds: 5},
//	})
//	if err != nil {
//		return err
//	}
//	levels, err := viz.LevelCurves("NLL", []viz.LevelCurve{
//		{Name: "M16", Mean: m16NLL, Std: m16NLLStd, Seeds: 5},
//		{Name: "M32", Mean: m32NLL, Std: m32NLLStd, Seeds: 5},
//	})
//	if err != nil {
//		return err
//	}
//	figure, err := viz.Row(entropy, levels)
//	if err != nil {
//		return err
//	}
//	return figure.Save("figure-03.png") // or .svg, .pdf
//
// [Row], [Column], [Stretched] and [SharedGrid] put figures together, the last under one legend as
// in the paper.
//
// # What the figures have in common
//
// Named methods (node-BNN, SWAG, the paper's M16 and M32 and others) have a colour of their own in
// every figure; any other name takes the colour of its hash unless another curve of the figure has
// it. Names that give values of one quantity ("K = 1" and "K = 4") take one ramp, the darker the
// larger; a γ has one colour in every figure. Every colour has a contrast of at least 3:1 with
// white, and hues of methods differ for colour-blind readers; markers and dashes tell curves apart
// without colour.
//
// Every point stands at its true place. From five seeds on, error bars and bands are one standard
// deviation; each of fewer seeds is a thin line, if its values are given; the line below the axes
// says over how many. Curves of the paper are thin, dashed and unmarked, in the colour of the
// method that they belong to. The names beta, gamma, lambda and sigma are drawn as Greek letters.
//
// [Figure.Plots] hands out the axes of a figure, to change or to add to.
package viz
