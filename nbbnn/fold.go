package nbbnn

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/safetensors"
)

// Latents is a fixed value of all latent variables (METHOD.md section 2).
type Latents string

// The fixed values.
const (
	OneLatents  Latents = "ones" // every latent is one: the network without its noise
	MeanLatents Latents = "mean" // every latent is the average of its component means
)

// Entries of the metadata of an exported network.
const (
	configKey  = "config"  // the configuration, as JSON
	latentsKey = "latents" // the fixed latents of a folded network
	runKey     = "run"     // the hash of the run that was folded
)

// ExportFolded writes the ordinary network that a trained run is when its latents are fixed: W'[.., i, o] = z_i W[.., i, o]
// s_o and b' = b s in every layer (METHOD.md 1.1), and batch normalisation as it was. The file is a safetensors file with the
// names and layouts of a checkpoint, but without posterior and momentum; its metadata holds the twin's configuration, the
// latents and the run's hash. Import refuses it, because the run that it would make never trained as its configuration says.
func (r *Run) ExportFolded(path string, latents Latents) error {
	if latents != OneLatents && latents != MeanLatents {
		return fmt.Errorf("nbbnn: unknown latents %q%s: choose %s or %s", latents,
			nearest.Hint(string(latents), []string{string(OneLatents), string(MeanLatents)}), OneLatents, MeanLatents)
	}
	if !r.Complete() {
		return r.untrained()
	}
	stored, _, err := r.readCheckpoint(r.checkpointPath())
	if err != nil {
		return err
	}
	twin := r.config
	twin.Posterior.Mode, twin.Posterior.Components, twin.Objective.Gamma = Deterministic, 1, 0
	config, err := json.Marshal(twin)
	if err != nil {
		return fmt.Errorf("nbbnn: %w", err)
	}
	folded, err := fold(r.config, stored, latents)
	if err != nil {
		return fmt.Errorf("nbbnn: %s: %w: remove %s and train again", r.checkpointPath(), err, r.directory)
	}
	return writeExport(path, folded, map[string]string{configKey: string(config), latentsKey: string(latents), runKey: r.Hash()})
}

// fold returns the weights, biases and batch normalisations among the tensors of a checkpoint, with the latents in them.
func fold(config Config, stored []safetensors.Tensor, latents Latents) (kept []safetensors.Tensor, err error) {
	values := byPath(stored)
	for path, tensor := range values {
		if strings.HasPrefix(path, thetaScope) || strings.HasPrefix(path, runningScope) {
			values[path] = safetensors.Tensor{Name: tensor.Name, DType: tensor.DType, Shape: tensor.Shape, Data: slices.Clone(tensor.Data)}
		} else if strings.HasPrefix(path, momentumScope) {
			delete(values, path)
		}
	}
	if config.Posterior.Mode != Deterministic && latents == MeanLatents {
		for _, l := range newArchitecture(config.Network, 1).layers { // the number of classes is in the tensors' shapes
			if err := foldLayer(values, l, config.Posterior.Mode); err != nil {
				return nil, err
			}
		}
	}
	for path, tensor := range values {
		if !strings.HasPrefix(path, phiScope) {
			kept = append(kept, tensor)
		}
	}
	return kept, nil
}

// foldLayer multiplies a layer's weights and bias by the average of its component means.
func foldLayer(values map[string]safetensors.Tensor, l layer, mode Mode) error {
	weights, mean := values[weightPath(l)], values[meanPath(l)]
	if len(weights.Shape) < 2 || len(mean.Shape) != 2 {
		return fmt.Errorf("layer %s has no weights or no posterior", l.name)
	}
	in, out := weights.Shape[len(weights.Shape)-2], weights.Shape[len(weights.Shape)-1]
	if mean.Shape[1] != latentDimensions(mode, in, out) {
		return fmt.Errorf("layer %s has %d latents, want %d", l.name, mean.Shape[1], latentDimensions(mode, in, out))
	}
	z, s := sides(averageRows(mean), mode, in, out)
	scaleValues(weights.Data, func(i int) float64 { return z[i/out%in] * s[i%out] })
	if bias, ok := values[biasPath(l)]; ok {
		scaleValues(bias.Data, func(i int) float64 { return s[i] })
	}
	return nil
}

// sides parts a layer's latents into those of its inputs and its outputs; the side without any has ones.
func sides(latents []float64, mode Mode, in, out int) (z, s []float64) {
	switch mode {
	case Input:
		return latents, slices.Repeat([]float64{1}, out)
	case Both:
		return latents[:in], latents[in:]
	}
	return slices.Repeat([]float64{1}, in), latents
}

// averageRows is the mean of the rows of a matrix.
func averageRows(tensor safetensors.Tensor) []float64 {
	rows, columns := tensor.Shape[0], tensor.Shape[1]
	means := make([]float64, columns)
	for i := range rows * columns {
		means[i%columns] += float64(math.Float32frombits(binary.LittleEndian.Uint32(tensor.Data[4*i:]))) / float64(rows)
	}
	return means
}

// scaleValues multiplies every float32 of some bytes by its factor.
func scaleValues(data []byte, factor func(i int) float64) {
	for i := range len(data) / 4 {
		value := float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
		binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(float32(value*factor(i))))
	}
}
