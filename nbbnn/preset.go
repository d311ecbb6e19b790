package nbbnn

import "github.com/nbbnn/workbench/dataset"

// PaperAllCNNC returns the paper's configuration of All-CNN-C on CIFAR-10 (METHOD.md section 4), with the given initial
// standard deviation, which is the prior's too: 0.16 for the paper's M16 and 0.32 for its M32. The seed is 0.
func PaperAllCNNC(initStd float64) Config {
	return Config{
		Network:   Network{Name: "allcnnc", Width: 96, Form: Published},
		Data:      Data{Name: dataset.CIFAR10},
		Posterior: Posterior{Components: 1, Mode: Output, InitStd: initStd, PriorStd: initStd},
		Objective: Objective{Gamma: 0, Bound: ReferenceBound, Scope: LayerScope},
		Training: Training{
			Epochs:                90,
			Batch:                 128,
			Samples:               4,
			LearningRate:          0.05,
			PosteriorLearningRate: 0.05,
			Momentum:              0.9,
			WeightDecay:           5e-4,
			BetaEpochs:            60,
		},
	}
}
