// Package viz draws the workbench's pictures for a paper, a slide or a notebook. It takes plain data and knows no trainer.
//
// What can be drawn: metrics against the corruption level ([LevelCurves], [LevelPanels]) and against gamma ([GammaCurves]), the
// entropy over training ([EntropyCurves]), reliability and risk ([Reliability], [RiskCoverage]), every corruption at every severity
// ([HeatMap], [DifferenceMap]), outputs in two principal components ([PCAScatter]), and images ([Images], [CorruptionGrid],
// [CorruptionSheet], [ImplicitCorruptions]). [LevelTable] and [CellTable] are the tables.
//
// A figure is made from data, put beside others, and saved, or shown in a notebook by package lab:
//
//	entropy, err := viz.EntropyCurves([]viz.EntropyCurve{
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
// [Row], [Column] and [SharedRow] put figures together, the last one under one legend as in the paper.
//
// # What the figures have in common
//
// A method has the same colour in every figure, taken from its name. The colours are told apart by colour-blind
// readers; markers and dashes tell the curves apart without colour. Error bars and bands are one standard deviation
// over seeds, and the line below the axes says over how many. Curves of the paper are thin, dashed and unmarked, in the
// colour of the method that they belong to.
package viz
