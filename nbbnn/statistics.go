package nbbnn

import (
	"maps"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// statistics keeps the running statistics of the weights that a run's predictions draw, in
// statistics/DRAW.safetensors of its directory. A file belongs to the weights and the engine that
// its metadata names.
type statistics struct {
	directory string // of the files
	weights   string // Card.StateSHA256 of the weights that the draws follow from; "" keeps nothing
	engine    string // that computes
	readOnly  bool
}

// statisticsOf returns the statistics of the draws from a checkpoint of a run.
func statisticsOf(r *Run, engine string, e Evaluation) statistics {
	weights, err := r.checkpoints().sha256(e.Epoch)
	if err != nil {
		weights = ""
	}
	return statistics{directory: r.path("statistics"), weights: weights, engine: engine}
}

func (s statistics) path(draw string) string {
	return filepath.Join(s.directory, draw+".safetensors")
}

func (s statistics) metadata() map[string]string {
	return map[string]string{"weights_sha256": s.weights, "engine": s.engine}
}

// Load implements baseline.Statistics. A file of other weights, or a damaged one, isn't kept.
func (s statistics) Load(draw string) []network.Tensor {
	tensors, metadata, err := safetensors.ReadSealed(s.path(draw), draw)
	if err != nil || s.weights == "" || !maps.Equal(metadata, s.metadata()) {
		return nil
	}
	return tensors
}

// Save implements baseline.Statistics. A directory that can't be written costs only time.
func (s statistics) Save(draw string, tensors []network.Tensor) {
	if s.readOnly || s.weights == "" || len(tensors) == 0 {
		return
	}
	if err := os.MkdirAll(s.directory, 0o755); err != nil {
		return
	}
	_ = safetensors.WriteSealed(s.path(draw), draw, tensors, s.metadata())
}
