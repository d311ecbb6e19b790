package paper

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Numbers of a cloud (METHOD.md section 7).
const (
	cloudDraws      = 2000 // to which the projection and the regions are fitted
	meanDraws       = 256  // of each mean output, in whole blocks
	cloudComponents = 10
)

// layerCloud holds the outputs of a layer for one test image under draws of the latents, and its
// mean outputs for the corrupted versions of the image, as principal components of the draws.
type layerCloud struct {
	Layer    string         `json:"layer"`
	Image    int            `json:"image"`    // place in the test set
	Share    []float64      `json:"share"`    // of the variance, by component, up to ten
	Draws    [][2]float32   `json:"draws"`    // in two components
	Clean    [2]float32     `json:"clean"`    // the mean output for the image
	Versions []cloudVersion `json:"versions"` // by corruption, then severity

	// Percentile is the squared Mahalanobis distance that 99 % of the draws keep within; a
	// Gaussian's is 9.21.
	Percentile float64 `json:"percentile"`
}

// cloudVersion is the mean output for one corrupted version of an image.
type cloudVersion struct {
	Corruption string     `json:"corruption"`
	Severity   int        `json:"severity"`
	Point      [2]float32 `json:"point"`

	// Distance is the squared Mahalanobis distance from the draws in two components. Near is the
	// distance of viz.Neighbours in two components, NearTen in ten: up to 1 is inside.
	Distance float64 `json:"distance"`
	Near     float64 `json:"near"`
	NearTen  float64 `json:"near_ten"`
}

// cloudTest decides which versions count as inside.
type cloudTest struct {
	name   string // in tables and pictures
	key    string // in files
	inside func(layerCloud, cloudVersion) bool
}

// The tests. The ellipse is the paper's and takes the draws to be Gaussian. The scaled ellipse
// holds 99 % of the draws. The others ask how near a version is to the draws, so they see a skewed
// cloud.
var (
	inEllipse = cloudTest{"in the 99 % ellipse", "ellipse", func(_ layerCloud, v cloudVersion) bool { return v.Distance <= viz.EllipseLimit }}
	inScaled  = cloudTest{"in the ellipse of 99 % of the draws", "scaled", func(c layerCloud, v cloudVersion) bool { return v.Distance <= c.Percentile }}
	nearDraws = cloudTest{"near the draws", "near", func(_ layerCloud, v cloudVersion) bool { return v.Near <= 1 }}
	nearInTen = cloudTest{"near, in 10 components", "near_ten", func(_ layerCloud, v cloudVersion) bool { return v.NearTen <= 1 }}

	cloudTests = []cloudTest{inEllipse, inScaled, nearDraws, nearInTen}
)

// inside returns how many versions of each severity pass a test.
func (c layerCloud) inside(test cloudTest) (counts [score.LevelCount]int) {
	for _, version := range c.Versions {
		if test.inside(c, version) {
			counts[version.Severity]++
		}
	}
	return counts
}

// newLayerCloud computes the outputs of a layer for a clean image and for its versions, of which
// the first is the image itself.
func newLayerCloud(ctx context.Context, m *network.Model, key cloudKey, seen versions, progress nbbnn.Progress) (cloud layerCloud, err error) {
	cloud = layerCloud{Layer: key.Layer, Image: key.Image, Versions: slices.Clone(seen.labels)}
	settings := implicit.LayerDraws{Layer: key.Layer, Draws: key.Draws, Progress: progress}
	outputs, err := implicit.LayerOutputs(ctx, m, settings, seen.images.Slice(0, 1))
	if err != nil {
		return cloud, err
	}
	settings.Draws, settings.Seed, settings.Progress = key.MeanDraws, 1, progress.Part(key.Draws, key.draws(seen))
	means, err := implicit.MeanLayerOutputs(ctx, m, settings, seen.images)
	if err != nil {
		return cloud, err
	}
	return cloud, cloud.project(outputs, means)
}

// project fills in the cloud from draws and mean outputs, the clean image's first.
func (c *layerCloud) project(draws, means [][]float64) error {
	projection, err := viz.NewProjection(draws, cloudComponents)
	if err != nil {
		return err
	}
	c.Share = projection.Share
	cloud, err := projection.Project(draws...)
	if err != nil {
		return err
	}
	points, err := projection.Project(means...)
	if err != nil {
		return err
	}
	for _, draw := range cloud {
		c.Draws = append(c.Draws, plane(draw))
	}
	c.Clean = plane(points[0])
	return c.test(cloud, points[1:])
}

// test fills in how far the versions are from the draws, all in components.
func (c *layerCloud) test(draws, versions [][]float64) error {
	ellipse, err := viz.NewEllipse(planes(c.Draws))
	if err != nil {
		return err
	}
	c.Percentile = ellipse.Percentile(planes(c.Draws))
	nearTen, err := viz.NewNeighbours(draws)
	if err != nil {
		return err
	}
	var flat [][]float64
	for _, draw := range planes(c.Draws) {
		flat = append(flat, draw[:])
	}
	near, err := viz.NewNeighbours(flat)
	if err != nil {
		return err
	}
	for i, version := range versions {
		v := &c.Versions[i]
		v.Point = plane(version)
		point := planes([][2]float32{v.Point})[0]
		v.Distance, v.Near, v.NearTen = ellipse.Distance(point), near.Distance(point[:]), nearTen.Distance(version)
	}
	return nil
}

// plane returns the first two components as files keep them.
func plane(components []float64) [2]float32 {
	return [2]float32{float32(components[0]), float32(components[1])}
}

// planes returns points as pictures take them.
func planes(points [][2]float32) [][2]float64 {
	result := make([][2]float64, len(points))
	for i, point := range points {
		result[i] = [2]float64{float64(point[0]), float64(point[1])}
	}
	return result
}

// versions are an image and all its corrupted versions.
type versions struct {
	image  int            // place in the test set
	images dataset.Images // the clean image first
	labels []cloudVersion // of the others: their corruption and severity
}

// newVersions corrupts a test image with the suite of the set-up.
func newVersions(ctx context.Context, s Setup, image int) (v versions, err error) {
	suite, err := corrupt.SuiteByName(s.Evaluation.Suite)
	if err != nil {
		return v, err
	}
	clean, _, err := s.testImage(ctx, image)
	if err != nil {
		return v, err
	}
	v.image = image
	v.images = dataset.Images{Height: clean.Height, Width: clean.Width, Pixels: slices.Clone(clean.Pixels), Labels: slices.Clone(clean.Labels)}
	for _, corruption := range suite.Corruptions {
		row, err := s.corruptedRow(ctx, clean, corruption, image)
		if err != nil {
			return v, err
		}
		for severity, pixels := range row[1:] {
			v.images.Pixels, v.images.Labels = append(v.images.Pixels, pixels...), append(v.images.Labels, clean.Labels...)
			v.labels = append(v.labels, cloudVersion{Corruption: corruption, Severity: severity + 1})
		}
	}
	return v, nil
}

// cloudKey holds all that a cloud depends on.
type cloudKey struct {
	Layer     string `json:"layer"`
	Image     int    `json:"image"`
	Draws     int    `json:"draws"`      // of the image
	MeanDraws int    `json:"mean_draws"` // of each mean output
	Suite     string `json:"suite"`      // with the fingerprint of registered corruptions
	Textures  string `json:"textures,omitempty"`
	Seed      uint64 `json:"seed"`    // of the corruptions
	Version   int    `json:"version"` // changes with the computation
}

// draws is the number of draws of the cloud and of the mean outputs.
func (k cloudKey) draws(seen versions) int { return k.Draws + seen.images.Count()*k.MeanDraws }

// kept is where the cloud is kept.
func (k cloudKey) kept() kept {
	return kept{"clouds", fmt.Sprintf("%s-image-%04d", filepath.Base(k.Layer), k.Image), k}
}
