package paper

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// cloudKey holds all that a cloud depends on.
type cloudKey struct {
	Layer     string `json:"layer"`
	Image     int    `json:"image"`
	Draws     int    `json:"draws"`      // of the image
	MeanDraws int    `json:"mean_draws"` // of each mean output
	Suite     string `json:"suite"`      // with the fingerprint of registered corruptions
	Textures  string `json:"textures,omitempty"`
	Seed      uint64 `json:"seed"` // of the corruptions
	Version   int    `json:"version"`
}

// cloudVersionNumber changes with the computation.
const cloudVersionNumber = 2

// newCloudKey returns the key of a cloud of a trained run; layer "" means the last.
func newCloudKey(s Setup, run *nbbnn.Run, layer string, image int) (key cloudKey, err error) {
	suite, err := corrupt.SuiteByName(s.Evaluation.Suite)
	if err != nil {
		return key, err
	}
	layers, components := run.Config().Layers(), run.Config().Posterior.Components
	return cloudKey{
		Layer: cmp.Or(layer, layers[len(layers)-1]), Image: image,
		Draws: cloudDraws / components * components, MeanDraws: meanDraws / components * components,
		Suite: s.Evaluation.Suite + suite.Fingerprint(), Textures: s.Evaluation.Textures, Seed: s.Evaluation.Seed, Version: cloudVersionNumber,
	}, nil
}

// kept is where the cloud is kept.
func (k cloudKey) kept() kept {
	return kept{"clouds", fmt.Sprintf("%s-image-%04d", filepath.Base(k.Layer), k.Image), k}
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
		cloud, err := keptOr(c.run.Run, key.kept(), func() (cloud layerCloud, err error) {
			if seen.labels == nil {
				if seen, err = c.open(ctx, image); err != nil {
					return cloud, err
				}
			}
			of := seen
			of.labels = slices.Clone(seen.labels)
			return newLayerCloud(ctx, c.model, key, of, oneOf(progress, i, len(layers)))
		})
		if err != nil {
			return nil, err
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
