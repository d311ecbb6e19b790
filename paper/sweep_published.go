package paper

import (
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
)

// publishedSweep is a curve of the paper's Figure 6 or 8: the mean negative log-likelihood over its
// runs, at the same step of gamma / K from 0 on.
type publishedSweep struct {
	split string
	k     int
	nll   []float64
}

// publishedStep is the step of gamma / K of the paper's sweeps.
const publishedStep = 4

// figure06Curves returns the paper's Figure 6 for its network, data set and mode.
func figure06Curves(config nbbnn.Config) []publishedSweep {
	if config.Network.Name != "vgg16" || config.Data.Name != dataset.CIFAR100 || config.Posterior.Mode != nbbnn.Output {
		return nil
	}
	return figure06Published
}

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

// figure08Curves returns the paper's curves for its data set and share of wrong labels.
func figure08Curves(config nbbnn.Config) []publishedSweep {
	if config.Network.Name != "resnet18" || config.Data.Name != dataset.CIFAR10 || config.Data.LabelNoise != 0.4 {
		return nil
	}
	return figure08Published
}

// figure08Published are the curves of the paper with 40 % of wrong labels, ResNet18 on CIFAR-10
// with four components, means over its runs (METHOD.md section 6).
var figure08Published = []publishedSweep{
	{"clean labels", 4, []float64{
		0.2132, 0.2382, 0.2515, 0.2484, 0.2489, 0.2623, 0.288, 0.3366, 0.4043, 0.4938, 0.6245,
	}},
	{"wrong labels", 4, []float64{
		1.4661, 1.9603, 2.4821, 2.9954, 3.4101, 3.6933, 3.8599, 3.8612, 3.7608, 3.573, 3.3192,
	}},
	{"test", 4, []float64{
		0.8027, 0.7633, 0.7451, 0.7375, 0.7528, 0.778, 0.818, 0.8625, 0.9143, 0.9683, 1.024,
	}},
}
