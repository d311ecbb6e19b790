package nbbnn

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
)

const labelType = dtypes.Int32

// network is a node-BNN in memory: its architecture, its variables and the engine that runs it.
type network struct {
	config       Config
	architecture architecture
	classes      int
	mean, std    [3]float64 // of the pixels of the training set, in 0..1
	store        *model.Store
	engine       *engine.Engine
	deviceNoise  bool    // draws are made in the graph
	fixed        Latents // of predictions; "" draws them

	observe func(name string, x *graph.Node) // is shown the outputs of layers and normalisations; nil for nobody
}

// newNetwork builds the network of a configuration for a data set, with its initial values, on the engine of the process.
func newNetwork(config Config, data *dataset.Dataset) (*network, error) {
	engine, err := engine.Open()
	if err != nil {
		return nil, err
	}
	return newNetworkOn(engine, config, data)
}

// newNetworkOn builds a network on a given engine.
func newNetworkOn(engine *engine.Engine, config Config, data *dataset.Dataset) (*network, error) {
	if err := config.Network.Precision.check(engine); err != nil {
		return nil, err
	}
	n := &network{
		config:       config,
		architecture: newArchitecture(config.Network, len(data.Classes)),
		classes:      len(data.Classes),
		mean:         data.Mean,
		std:          data.Std,
		engine:       engine,
		deviceNoise:  engine.IsDevice(),
	}
	if err := n.architecture.checkSide(config.Network.Name, data.Train.Height, data.Train.Width); err != nil {
		return nil, err
	}
	var err error
	n.store, err = newStore(n.architecture, config)
	return n, err
}

// engineError says what the engine was asked for when it failed.
func engineError(what string, err error) error {
	return fmt.Errorf("nbbnn: the engine failed at the %s: %w; `nbbnn doctor` tells about the engine", what, err)
}

func scalar(t *tensors.Tensor) float64 { return float64(tensors.ToScalar[float32](t)) }

// imagesTensor copies images into a tensor [count, height, width, 3].
func imagesTensor(images dataset.Images) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(images.Pixels, images.Count(), images.Height, images.Width, 3)
}
