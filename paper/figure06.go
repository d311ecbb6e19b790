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

// figure06Runs holds out validation images at every scale. The desk scale has the least grid on
// which the claims can be asked (METHOD.md section 6).
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

// publishedSweep is a curve of the paper's Figure 6: the mean negative log-likelihood over its
// runs, at the same step of gamma / K from 0 on.
type publishedSweep struct {
	split string
	k     int
	nll   []float64
}

// publishedStep is the step of gamma / K of the paper's sweeps.
const publishedStep = 4

// figure06Published are the curves of the paper's Figure 6, VGG16 on CIFAR-100 with noise on the
// outputs, means over 5 runs and 19 corruptions (METHOD.md section 6).
var figure06Published = []publishedSweep{
	{"validation", 1, []float64{
		1.2369, 1.1477, 1.0452, 0.9881, 0.9469, 0.916, 0.8989, 0.8755, 0.871, 0.8611, 0.8564, 0.8596,
		0.8644, 0.8744, 0.8865, 0.9158, 0.9344, 0.9653, 0.9987, 1.0337, 1.0716,
	}},
	{"validation", 2, []float64{
		1.1501, 1.0743, 0.9945, 0.9311, 0.9122, 0.8908, 0.8728, 0.8614, 0.8666, 0.8827, 0.8993,
		0.9431, 0.9864, 1.0353, 1.0923, 1.1575,
	}},
	{"validation", 4, []float64{
		1.1115, 1.0065, 0.9634, 0.9057, 0.8885, 0.8794, 0.889, 0.9062, 0.9547, 1.0104, 1.0873,
	}},
	{"test", 1, []float64{
		1.2806, 1.178, 1.095, 1.0411, 0.9886, 0.9641, 0.9435, 0.9257, 0.9167, 0.9019, 0.904, 0.9009,
		0.9029, 0.91, 0.9235, 0.9462, 0.969, 1.0015, 1.03, 1.0713, 1.1098,
	}},
	{"test", 2, []float64{
		1.1993, 1.1284, 1.0349, 0.9826, 0.95, 0.9299, 0.9148, 0.9009, 0.9079, 0.9159, 0.9457, 0.9756,
		1.0224, 1.072, 1.1286, 1.1921,
	}},
	{"test", 4, []float64{
		1.1391, 1.0541, 1.005, 0.9501, 0.9248, 0.9165, 0.9251, 0.9415, 0.9867, 1.0487, 1.1258,
	}},
	{"mild", 1, []float64{
		2.372, 2.2345, 2.1098, 1.9697, 1.9038, 1.832, 1.7878, 1.7511, 1.735, 1.7251, 1.7047, 1.7008,
		1.682, 1.6928, 1.7067, 1.7058, 1.7294, 1.7618, 1.7934, 1.8068, 1.8431,
	}},
	{"mild", 2, []float64{
		2.2651, 2.0892, 1.9654, 1.8458, 1.783, 1.7379, 1.7089, 1.6754, 1.6659, 1.6661, 1.6862,
		1.7074, 1.7353, 1.7922, 1.8284, 1.889,
	}},
	{"mild", 4, []float64{
		2.0847, 1.9435, 1.84, 1.7557, 1.6953, 1.6605, 1.6448, 1.6429, 1.674, 1.7231, 1.7863,
	}},
	{"severe", 1, []float64{
		3.9826, 3.8197, 3.6313, 3.3328, 3.2636, 3.076, 2.9633, 2.8914, 2.8617, 2.835, 2.7839, 2.7512,
		2.7085, 2.6806, 2.6825, 2.6516, 2.6447, 2.6542, 2.684, 2.6577, 2.6784,
	}},
	{"severe", 2, []float64{
		3.8701, 3.555, 3.3727, 3.0983, 2.9921, 2.8783, 2.8079, 2.7361, 2.6782, 2.6263, 2.629, 2.6059,
		2.5981, 2.6376, 2.6346, 2.6682,
	}},
	{"severe", 4, []float64{
		3.5175, 3.2698, 3.0827, 2.9495, 2.7966, 2.6984, 2.6252, 2.5783, 2.5422, 2.5535, 2.5709,
	}},
}
