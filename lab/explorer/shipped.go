package explorer

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// shipped are the networks that come with the package, as `go test -run Shipped -regen` wrote them:
// for each its weights as Run.Export writes them, its card and its cells.
//
//go:embed networks
var shipped embed.FS

// shippedGammas returns the coefficients of the entropy of the networks that come with the package.
func shippedGammas() []float64 { return []float64{0, 1, 4} }

// Config returns the configuration of the network with the given gamma. Its training takes about
// half a minute on two cores that do nothing else.
func Config(gamma float64) nbbnn.Config {
	return nbbnn.Config{
		Network:   nbbnn.Network{Name: "allcnnc", Width: 12},
		Data:      nbbnn.Data{Name: dataset.Shapes10Bright, Train: 1000, Test: 256},
		Posterior: nbbnn.Posterior{InitStd: 0.3},
		Objective: nbbnn.Objective{Gamma: gamma},
		Training: nbbnn.Training{
			Epochs: 40, Batch: 16, Samples: 1, LearningRate: 0.01, PosteriorLearningRate: 0.1,
			NoAugmentation: true,
		},
		Seed: 1,
	}
}

// File returns the name, without extension, of the files of the network with the given gamma.
func File(gamma float64) string { return fmt.Sprintf("gamma-%g", gamma) }

// Open opens the networks that come with the package and draws their test images.
func Open(ctx context.Context) (*Explorer, error) {
	images := Config(0).Data.Images()
	images.TrainCount = 1 // the networks are trained
	data, err := dataset.Open(ctx, images)
	if err != nil {
		return nil, err
	}
	e := &Explorer{Images: data.Test, Classes: data.Classes}
	for _, gamma := range shippedGammas() {
		if err := e.addShipped(data, gamma); err != nil {
			return nil, fmt.Errorf("explorer: networks/%s: %w: restore its files, or run go test "+
				"./lab/explorer -run Shipped -regen", File(gamma), err)
		}
	}
	return e, nil
}

// addShipped adds the network with the given gamma from its files.
func (e *Explorer) addShipped(data *dataset.Dataset, gamma float64) error {
	n, name := Network{Name: fmt.Sprintf("γ = %g", gamma)}, "networks/"+File(gamma)
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
	model, err := network.NewModel(n.Card.Config.Settings(), data, network.ModelOptions{})
	if err != nil {
		return err
	}
	if _, err := model.ImportTensors(name+".safetensors", weights); err != nil {
		return err
	}
	return e.add(n, model)
}

// Unpack writes the networks to a folder, from where nbbnn.Import and `nbbnn weights import` take
// them.
func Unpack(directory string) error {
	all, err := fs.Sub(shipped, "networks")
	if err == nil {
		err = os.CopyFS(directory, all)
	}
	if err != nil {
		return fmt.Errorf("explorer: %w: choose an empty folder that can be written to", err)
	}
	return nil
}
