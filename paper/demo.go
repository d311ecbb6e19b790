package paper

import (
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// Demo is a first result on embedded data, no figure of the paper: a narrow ResNet18 without noise
// on its nodes, with noise, and with more entropy in the noise, on 500 images of Shapes10. Five
// seeds are trained and tested in about two minutes on two cores, at every scale alike.
var Demo = demo

var demo = Figure{
	Key: "demo",
	Title: "Noise on the nodes makes a network less sure, and right more often, also on clean " +
		"images",
	headline: headline{
		Shows:    "NLL under corruption with and without noise on the nodes",
		Claimed:  "Noise on the nodes lowers the NLL under corruption",
		Opposite: "Noise on the nodes raises the NLL under corruption",
		Between:  "in NLL between networks with and without noise",
	},
	Runs:    demoRuns,
	collect: tests{},
	draw:    demoDraw,
	claims: []claim{
		weCompare("noise on the nodes lowers the NLL under corruption", NLL, plainNoise,
			mapName).asPrimary(0).beside(lowerFamily(plainNoise, mapName)),
		weCompare("noise on the nodes lowers the error under corruption", Error, plainNoise,
			mapName),
		weCompare("noise on the nodes lowers the scaled NLL under corruption", ScaledNLL,
			plainNoise, mapName).needing(ScaledNLL),
		weCompare("more entropy lowers the NLL under corruption", NLL, moreEntropy, plainNoise),
		weCompare("more entropy lowers the error under corruption", Error, moreEntropy, plainNoise),
		weAsk("the advantage of more entropy grows with the corruption",
			func(r *Result) []Effect {
				return leadGrows(moreEntropy, plainNoise)(r)[:1]
			}).of(moreEntropy, plainNoise),
	},
}

// The methods of Demo.
const (
	plainNoise  = "noise, γ = 0"
	moreEntropy = "noise, γ = 16"
)

func demoRuns(Scale) Setup {
	config := quickConfig(nbbnn.Paper("resnet18", dataset.CIFAR10))
	config.Data = nbbnn.Data{Name: dataset.Shapes10, Train: 500, Test: 1200}
	config.Training.Epochs, config.Training.BetaEpochs, config.Training.PosteriorLearningRate = 30,
		20, 0.5
	methods := append([]Method{ordinary}, withGammas(1, 0, 16)...)
	methods[1].Name, methods[2].Name = plainNoise, moreEntropy
	return Setup{
		Methods: methods, Config: config, Seeds: quantity.FirstSeeds(5), OwnImages: true,
		Evaluation: nbbnn.Evaluation{Suite: "first8", Images: 200, Samples: 4},
	}
}

// demoDraw draws NLL and error of the methods, and what noise and more entropy change in them.
func demoDraw(r *Result) (*viz.Figure, error) {
	var b board
	for _, metric := range []string{NLL, Error} {
		b.row()
		b.add(r.LevelFigure(metric))
		b.add(differenceFigure(r, metric, comparison{plainNoise, mapName},
			comparison{moreEntropy, plainNoise}))
	}
	return b.arranged(viz.Stretched)
}
