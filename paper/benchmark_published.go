package paper

import (
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// figure10Published are the paper's curves of ResNet18 on CIFAR-100, read off a slide: three
// methods, no ensembles (METHOD.md section 6). Standard deviations are known of two points only.
var figure10Published = []Published{
	{
		Data: dataset.CIFAR100, Network: "resnet18", Method: nodeBNN, Metric: ECE, Corruptions: 19,
		Mean: [score.LevelCount]float64{0.0547, 0.0409, 0.0198, 0.0118, 0.0375, 0.0932},
	},
	{
		Data: dataset.CIFAR100, Network: "resnet18", Method: nodeBNN, Metric: NLL, Corruptions: 19,
		Mean: [score.LevelCount]float64{0.744, 1.204, 1.569, 1.859, 2.255, 2.885},
	},
	{
		Data: dataset.CIFAR100, Network: "resnet18", Method: nodeBNN, Metric: Error, Corruptions: 19,
		Mean: [score.LevelCount]float64{0.2042, 0.3098, 0.389, 0.4424, 0.5075, 0.6118},
	},
	{
		Data: dataset.CIFAR100, Network: "resnet18", Method: swag, Metric: ECE, Corruptions: 19,
		Mean: [score.LevelCount]float64{0.0372, 0.0159, 0.0142, 0.038, 0.0748, 0.1365},
	},
	{
		Data: dataset.CIFAR100, Network: "resnet18", Method: swag, Metric: NLL, Corruptions: 19,
		Mean: [score.LevelCount]float64{0.727, 1.233, 1.632, 1.937, 2.361, 3.044},
	},
	{
		Data: dataset.CIFAR100, Network: "resnet18", Method: swag, Metric: Error, Corruptions: 19,
		Mean: [score.LevelCount]float64{0.2068, 0.322, 0.4083, 0.463, 0.5294, 0.6363},
	},
	{
		Data: dataset.CIFAR100, Network: "resnet18", Method: csgHMC, Metric: ECE, Corruptions: 19,
		Mean: [score.LevelCount]float64{0.0155, 0.0227, 0.0481, 0.0741, 0.1075, 0.169},
	},
	{
		Data: dataset.CIFAR100, Network: "resnet18", Method: csgHMC, Metric: NLL, Corruptions: 19,
		Mean: [score.LevelCount]float64{0.727, 1.25, 1.654, 1.972, 2.397, 3.101},
	},
	{
		Data: dataset.CIFAR100, Network: "resnet18", Method: csgHMC, Metric: Error, Corruptions: 19,
		Mean: [score.LevelCount]float64{0.2003, 0.3175, 0.4032, 0.4592, 0.5281, 0.6363},
	},
}

// figure11Published are the paper's curves of PreActResNet18 on TinyImageNet (METHOD.md section 6).
// Whether they average 15 or 19 corruptions isn't known.
var figure11Published = []Published{
	{
		Data: dataset.TinyImageNet, Network: "preactresnet18", Method: nodeBNN, Metric: ECE,
		Mean: [score.LevelCount]float64{0.1152, 0.0567, 0.0349, 0.0306, 0.0548, 0.0862},
		Std:  [score.LevelCount]float64{0.0035, 0.0048, 0.0031, 0.0018, 0.0057, 0.0073},
	},
	{
		Data: dataset.TinyImageNet, Network: "preactresnet18", Method: nodeBNN, Metric: NLL,
		Mean: [score.LevelCount]float64{1.3847, 2.5333, 2.8858, 3.347, 3.8761, 4.3593},
		Std:  [score.LevelCount]float64{0.0083, 0.0241, 0.0271, 0.0305, 0.0355, 0.0408},
	},
	{
		Data: dataset.TinyImageNet, Network: "preactresnet18", Method: nodeBNN, Metric: Error,
		Mean: [score.LevelCount]float64{0.3235, 0.568, 0.6306, 0.7018, 0.7705, 0.8223},
		Std:  [score.LevelCount]float64{0.0024, 0.0046, 0.0048, 0.0044, 0.0037, 0.0031},
	},
	{
		Data: dataset.TinyImageNet, Network: "preactresnet18", Method: swag, Metric: ECE,
		Mean: [score.LevelCount]float64{0.0217, 0.0507, 0.0783, 0.1114, 0.1421, 0.1648},
		Std:  [score.LevelCount]float64{0.01, 0.0104, 0.0172, 0.0174, 0.0166, 0.0165},
	},
	{
		Data: dataset.TinyImageNet, Network: "preactresnet18", Method: swag, Metric: NLL,
		Mean: [score.LevelCount]float64{1.3834, 2.6709, 3.0998, 3.6455, 4.2439, 4.7769},
		Std:  [score.LevelCount]float64{0.0179, 0.0545, 0.067, 0.0835, 0.1001, 0.1156},
	},
	{
		Data: dataset.TinyImageNet, Network: "preactresnet18", Method: swag, Metric: Error,
		Mean: [score.LevelCount]float64{0.3341, 0.5867, 0.6506, 0.7222, 0.7876, 0.8365},
		Std:  [score.LevelCount]float64{0.0028, 0.0052, 0.005, 0.0047, 0.0037, 0.0034},
	},
	{
		Data: dataset.TinyImageNet, Network: "preactresnet18", Method: csgHMC, Metric: ECE,
		Mean: [score.LevelCount]float64{0.0428, 0.1214, 0.1568, 0.1961, 0.2312, 0.259},
		Std:  [score.LevelCount]float64{0.0026, 0.0027, 0.0029, 0.0037, 0.0045, 0.0058},
	},
	{
		Data: dataset.TinyImageNet, Network: "preactresnet18", Method: csgHMC, Metric: NLL,
		Mean: [score.LevelCount]float64{1.5481, 3.0936, 3.6118, 4.2739, 4.9807, 5.6136},
		Std:  [score.LevelCount]float64{0.0109, 0.0234, 0.0301, 0.0386, 0.0502, 0.0689},
	},
	{
		Data: dataset.TinyImageNet, Network: "preactresnet18", Method: csgHMC, Metric: Error,
		Mean: [score.LevelCount]float64{0.3535, 0.6294, 0.6939, 0.7628, 0.8208, 0.8639},
		Std:  [score.LevelCount]float64{0.0025, 0.0033, 0.0033, 0.0029, 0.0023, 0.0018},
	},
}
