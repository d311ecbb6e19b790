package nbbnn_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/lab"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// tinyRun opens a run below a temporary directory and trains it, in a second.
func tinyRun() (run *nbbnn.Run, remove func()) {
	directory := lab.Must(os.MkdirTemp("", "runs"))
	run = lab.Must(nbbnn.Open(directory, nbbnn.Config{
		Network:  nbbnn.Network{Width: 2},
		Data:     nbbnn.Data{Name: "shapes10", Train: 16, Test: 10},
		Training: nbbnn.Training{Epochs: 2, Batch: 8, Samples: 1, LearningRate: 0.01},
	}))
	lab.Check(run.Train(context.Background(), nil))
	return run, func() { _ = os.RemoveAll(directory) }
}

// The history begins with the state before training, for instance to draw the entropy of a run that
// is still training.
func ExampleRun_History() {
	run, remove := tinyRun()
	defer remove()
	history := lab.Must(run.History())
	for _, epoch := range history {
		fmt.Printf("epoch %d: beta %.1f, learning rate %.4f\n", epoch.Epoch, epoch.Beta,
			epoch.LearningRate)
	}
	// Output:
	// epoch 0: beta 0.0, learning rate 0.0000
	// epoch 1: beta 0.0, learning rate 0.0100
	// epoch 2: beta 1.0, learning rate 0.0100
}

// The suite of figure 3 has eight corruptions at five severities, and the clean test images. A
// second call reads what the first one measured.
func ExampleRun_Evaluate() {
	run, remove := tinyRun()
	defer remove()
	evaluation := nbbnn.Evaluation{Suite: "first8", Samples: 2, Images: 4}
	cells := lab.Must(run.Evaluate(context.Background(), evaluation, nil))
	levels := lab.Must(cells.Levels())
	fmt.Println("cells:", len(cells))
	fmt.Println("first:", cells[0].Corruption, "on", cells[0].Images, "images")
	fmt.Println("level 0 is the clean cell:", levels.NLL[0] == cells[0].NLL)
	fmt.Println("evaluated:", run.Evaluated(evaluation))
	// Output:
	// cells: 41
	// first: clean on 4 images
	// level 0 is the clean cell: true
	// evaluated: true
}

// A configuration file holds what differs from the defaults; a key that doesn't exist is an error.
func ExampleReadConfig() {
	directory := lab.Must(os.MkdirTemp("", "config"))
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "gamma.json")
	lab.Check(os.WriteFile(path, []byte(`{"objective": {"gamma": 40}, "network": {"width": 24}}`),
		0o644))
	config := lab.Must(nbbnn.ReadConfig(path))
	fmt.Println("gamma", config.Objective.Gamma)
	network := config.WithDefaults().Network
	fmt.Println(network.Name, network.Width, network.Form)
	// Output:
	// gamma 40
	// allcnnc 24 narrow
}

// The weights in the names and the order of the axes of a checkpoint, and those of the ordinary
// network whose latents are all one.
func ExampleRun_Export() {
	run, remove := tinyRun()
	defer remove()
	weights, folded := run.Directory()+"/weights.safetensors", run.Directory()+"/folded.safetensors"
	lab.Check(run.Export(context.Background(), weights, nbbnn.ExportOptions{}))
	lab.Check(run.Export(context.Background(), folded,
		nbbnn.ExportOptions{Latents: nbbnn.OneLatents}))
	for _, path := range []string{weights, folded} {
		config, _, err := nbbnn.ReadExportedConfig(path)
		lab.Check(err)
		fmt.Println(config.Network.Name, "with latents:", config.Posterior.Mode)
	}
	// Output:
	// allcnnc with latents: out
	// allcnnc with latents: none
}

// The bound on the entropy counts layers apart; the entropy of all latents together is at most as
// large.
func ExampleRun_Posterior() {
	directory, runs := smallRuns()
	defer os.RemoveAll(directory)
	layers := lab.Must(runs[0].Posterior(0))
	mean, sigma := network.JoinPosterior(layers)
	joint := lab.Must(network.EstimateEntropy(mean, sigma, 2_000, 1))
	apart := 0.0
	for _, layer := range layers {
		estimate := lab.Must(network.EstimateEntropy(layer.Mean, layer.Sigma, 2_000, 1))
		apart += estimate.Value
	}
	fmt.Println(len(layers), "layers,", len(mean), "components in", len(mean[0]), "dimensions")
	fmt.Println("at most the sum over the layers:", joint.Value < apart+5*joint.StandardError)
	// Output:
	// 8 layers, 2 components in 54 dimensions
	// at most the sum over the layers: true
}

// Two grey images of one's own, of the size that the run was trained on.
func ExampleRun_PredictImages() {
	run, remove := tinyRun()
	defer remove()
	images := dataset.Images{Height: 32, Width: 32, Pixels: make([]uint8, 2*32*32*3)}
	for i := range images.Pixels {
		images.Pixels[i] = 128
	}
	prediction := lab.Must(run.PredictImages(context.Background(), images, 8))
	fmt.Println(prediction.Images, "images,", prediction.Samples, "samples,", prediction.Classes,
		"classes")
	fmt.Println("log-probabilities of an image:", len(prediction.Image(1)))
	fmt.Println("mean probabilities:", len(prediction.MeanProbabilities(1)))
	// Output:
	// 2 images, 8 samples, 10 classes
	// log-probabilities of an image: 80
	// mean probabilities: 10
}

// A run trains once; opened again, it's read from its directory.
func ExampleOpen() {
	directory := lab.Must(os.MkdirTemp("", "runs"))
	defer os.RemoveAll(directory)
	config := nbbnn.Config{
		Network:   nbbnn.Network{Name: "allcnnc", Width: 4},
		Data:      nbbnn.Data{Name: "shapes10", Train: 32, Test: 10},
		Posterior: nbbnn.Posterior{InitStd: 0.32},
		Training:  nbbnn.Training{Epochs: 2, Batch: 8, Samples: 1, LearningRate: 0.01},
	}
	run := lab.Must(nbbnn.Open(directory, config))
	lab.Check(run.Train(context.Background(), nil))
	again := lab.Must(nbbnn.Open(directory, config))
	history := lab.Must(again.History())
	fmt.Println("complete:", again.Complete())
	fmt.Println("epochs:", len(history)-1)
	// Output:
	// complete: true
	// epochs: 2
}

// What has to be added to the first test image to have the effect of one draw of the latents: the
// larger lambda, the less.
func ExampleRun_ImplicitCorruptions() {
	run, remove := tinyRun()
	defer remove()
	settings := implicit.Settings{Lambda: []float64{0.01, 1}, Steps: 50}
	corruptions := lab.Must(run.ImplicitCorruptions(context.Background(), settings, nil))
	weak, strong := corruptions[1], corruptions[0]
	fmt.Println("lambda", weak.Lambda, "changes less than", strong.Lambda, "-",
		weak.Norm < strong.Norm)
	fmt.Println("and leaves the logits further from the draw's -",
		weak.Distance() > strong.Distance())
	fmt.Println("values of the corrupted image:", len(weak.Corrupted()))

	m := lab.Must(run.Model(context.Background()))
	exact, _, err := implicit.MeanSquaredShift(context.Background(), m, network.MeanLatents,
		corruptions)
	lab.Check(err)
	fmt.Println("it shifts the logits -", exact > 0)
	// Output:
	// lambda 1 changes less than 0.01 - true
	// and leaves the logits further from the draw's - true
	// values of the corrupted image: 3072
	// it shifts the logits - true
}

// The outputs of the last layer for one image under draws of the latents, to which
// viz.NewProjection fits principal components, and their mean.
func ExampleRun_Model() {
	run, remove := tinyRun()
	defer remove()
	grey := dataset.Images{Height: 32, Width: 32, Pixels: make([]uint8, 32*32*3)}
	m := lab.Must(run.Model(context.Background()))
	draws := implicit.LayerDraws{Layer: "conv8", Draws: 40}
	outputs := lab.Must(implicit.LayerOutputs(context.Background(), m, draws, grey))
	means := lab.Must(implicit.MeanLayerOutputs(context.Background(), m, draws, grey))
	fmt.Println(len(outputs), "draws of", len(outputs[0]), "values; means of", len(means), "image")
	// Output:
	// 40 draws of 640 values; means of 1 image
}
