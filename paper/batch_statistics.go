package paper

import (
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// batchStatistics is the baseline that sees a batch of images of one corruption before it answers:
// batch normalisation by the statistics of that batch (Nado et al. 2020), for a network without
// noise and for two with it.
var batchStatistics = Figure{
	Key: "batch-statistics",
	Title: "Batch normalisation uses the statistics of the tested batch, of one corruption at " +
		"one severity",
	headline: headline{
		Shows:    "Error under corruption with the statistics of the tested batch",
		Claimed:  "The statistics of the tested batch lower the error under corruption",
		Opposite: "The statistics of the tested batch raise the error under corruption",
		Between:  "in error between the statistics of the tested batch and those of the training",
	},
	Runs:    batchStatisticsRuns,
	collect: tests{changes: batchTests()},
	draw:    drawBatchStatistics,
	claims: []claim{
		batchClaim("the statistics of the batch lower the error under corruption", Error,
			corruptedSplit, belowZero).asPrimary(0),
		batchClaim("the statistics of the batch lower the NLL under corruption", NLL,
			corruptedSplit, belowZero),
		batchClaim("the statistics of the batch cost on clean images", NLL, testSplit, aboveZero),
		weAsk("with the statistics of the batch, noise still lowers the NLL under corruption",
			lower(NLL, underCorruption, batchName(batchMethods[2], statedBatch),
				batchName(mapName, statedBatch))),
		weAsk("with the statistics of the batch, noise still lowers the error under corruption",
			lower(Error, underCorruption, batchName(batchMethods[2], statedBatch),
				batchName(mapName, statedBatch))),
		weAsk("batches of 4 images raise the error of clean images",
			lower(Error, []split{testSplit}, batchName(mapName, 4), mapName).claimed(aboveZero,
				0)).of(batchName(mapName, 4), mapName),
	},
}

// statedBatch is the number of images of a batch in the claims, batchSizes the curve's.
const statedBatch = 100

var batchSizes = []float64{4, 10, 50, 100, 250}

// batchMethods are tested with the statistics of the training and of the batch.
var batchMethods = []string{mapName, gammaName(0), gammaName(16)}

func batchName(method string, images int) string {
	return fmt.Sprintf("%s, batches of %d", method, images)
}

func batchTests() map[string]func(*nbbnn.Evaluation) {
	tests := map[string]func(*nbbnn.Evaluation){}
	for _, method := range batchMethods {
		for _, size := range batchSizes {
			tests[batchName(method, int(size))] = func(e *nbbnn.Evaluation) {
				e.BatchStatistics = int(size)
			}
		}
	}
	return tests
}

// batchStatisticsRuns shares its runs with Figures 3 and 6 at the quick scale, where validation
// images choose the second gamma, and with Demo at the smoke scale.
func batchStatisticsRuns(scale Scale) Setup {
	var setup Setup
	switch scale {
	case Smoke:
		setup = demoRuns(scale)
		setup.Seeds, setup.Evaluation.Images = quantity.FirstSeeds(1), 250
	default:
		setup = sweepRuns(scale, nbbnn.Paper("resnet18", dataset.CIFAR10))
		setup.Methods = append([]Method{ordinary}, withGammas(1, 0, 16)...)
	}
	for i, name := range batchMethods {
		setup.Methods[i].Name = name
	}
	for _, method := range setup.Methods[:3] {
		for _, size := range batchSizes {
			if method.Name == mapName || size == statedBatch {
				setup.Methods = append(setup.Methods,
					Method{Name: batchName(method.Name, int(size)), Change: method.Change})
			}
		}
	}
	return setup
}

// batchClaim compares the statistics of the batch with the training's, in the mean over the
// methods.
func batchClaim(text, metric string, on split, side direction) claim {
	var compared contrast = func(r *Result) (effects []Effect) {
		for _, method := range batchMethods {
			effects = append(effects, lower(metric, []split{on}, batchName(method, statedBatch),
				method)(r)...)
		}
		return effects
	}
	return weAsk(text, compared.averaged("the batch's statistics - the training's, mean of "+
		"methods, "+on.name).claimed(side, 0))
}

// drawBatchStatistics draws error and NLL of no noise and of the most at the levels, and below them
// both against the size of the batch.
func drawBatchStatistics(r *Result) (*viz.Figure, error) {
	var names []string
	for _, method := range []string{mapName, batchMethods[2]} {
		names = append(names, method, batchName(method, statedBatch))
	}
	sizes := newSweepCurve("images of a batch", batchSizes, func(size float64) string {
		return batchName(mapName, int(size))
	})
	var b board
	b.row()
	for _, metric := range []string{Error, NLL} {
		b.add(onlyMethods(r, names...).LevelFigure(metric))
	}
	b.row()
	for _, metric := range []string{Error, NLL} {
		b.add(sizes.panel(r, metric, testSplit, mildSplit, severeSplit))
		b.title("MAP")
	}
	return b.arranged(viz.Stretched)
}
