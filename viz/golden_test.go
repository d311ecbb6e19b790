package viz_test

import (
	"testing"

	"gonum.org/v1/plot/cmpimg"
)

// tolerance of a pixel's colour (cmpimg's unit, 0 exact to 1 anything): other processors round the
// edges of shapes otherwise by a shade or two.
const tolerance = 0.05

// The pictures of the examples are as they were when a person last looked at them; -regen rewrites
// them.
func TestGoldenPictures(t *testing.T) {
	for _, test := range []struct {
		picture string
		draw    func()
	}{
		{"level_curves.png", ExampleLevelCurves},
		{"level_curves_methods.png", ExampleLevelCurves_methods},
		{"level_curves_caption.png", ExampleLevelCurves_caption},
		{"entropy_curves.png", ExampleEntropyCurves},
		{"row.png", ExampleRow},
		{"corruption_grid.png", ExampleCorruptionGrid},
		{"gamma_curves.png", ExampleGammaCurves},
		{"shared_row.png", ExampleSharedRow},
		{"reliability.png", ExampleReliability},
		{"risk_coverage.png", ExampleRiskCoverage},
		{"heat_map.png", ExampleHeatMap},
		{"difference_map.png", ExampleDifferenceMap},
		{"pca_scatter.png", ExamplePCAScatter},
		{"images.png", ExampleImages},
		{"corruption_sheet.png", ExampleCorruptionSheet},
		{"implicit_corruptions.png", ExampleImplicitCorruptions},
		{"level_panels.png", ExampleLevelPanels},
		{"level_baseline.png", ExampleLevelPanels_baseline},
		{"level_multiples.png", ExampleLevelMultiples},
		{"plots.png", ExampleFigure_Plots},
		{"plots_cells.png", ExampleFigure_Plots_cells},
		{"epoch_curves.png", ExampleEpochCurves},
		{"column.png", ExampleColumn},
		{"shared_heat_maps.png", ExampleSharedHeatMaps},
		{"lines.png", ExampleLines},
		{"strips.png", ExampleStrips},
		{"answer_bars.png", ExampleAnswerBars},
		{"marked.png", ExampleFigure_Marked},
		{"differences.png", ExampleDifferences},
		{"level_differences.png", ExampleLevelDifferences},
		{"implicit_curves.png", ExampleImplicitCurves},
		{"against_passes.png", ExampleAgainstPasses},
		{"dots.png", ExampleDots},
	} {
		t.Run(test.picture, func(t *testing.T) {
			cmpimg.CheckPlotApprox(test.draw, t, tolerance, test.picture)
		})
	}
}
