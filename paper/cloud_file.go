package paper

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// cloudKey holds all that a cloud depends on.
type cloudKey struct {
	Weights   string `json:"weights_sha256"` // nbbnn.Card.StateSHA256
	Layer     string `json:"layer"`
	Image     int    `json:"image"`
	Draws     int    `json:"draws"`      // of the image
	MeanDraws int    `json:"mean_draws"` // of each mean output
	Suite     string `json:"suite"`      // with the fingerprint of registered corruptions
	Textures  string `json:"textures,omitempty"`
	Seed      uint64 `json:"seed"` // of the corruptions
	Version   int    `json:"version"`
}

// cloudFileVersion is the version of the computation and of the file.
const cloudFileVersion = 2

// keptCloud is the content of the file.
type keptCloud struct {
	Key   cloudKey   `json:"key"`
	Cloud layerCloud `json:"cloud"`
}

// newCloudKey returns the key of a cloud of a trained run; layer "" means the last.
func newCloudKey(s Setup, run *nbbnn.Run, layer string, image int) (key cloudKey, err error) {
	card, err := run.Card()
	if err != nil {
		return key, err
	}
	suite, err := corrupt.SuiteByName(s.Evaluation.Suite)
	if err != nil {
		return key, err
	}
	layers, components := run.Config().Layers(), run.Config().Posterior.Components
	return cloudKey{
		Weights: card.StateSHA256, Layer: cmp.Or(layer, layers[len(layers)-1]), Image: image,
		Draws: cloudDraws / components * components, MeanDraws: meanDraws / components * components,
		Suite: s.Evaluation.Suite + suite.Fingerprint(), Textures: s.Evaluation.Textures, Seed: s.Evaluation.Seed, Version: cloudFileVersion,
	}, nil
}

// path returns the file that keeps the cloud in a run's directory.
func (k cloudKey) path(run *nbbnn.Run) string {
	data, _ := json.Marshal(k) // a struct of strings and numbers
	return filepath.Join(run.Directory(), "clouds", fmt.Sprintf("%s-image-%04d-%s.json", filepath.Base(k.Layer), k.Image, digest(data)))
}

// read returns the cloud that is kept; none if the file is missing, damaged or of another key.
func (k cloudKey) read(run *nbbnn.Run) (cloud layerCloud, found bool) {
	var kept keptCloud
	found = readKept(run, k.path(run), &kept)
	return kept.Cloud, found && kept.Key == k
}

// isKept reports whether the file is there. Files are written at once, so it is complete.
func (k cloudKey) isKept(run *nbbnn.Run) bool {
	_, err := os.Stat(k.path(run))
	return err == nil
}

// cloudReader reads the clouds of a run and computes those that aren't kept. It opens the weights
// when it needs them first.
type cloudReader struct {
	setup Setup
	run   Run
	model *network.Model
}

// clouds returns the clouds of several layers for one image.
func (c *cloudReader) clouds(ctx context.Context, image int, layers []string, progress nbbnn.Progress) (clouds []layerCloud, err error) {
	var seen versions
	for i, layer := range layers {
		key, err := newCloudKey(c.setup, c.run.Run, layer, image)
		if err != nil {
			return nil, err
		}
		cloud, found := key.read(c.run.Run)
		if !found {
			if seen.labels == nil {
				if seen, err = c.open(ctx, image); err != nil {
					return nil, err
				}
			}
			of := seen
			of.labels = append([]cloudVersion(nil), seen.labels...)
			if cloud, err = newLayerCloud(ctx, c.model, key, of, oneOf(progress, i, len(layers))); err != nil {
				return nil, err
			}
			if err := writeKept(c.run.Run, key.path(c.run.Run), keptCloud{key, cloud}); err != nil {
				return nil, err
			}
		}
		clouds = append(clouds, cloud)
	}
	return clouds, nil
}

// open returns the versions of an image and opens the weights.
func (c *cloudReader) open(ctx context.Context, image int) (versions, error) {
	clean, err := c.setup.testImage(ctx, image)
	if err != nil {
		return versions{}, err
	}
	if c.model == nil {
		if c.model, err = c.run.Model(ctx); err != nil {
			return versions{}, err
		}
	}
	return newVersions(ctx, c.setup, clean, image)
}

// oneOf returns a progress whose updates are those of one of several equal parts.
func oneOf(progress nbbnn.Progress, part, parts int) nbbnn.Progress {
	if progress == nil {
		return nil
	}
	return func(u nbbnn.Update) {
		u.Done, u.Total = part*u.Total+u.Done, parts*u.Total
		progress(u)
	}
}
