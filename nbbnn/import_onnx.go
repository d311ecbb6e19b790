package nbbnn

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/onnx"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// ImportONNX makes a complete run of an ordinary network in a file of the ONNX format, for
// PosthocOf: of any network that takes RGB images of one size and returns a logit for each class of
// the data set. The file's network replaces the configuration's. Config.Pixels states the
// normalisation that it was trained with, and channels the order of the colours that it takes, rgb
// or bgr; "" means rgb. outputs has the output of each class, in the order of the data set, for a
// network with further outputs: their probabilities are dropped, and the rest add up to 1; nil
// means that there are none. The run's directory keeps the operations as network.onnx, and the
// weights as other runs do.
func ImportONNX(ctx context.Context, directory string, config Config, path, channels string,
	outputs []int) (*Run, error) {
	read, weights, err := network.Network{}.Read(path, channels, outputs)
	if err != nil {
		return nil, err
	}
	config.Network = read
	config.Posterior, config.Objective = Posterior{Mode: Deterministic}, Objective{}
	config.Imported = safetensors.SHA256(weights)
	return importInto(ctx, directory, config, path, weights)
}

// graphFile is the file with the operations of a network in the directory of its run.
const graphFile = "network.onnx"

// keepGraph writes the operations of a network that a file defines into the run's directory.
func keepGraph(r *Run) error {
	data, path := r.config.Network.Graph(), r.path(graphFile)
	if data == nil || exists(path) {
		return nil
	}
	if err := files.WriteBytes(path, data); err != nil {
		return unwritable(r.directory, err)
	}
	return nil
}

// restoreGraphs defines the networks that directories of runs hold. An unreadable one stays
// undefined, as Network.Undefined reports.
func restoreGraphs(directories ...string) {
	for _, directory := range directories {
		if data, err := os.ReadFile(filepath.Join(directory, graphFile)); err == nil {
			_ = network.Network{}.Restore(data)
		}
	}
}

// trainingNote warns of a file that was exported in training mode; nil of others.
func trainingNote(n network.Network) []string {
	graph, err := onnx.Load(n.Graph())
	if err != nil || graph.Property(onnx.TrainingKey) == "" { // it comes from no file
		return nil
	}
	return []string{fmt.Sprintf("the file was exported in training mode (%s): it predicts here as "+
		"after model.eval(), with the running statistics and without dropout; if these aren't of "+
		"the end of its training, export it again", graph.Property(onnx.TrainingKey))}
}

// graphNotes lists the layers of a network in a file with latents, and the layers that can't have
// any.
func graphNotes(config Config) []string {
	if config.Network.Graph() == nil || config.Posterior.Mode == Deterministic {
		return nil
	}
	notes := []string{"latents are in " + quantity.List(config.Layers(), 200)}
	if certain := config.Network.Architecture(1).Without; len(certain) > 0 {
		notes = append(notes, "no latents are in "+quantity.List(certain, 50))
	}
	return notes
}
