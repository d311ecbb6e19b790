package paper

import (
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// Figure06 is Figure 6 of the paper: VGG16 on CIFAR-100 with noise on the outputs, the negative
// log-likelihood against gamma / K for several numbers of components K, on validation images, test
// images, and test images under mild and severe corruption.
var Figure06 = Figure{
	Number:  6,
	Title:   "More components allow a larger entropy coefficient, which helps under corruption",
	Runs:    figure06Runs,
	Collect: sweepMeasurement(componentSweep, nbbnn.ValidationPart, validationSplit, testSplit, mildSplit, severeSplit),
	Draw:    figure06Draw,
	Claims: []Claim{
		{
			Text: "the best γ beats γ = 0 on every split", Source: FromPaper, Levels: true,
			Effects: componentSweep.bestBeatsZero(validationSplit, testSplit, mildSplit, severeSplit),
		},
		{
			Text: "the best γ is larger under severe corruption", Source: FromPaper, Levels: true,
			Effects: componentSweep.bestGrows(testSplit, severeSplit),
		},
		{
			Text: "K = 4 has a lower best NLL under corruption than K = 1", Source: FromPaper, Levels: true,
			Effects: componentSweep.bestIsLower([]comparison{{"K = 4", "K = 1"}}, mildSplit, severeSplit),
		},
	},
}

// componentSweep has a curve for each number of components.
var componentSweep = sweep{ofComponents}

// figure06Runs holds out validation images at every scale. The desk scale has the least grid on which
// the claims can be asked (METHOD.md section 6).
func figure06Runs(scale Scale) Setup {
	published := nbbnn.PaperVGG16(dataset.CIFAR100)
	published.Data.Validation = 5000
	switch scale {
	case Smoke:
		config := smokeConfig(published)
		config.Data.Validation = 50
		return Setup{
			Methods: gammaGrid([]int{1, 2}, outputs, 0, 4), Config: config, Seeds: FirstSeeds(1),
			Evaluation: nbbnn.Evaluation{Suite: "first8", Samples: 4, Images: 32},
		}
	case Desk:
		return Setup{
			Methods: gammaGrid([]int{1, 4}, outputs, 0, 12, 20, 40), Config: deskConfig(published), Seeds: FirstSeeds(3),
			Evaluation: deskEvaluation(),
		}
	case Paper:
		methods := gammaGrid([]int{1}, outputs, everyStep(publishedStep, 80)...)
		methods = append(methods, gammaGrid([]int{2}, outputs, everyStep(publishedStep, 60)...)...)
		methods = append(methods, gammaGrid([]int{4}, outputs, everyStep(publishedStep, 40)...)...)
		return Setup{
			Methods: methods, Config: published, Seeds: FirstSeeds(5),
			Evaluation: nbbnn.Evaluation{Suite: "all19", Samples: 32},
		}
	}
	return Setup{}
}

func figure06Draw(r *Result) (*viz.Figure, error) {
	var published []publishedSweep
	if config := r.Setup.Config; config.Network.Name == "vgg16" && config.Data.Name == dataset.CIFAR100 {
		published = figure06Published
	}
	return componentSweep.draw(r, published, validationSplit, testSplit, mildSplit, severeSplit)
}
