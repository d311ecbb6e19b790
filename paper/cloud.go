package paper

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/estimate"
	"github.com/nbbnn/workbench/internal/nearby"
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
	// distance of nearby.Region in two components, NearTen in ten: up to 1 is inside.
	Distance float64 `json:"distance"`
	Near     float64 `json:"near"`
	NearTen  float64 `json:"near_ten"`
}

// cloudTest decides which versions count as inside.
type cloudTest struct {
	name   string
	inside func(layerCloud, cloudVersion) bool
}

// The tests. The ellipse is the paper's and takes the draws to be Gaussian. The scaled ellipse
// holds 99 % of the draws. The others ask how near a version is to the draws, so they see a skewed
// cloud.
var (
	inEllipse = cloudTest{"in the 99 % ellipse", func(_ layerCloud, v cloudVersion) bool {
		return v.Distance <= viz.EllipseLimit
	}}
	inScaled = cloudTest{"in the ellipse of 99 % of the draws",
		func(c layerCloud, v cloudVersion) bool { return v.Distance <= c.Percentile }}
	nearDraws = cloudTest{"near the draws", func(_ layerCloud, v cloudVersion) bool {
		return v.Near <= 1
	}}
	nearInTen = cloudTest{"near, in 10 components", func(_ layerCloud, v cloudVersion) bool {
		return v.NearTen <= 1
	}}

	cloudTests = []cloudTest{inEllipse, inScaled, nearDraws, nearInTen}
)

// inside returns the number of versions of each severity that pass a test.
func (c layerCloud) inside(test cloudTest) (counts [score.LevelCount]float64) {
	for _, version := range c.Versions {
		if test.inside(c, version) {
			counts[version.Severity]++
		}
	}
	return counts
}

// newLayerCloud computes the outputs of a layer for a clean image and for its versions, of which
// the first is the image itself.
func newLayerCloud(ctx context.Context, m *network.Model, key cloudKey, seen versions,
	progress nbbnn.Progress) (cloud layerCloud, err error) {
	cloud = layerCloud{Layer: key.Layer, Image: key.Image, Versions: slices.Clone(seen.labels)}
	settings := implicit.LayerDraws{Layer: key.Layer, Draws: key.Draws, Progress: progress}
	outputs, err := implicit.LayerOutputs(ctx, m, settings, seen.images.Slice(0, 1))
	if err != nil {
		return cloud, err
	}
	settings.Draws, settings.Seed, settings.Progress = key.MeanDraws, 1,
		progress.Part(key.Draws, key.draws(seen))
	means, err := implicit.MeanLayerOutputs(ctx, m, settings, seen.images)
	if err != nil {
		return cloud, err
	}
	projection, err := viz.NewProjection(outputs, cloudComponents)
	if err != nil {
		return cloud, err
	}
	cloud.Share = projection.Share
	draws, err := projection.Project(outputs...)
	if err != nil {
		return cloud, err
	}
	points, err := projection.Project(means...)
	if err != nil {
		return cloud, err
	}
	for _, draw := range draws {
		cloud.Draws = append(cloud.Draws, plane(draw))
	}
	cloud.Clean = plane(points[0])
	return cloud, cloud.test(draws, points[1:])
}

// test fills in how far the versions are from the draws, all in components.
func (c *layerCloud) test(draws, versions [][]float64) error {
	inPlane := planes(c.Draws)
	ellipse, err := viz.NewEllipse(inPlane)
	if err != nil {
		return err
	}
	c.Percentile = percentile(ellipse, inPlane)
	nearTen, err := nearby.New(draws)
	if err != nil {
		return err
	}
	var flat [][]float64
	for _, draw := range inPlane {
		flat = append(flat, draw[:])
	}
	near, err := nearby.New(flat)
	if err != nil {
		return err
	}
	for i, version := range versions {
		v := &c.Versions[i]
		v.Point = plane(version)
		point := planes([][2]float32{v.Point})[0]
		v.Distance, v.Near, v.NearTen = ellipse.Distance(point), near.Distance(point[:]),
			nearTen.Distance(version)
	}
	return nil
}

// percentile returns the squared distance from the mean of an ellipse that 99 % of points keep
// within, to compare with the Gaussian's 9.21: draws that aren't Gaussian have another one.
func percentile(e viz.Ellipse, points [][2]float64) float64 {
	var distances []float64
	for _, point := range points {
		distances = append(distances, e.Distance(point))
	}
	slices.Sort(distances)
	return distances[int(math.Ceil(0.99*float64(len(distances))))-1]
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

// draws returns the number of draws of the cloud and of the mean outputs.
func (k cloudKey) draws(seen versions) int { return k.Draws + seen.images.Count()*k.MeanDraws }

// kept returns the place of the cloud's file.
func (k cloudKey) kept() kept {
	return kept{"clouds", fmt.Sprintf("%s-image-%04d", filepath.Base(k.Layer), k.Image), k}
}

// CloudSettings choose the layers and the test images of a figure of clouds.
type CloudSettings struct {
	Layers []int // counted from 1; 0 means the last
	First  int   // test image, counted from 0
	Images int   // number of test images
	Shown  int   // test image to draw; the first if it isn't one of them
}

// names returns the names of the layers in a network.
func (c CloudSettings) names(config nbbnn.Config) (names []string, err error) {
	layers := config.Layers()
	for _, layer := range c.Layers {
		if layer < 0 || layer > len(layers) {
			return nil, fmt.Errorf("paper: layer %d of %s: it has the layers 1 to %d, and 0 "+
				"means the last", layer, config.Network.Name, len(layers))
		}
		names = append(names, layers[(layer+len(layers)-1)%len(layers)])
	}
	return names, nil
}

// cloudLayers returns the names of the layers, which validate has checked.
func (s Setup) cloudLayers() []string {
	names, _ := s.Clouds.names(s.Config.WithDefaults())
	return names
}

// cloudSuite returns the corruptions of the versions, which validate has checked.
func (s Setup) cloudSuite() corrupt.Suite {
	suite, _ := corrupt.SuiteByName(s.Evaluation.Suite)
	return suite
}

// versionCount returns the number of corrupted versions of an image.
func (s Setup) versionCount() int {
	return len(s.cloudSuite().Corruptions) * (score.LevelCount - 1)
}

// cloudMeasurement computes the clouds of each run.
type cloudMeasurement struct{}

func (cloudMeasurement) validate(s Setup, config nbbnn.Config) error {
	if _, err := s.Clouds.names(config); err != nil {
		return err
	}
	if s.Clouds.Images < 1 || s.Clouds.First < 0 || len(s.Clouds.Layers) == 0 {
		return fmt.Errorf("paper: clouds of %d layers for %d images from image %d: give at least "+
			"one of each", len(s.Clouds.Layers), s.Clouds.Images, s.Clouds.First)
	}
	if err := checkImages(config, s.Clouds.First, s.Clouds.Images); err != nil {
		return err
	}
	_, err := corrupt.SuiteByName(s.Evaluation.Suite)
	return err
}

// describe returns "outputs of conv8 for 20 images, 95 corrupted versions of each, 2000 draws".
func (cloudMeasurement) describe(s Setup) string {
	return fmt.Sprintf("outputs of %s for %s, %s of each, %d draws",
		join(s.cloudLayers()), counted(s.Clouds.Images, "image"),
		counted(s.versionCount(), "corrupted version"), cloudDraws)
}

func (cloudMeasurement) operations(s Setup, config nbbnn.Config) float64 {
	passes := cloudDraws + (1+s.versionCount())*meanDraws
	return 2 * estimate.MultiplyAdds(config) * float64(passes*s.Clouds.Images*len(s.Clouds.Layers))
}

// keys returns a run's clouds, image by image.
func (cloudMeasurement) keys(s Setup, run *nbbnn.Run) (keys []cloudKey) {
	components := run.Config().Posterior.Components
	for image := range s.Clouds.Images {
		for _, layer := range s.cloudLayers() {
			keys = append(keys, cloudKey{
				Layer: layer, Image: s.Clouds.First + image,
				Draws:     cloudDraws / components * components,
				MeanDraws: meanDraws / components * components,
				Suite:     s.Evaluation.Suite + s.cloudSuite().Fingerprint(),
				Textures:  s.Evaluation.Textures, Seed: s.Evaluation.Seed, Version: 2,
			})
		}
	}
	return keys
}

func (m cloudMeasurement) done(s Setup, run *nbbnn.Run) bool {
	return !slices.ContainsFunc(m.keys(s, run), func(key cloudKey) bool {
		return !key.kept().isKept(run)
	})
}

func (m cloudMeasurement) measure(ctx context.Context, r *Result, run int,
	progress nbbnn.Progress) error {
	measured, keys := &r.Runs[run], m.keys(r.Setup, r.Runs[run].Run.Run)
	model := sync.OnceValues(func() (*network.Model, error) { return measured.Model(ctx) })
	var seen versions // of the image at work
	for place, key := range keys {
		cloud, err := keptOr(measured.Run.Run, key.kept(), func() (cloud layerCloud, err error) {
			m, err := model()
			if err == nil && (seen.labels == nil || seen.image != key.Image) {
				seen, err = newVersions(ctx, r.Setup, key.Image, r.Setup.cloudSuite().Corruptions)
			}
			if err != nil {
				return cloud, err
			}
			draws := key.draws(seen)
			return newLayerCloud(ctx, m, key, seen, progress.Part(place*draws, len(keys)*draws))
		})
		if err != nil {
			return err
		}
		measured.Clouds = append(measured.Clouds, cloud)
	}
	return nil
}
