package nbbnn_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Where a run's weights came from.
func ExampleRun_Card() {
	run, remove := tinyRun()
	defer remove()
	card, err := run.Card()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("named by its configuration:", card.Run == filepath.Base(run.Directory()) && card.ConfigHash == run.Config().Hash())
	fmt.Println("trained on", card.Data.Train, "images of", card.Data.Name, "for", card.Training.Epoch, "epochs")
	// Output:
	// named by its configuration: true
	// trained on 16 images of shapes10 for 2 epochs
}

// The weights in the names and the order of the axes of a checkpoint, and those of the ordinary
// network whose latents are all one.
func ExampleRun_Export() {
	run, remove := tinyRun()
	defer remove()
	weights, folded := run.Directory()+"/weights.safetensors", run.Directory()+"/folded.safetensors"
	if err := run.Export(weights, network.WorkbenchLayout); err != nil {
		log.Fatal(err)
	}
	if err := run.ExportFolded(folded, nbbnn.OneLatents); err != nil {
		log.Fatal(err)
	}
	for _, path := range []string{weights, folded} {
		config, _, err := nbbnn.ReadExportedConfig(path)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(config.Network.Name, "with latents:", config.Posterior.Mode)
	}
	// Output:
	// allcnnc with latents: out
	// allcnnc with latents: none
}

// Two seeds whose probabilities are averaged, with two samples of each.
func ExampleOpenEnsemble() {
	directory, runs := smallRuns()
	defer os.RemoveAll(directory)
	ensemble, err := nbbnn.OpenEnsemble(directory, runs...)
	if err != nil {
		log.Fatal(err)
	}
	cells, err := ensemble.Evaluate(context.Background(), nbbnn.Evaluation{Part: nbbnn.ValidationPart, Samples: 2}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(ensemble.Members()), "members,", cells[0].Samples, "samples,", cells[0].Images, "images")
	_, err = nbbnn.OpenEnsemble(directory, runs[0])
	fmt.Println(err)
	// Output:
	// 2 members, 4 samples, 10 images
	// nbbnn: 1 runs make no ensemble: give two or more
}

// The bound on the entropy counts layers apart; the entropy of all latents together is at most as
// large.
func ExampleRun_Posterior() {
	directory, runs := smallRuns()
	defer os.RemoveAll(directory)
	layers, err := runs[0].Posterior()
	if err != nil {
		log.Fatal(err)
	}
	mean, sigma := network.JoinPosterior(layers)
	joint, err := network.EstimateEntropy(mean, sigma, 2_000, 1)
	if err != nil {
		log.Fatal(err)
	}
	apart := 0.0
	for _, layer := range layers {
		estimate, err := network.EstimateEntropy(layer.Mean, layer.Sigma, 2_000, 1)
		if err != nil {
			log.Fatal(err)
		}
		apart += estimate.Value
	}
	fmt.Println(len(layers), "layers,", len(mean), "components in", len(mean[0]), "dimensions")
	fmt.Println("at most the sum over the layers:", joint.Value < apart+5*joint.StandardError)
	// Output:
	// 8 layers, 2 components in 54 dimensions
	// at most the sum over the layers: true
}
