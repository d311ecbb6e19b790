package paper

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Draws of a cloud (METHOD.md section 7).
const (
	cloudDraws = 2000 // to which the projection and the ellipse are fitted
	meanDraws  = 200  // of each mean output
)

// cloudOf reads or computes the cloud of one run.
func cloudOf(ctx context.Context, r *Result, run, image int, layer string) (cloud viz.Cloud, err error) {
	if run < 0 || run >= len(r.Runs) {
		return cloud, fmt.Errorf("paper: run %d of %d: count from 0", run, len(r.Runs))
	}
	clean, err := r.Setup.testImage(ctx, image)
	if err != nil {
		return cloud, err
	}
	trained := r.Runs[run]
	layers := trained.Config().Layers()
	file, err := cloudFileOf(r.Setup, trained.Run, cmp.Or(layer, layers[len(layers)-1]), image)
	if err != nil {
		return cloud, err
	}
	kept, found := file.read()
	if cloud = kept; !found {
		if cloud, err = newCloud(ctx, r.Setup, trained.Run, file.key, clean, r.progress); err != nil {
			return cloud, err
		}
		file.write(cloud)
	}
	suite, err := corrupt.SuiteByName(r.Setup.Evaluation.Suite)
	cloud.Name = trained.Name()
	for _, corruption := range suite.Corruptions {
		for range score.LevelCount - 1 {
			cloud.Corruption = append(cloud.Corruption, corruption)
		}
	}
	return cloud, err
}

// newCloud computes the outputs of a layer for a clean image and for its corrupted versions.
func newCloud(ctx context.Context, s Setup, run Run, key cloudKey, clean dataset.Images, progress nbbnn.Progress) (viz.Cloud, error) {
	seen, cloud, err := versions(ctx, s, clean, key.Image)
	if err != nil {
		return cloud, err
	}
	progress = progress.Of(run.Name(), 1, 1)
	versions := 1 + len(cloud.Severity)
	total := key.Draws + versions*key.MeanDraws
	m, err := run.Model(ctx)
	if err != nil {
		return cloud, err
	}
	settings := implicit.LayerDraws{Layer: key.Layer, Draws: key.Draws, Progress: progress.Part(0, total)}
	draws, err := implicit.LayerOutputs(ctx, m, settings, clean)
	if err != nil {
		return cloud, err
	}
	settings.Draws, settings.Seed, settings.Progress = key.MeanDraws, 1, progress.Part(key.Draws, total)
	means, err := implicit.MeanLayerOutputs(ctx, m, settings, seen)
	if err != nil {
		return cloud, err
	}
	return cloud, project(&cloud, draws, means)
}

// versions are an image and below it all its corrupted versions, with their severities.
func versions(ctx context.Context, s Setup, clean dataset.Images, index int) (seen dataset.Images, cloud viz.Cloud, err error) {
	suite, err := corrupt.SuiteByName(s.Evaluation.Suite)
	if err != nil {
		return seen, cloud, err
	}
	seen = dataset.Images{Height: clean.Height, Width: clean.Width, Pixels: append([]uint8(nil), clean.Pixels...)}
	for _, corruption := range suite.Corruptions {
		row, err := s.corruptedRow(ctx, clean, corruption, index)
		if err != nil {
			return seen, cloud, err
		}
		for severity, pixels := range row[1:] {
			seen.Pixels = append(seen.Pixels, pixels...)
			cloud.Severity = append(cloud.Severity, severity+1)
		}
	}
	return seen, cloud, nil
}

// project projects draws and mean outputs, the clean image's first, on the principal components of
// the draws.
func project(cloud *viz.Cloud, draws, means [][]float64) error {
	projection, err := viz.NewProjection(draws)
	if err != nil {
		return err
	}
	cloud.Share = projection.Share
	if cloud.Draws, err = projection.Project(draws...); err != nil {
		return err
	}
	points, err := projection.Project(means...)
	if err != nil {
		return err
	}
	cloud.Clean, cloud.Corrupted = points[0], points[1:]
	return nil
}

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

// keptCloud is the content of the file.
type keptCloud struct {
	cloudKey
	Cloud viz.Cloud `json:"cloud"`
}

// cloudFileOf returns the file that keeps a cloud of a trained run.
func cloudFileOf(s Setup, run Run, layer string, image int) (cloudFile, error) {
	card, err := run.Card()
	components := run.Config().Posterior.Components
	key := cloudKey{
		Weights: card.WeightsSHA256, Layer: layer, Image: image, Suite: s.Evaluation.Suite, Seed: s.Evaluation.Seed,
		Draws: cloudDraws / components * components, MeanDraws: meanDraws / components * components,
	}
	return cloudFile{filepath.Join(run.Directory(), "clouds", fmt.Sprintf("%s-image-%04d.json", layer, image)), key}, err
}

// read returns the cloud that is kept. A file that is missing, damaged or of another key holds
// none.
func (f cloudFile) read() (cloud viz.Cloud, found bool) {
	var kept keptCloud
	data, err := os.ReadFile(f.path)
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	return kept.Cloud, err == nil && kept.cloudKey == f.key
}

// write keeps a cloud. If the directory isn't writable, the next call computes the cloud again.
func (f cloudFile) write(cloud viz.Cloud) {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err == nil {
		_ = files.Write(f.path, func(w io.Writer) error { return json.NewEncoder(w).Encode(keptCloud{f.key, cloud}) })
	}
}
