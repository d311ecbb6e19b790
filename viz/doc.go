// Package viz draws the workbench's pictures: metrics against the corruption level, entropy against the epoch and grids of
// corrupted images, for a paper, a slide or a notebook. It takes plain data and knows no trainer.
//
// A figure is made from data, put beside others, and written or shown:
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
//	if err := viz.Show(figure); err != nil { // in a notebook's cell; does nothing elsewhere
//		return err
//	}
//	return figure.Save("figure-03.png") // or .svg, .pdf
//
// # What the figures have in common
//
// A method has the same colour in every figure, taken from its name. The colours are told apart by colour-blind
// readers; markers and dashes tell the curves apart without colour. Error bars and bands are one standard deviation
// over seeds, and the line below the axes says over how many. Curves of the paper are thin, dashed and unmarked, in the
// colour of the method that they belong to.
package viz
