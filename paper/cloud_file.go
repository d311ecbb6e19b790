package paper

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/viz"
)

// cloudKey is what a cloud depends on.
type cloudKey struct {
	Weights   string `json:"weights_sha256"`
	Layer     string `json:"layer"`
	Image     int    `json:"image"`
	Draws     int    `json:"draws"`      // of the image
	MeanDraws int    `json:"mean_draws"` // of each mean output
	Suite     string `json:"suite"`
	Seed      uint64 `json:"seed"` // of the corruptions
}

// cloudFile keeps the cloud of a layer and an image in the directory of a run.
type cloudFile struct {
	path string
	key  cloudKey
}

// keptCloud is what stands in the file.
type keptCloud struct {
	cloudKey
	Cloud viz.Cloud `json:"cloud"`
}

// cloudFile says where a cloud of a trained run is kept.
func (s Setup) cloudFile(run Run, layer string, image int) (cloudFile, error) {
	card, err := run.Card()
	components := run.Config().Posterior.Components
	key := cloudKey{
		Weights: card.WeightsSHA256, Layer: layer, Image: image, Suite: s.Evaluation.Suite, Seed: s.Evaluation.Seed,
		Draws: cloudDraws / components * components, MeanDraws: meanDraws / components * components,
	}
	return cloudFile{filepath.Join(run.Directory(), "clouds", fmt.Sprintf("%s-image-%04d.json", layer, image)), key}, err
}

// read returns the cloud that is kept; a file that isn't there, is damaged or of something else holds none.
func (f cloudFile) read() (cloud viz.Cloud, found bool) {
	var kept keptCloud
	data, err := os.ReadFile(f.path)
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	return kept.Cloud, err == nil && kept.cloudKey == f.key
}

// write keeps a cloud. Where nothing can be written, such as in a directory of others, the next call computes it anew.
func (f cloudFile) write(cloud viz.Cloud) {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err == nil {
		_ = files.Write(f.path, func(w io.Writer) error { return json.NewEncoder(w).Encode(keptCloud{f.key, cloud}) })
	}
}
