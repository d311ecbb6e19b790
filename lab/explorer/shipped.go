package explorer

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// shipped are the networks that come with the package, as `go test -run Shipped -regen` wrote them:
// for each its weights, rounded to bfloat16, its card and its cells.
//
//go:embed networks
var shipped embed.FS

// MAP takes the place of γ to name the ordinary network, which has no noise.
const MAP = -1.0

// shippedGammas returns the coefficients of the entropy of the networks that come with the package.
func shippedGammas() []float64 { return []float64{MAP, 0, 16} }

// Config returns the configuration of the network with the given gamma, or of MAP: the first seed
// of `nbbnn figure demo`. Its training takes about a quarter of a minute on two idle cores.
func Config(gamma float64) nbbnn.Config {
	config := nbbnn.Paper("resnet18", dataset.CIFAR10)
	config.Network.Width = 8
	config.Data = nbbnn.Data{Name: dataset.Shapes10, Train: 500, Test: 1200}
	config.Posterior = nbbnn.Posterior{Components: 1, Mode: nbbnn.Output, InitStd: 0.16,
		PriorStd: 0.16}
	config.Objective.Gamma, config.Seed = gamma, 1
	config.Training.Epochs, config.Training.BetaEpochs = 30, 20
	config.Training.Batch, config.Training.Samples = 32, 1
	config.Training.LearningRate, config.Training.PosteriorLearningRate = 0.04, 0.5
	config.Training.NoAugmentation = true
	if gamma == MAP {
		config.Posterior = nbbnn.Posterior{Mode: nbbnn.Deterministic}
		config.Objective.Gamma, config.Training.PosteriorLearningRate = 0, 0
	}
	return config
}

// fileOf returns the name, without extension, of the files of the network with the given gamma.
func fileOf(gamma float64) string {
	if gamma == MAP {
		return "map"
	}
	return fmt.Sprintf("gamma-%g", gamma)
}

// title names the network with the given gamma in figures.
func title(gamma float64) string {
	if gamma == MAP {
		return "MAP"
	}
	return fmt.Sprintf("γ = %g", gamma)
}

// Open opens the networks that come with the package and draws their test images.
func Open(ctx context.Context) (*Explorer, error) {
	images := Config(0).Data.Images()
	images.TrainCount, images.TestCount = 1, 256 // the networks are trained
	data, err := dataset.Open(ctx, images)
	if err != nil {
		return nil, err
	}
	e := &Explorer{Images: data.Test, Classes: data.Classes}
	for _, gamma := range shippedGammas() {
		if err := e.addShipped(data, gamma); err != nil {
			return nil, fmt.Errorf("explorer: networks/%s: %w: restore its files, or run go test "+
				"./lab/explorer -run Shipped -regen", fileOf(gamma), err)
		}
	}
	return e, nil
}

// addShipped adds the network with the given gamma from its files.
func (e *Explorer) addShipped(data *dataset.Dataset, gamma float64) error {
	n, name := Network{Name: title(gamma)}, "networks/"+fileOf(gamma)
	for extension, value := range map[string]any{".card.json": &n.Card, ".cells.json": &n.Tests} {
		if content, err := shipped.ReadFile(name + extension); err != nil {
			return err
		} else if err := json.Unmarshal(content, value); err != nil {
			return err
		}
	}
	content, err := shipped.ReadFile(name + ".safetensors")
	if err != nil {
		return err
	}
	weights, _, err := safetensors.Decode(content)
	if err != nil {
		return err
	}
	for i := range weights {
		weights[i] = weights[i].Float32()
	}
	model, err := network.NewModel(n.Card.Config.Settings(), data, network.ModelOptions{})
	if err != nil {
		return err
	}
	if _, err := model.ImportTensors(name+".safetensors", weights); err != nil {
		return err
	}
	return e.add(n, model)
}

// Run returns the network with the given gamma as a run in a directory of runs. The first call
// imports its weights. Give it a directory of its own: the weights are rounded, and the run has the
// name of the demo's.
func Run(ctx context.Context, directory string, gamma float64) (*nbbnn.Run, error) {
	run, err := nbbnn.Open(directory, Config(gamma))
	if err != nil || run.Complete() {
		return run, err
	}
	folder, err := os.MkdirTemp("", "explorer")
	if err == nil {
		defer os.RemoveAll(folder)
		err = os.CopyFS(folder, shipped)
	}
	if err != nil {
		return nil, fmt.Errorf("explorer: %w: choose a folder for temporary files (TMPDIR) that "+
			"can be written to", err)
	}
	return nbbnn.Import(ctx, directory, Config(gamma),
		filepath.Join(folder, "networks", fileOf(gamma)+".safetensors"))
}
