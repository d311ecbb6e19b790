package paper

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

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

// CloudSettings choose the layers and the test images of a figure of clouds.
type CloudSettings struct {
	Layers []int // counted from 1; 0 means the last
	First  int   // test image, counted from 0
	Images int   // number of test images
	Shown  int   // test image that is drawn; if it isn't one of them, the first is
}

// shown returns the test image that is drawn.
func (c CloudSettings) shown() int {
	if c.Shown < c.First || c.Shown >= c.First+c.Images {
		return c.First
	}
	return c.Shown
}

// names returns the names of the layers in a network.
func (c CloudSettings) names(config nbbnn.Config) (names []string, err error) {
	layers := config.Layers()
	for _, layer := range c.Layers {
		if layer < 0 || layer > len(layers) {
			return nil, fmt.Errorf("paper: layer %d of %s: it has the layers 1 to %d, and 0 means the last", layer, config.Network.Name, len(layers))
		}
		names = append(names, layers[(layer+len(layers)-1)%len(layers)])
	}
	return names, nil
}

// cloudMeasurement computes the clouds of each run.
type cloudMeasurement struct{}

func (cloudMeasurement) validate(s Setup, config nbbnn.Config) error {
	if _, err := s.Clouds.names(config); err != nil {
		return err
	}
	if s.Clouds.Images < 1 || s.Clouds.First < 0 || len(s.Clouds.Layers) == 0 {
		return fmt.Errorf("paper: clouds of %d layers for %d images from image %d: give at least one of each", len(s.Clouds.Layers), s.Clouds.Images, s.Clouds.First)
	}
	last := s.Clouds.First + s.Clouds.Images - 1
	if test := dataSize(config).Test; last >= test {
		return fmt.Errorf("paper: the test images %d to %d are asked for, the runs have %d: lower the numbers", s.Clouds.First, last, test)
	}
	_, err := corrupt.SuiteByName(s.Evaluation.Suite)
	return err
}

// describe is such as "outputs of the last layer for 20 images, 95 corrupted versions of each, 2000
// draws".
func (cloudMeasurement) describe(s Setup) string {
	return fmt.Sprintf("outputs of %s for %s, %s of each, %d draws",
		layersText(s.Clouds.Layers), counted(s.Clouds.Images, "image"), counted(versionCount(s), "corrupted version"), cloudDraws)
}

// layersText is such as "the last layer" or "layers 1, 2, 7 and 8".
func layersText(layers []int) string {
	var names []string
	for _, layer := range layers {
		names = append(names, strconv.Itoa(layer))
	}
	switch {
	case len(layers) == 1 && layers[0] == 0:
		return "the last layer"
	case len(layers) == 1:
		return "layer " + names[0]
	}
	return "layers " + join(names)
}

// versionCount is the number of corrupted versions of an image.
func versionCount(s Setup) int {
	suite, _ := corrupt.SuiteByName(s.Evaluation.Suite) // validate returns the error
	return len(suite.Corruptions) * (score.LevelCount - 1)
}

func (cloudMeasurement) operations(s Setup, config nbbnn.Config) float64 {
	passes := cloudDraws + (1+versionCount(s))*meanDraws
	return 2 * multiplyAdds(config) * float64(passes*s.Clouds.Images*len(s.Clouds.Layers))
}

// keys are those of a run's clouds, image by image.
func (cloudMeasurement) keys(s Setup, run *nbbnn.Run) (keys []cloudKey, err error) {
	suite, err := corrupt.SuiteByName(s.Evaluation.Suite)
	if err != nil {
		return nil, err
	}
	layers, err := s.Clouds.names(run.Config())
	components := run.Config().Posterior.Components
	for image := range s.Clouds.Images {
		for _, layer := range layers {
			keys = append(keys, cloudKey{
				Layer: layer, Image: s.Clouds.First + image,
				Draws: cloudDraws / components * components, MeanDraws: meanDraws / components * components,
				Suite: s.Evaluation.Suite + suite.Fingerprint(), Textures: s.Evaluation.Textures, Seed: s.Evaluation.Seed, Version: 2,
			})
		}
	}
	return keys, err
}

func (m cloudMeasurement) done(s Setup, run *nbbnn.Run) bool {
	keys, err := m.keys(s, run)
	return err == nil && !slices.ContainsFunc(keys, func(key cloudKey) bool { return !key.kept().isKept(run) })
}

func (m cloudMeasurement) measure(ctx context.Context, r *Result, run int, progress nbbnn.Progress) error {
	measured := &r.Runs[run]
	keys, err := m.keys(r.Setup, measured.Run.Run)
	if err != nil {
		return err
	}
	model := sync.OnceValues(func() (*network.Model, error) { return measured.Model(ctx) })
	var seen versions // of the image at work
	for place, key := range keys {
		cloud, err := keptOr(measured.Run.Run, key.kept(), func() (cloud layerCloud, err error) {
			if seen.labels == nil || seen.image != key.Image {
				if seen, err = newVersions(ctx, r.Setup, key.Image); err != nil {
					return cloud, err
				}
			}
			m, err := model()
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

// insideMeans returns for each seed of a method the mean number of versions of an image that are
// inside, by severity, [seeds][severity 0 to 5]. Severity 0 counts nothing.
func insideMeans(r *Result, method, layer string, test cloudTest) [][]float64 {
	return r.series(method, func(run RunResult) []float64 {
		means, images := make([]float64, score.LevelCount), 0
		for _, cloud := range run.Clouds {
			if cloud.Layer != layer {
				continue
			}
			images++
			for severity, count := range cloud.inside(test) {
				means[severity] += float64(count)
			}
		}
		for severity := range means {
			means[severity] /= float64(max(1, images))
		}
		return means
	})
}

func cloudLayers(r *Result) []string {
	names, _ := r.Setup.Clouds.names(r.Setup.Config.WithDefaults()) // validate returns the error
	return names
}

// table has the mean number of versions of an image inside, by severity.
func (cloudMeasurement) table(r *Result) (viz.Table, error) {
	table := viz.Table{Header: []string{"inside, of " + strconv.Itoa(versionCount(r.Setup)/(score.LevelCount-1)), "layer", "severity"}, Labels: 3}
	for severity := 1; severity < score.LevelCount; severity++ {
		table.Header = append(table.Header, strconv.Itoa(severity))
	}
	for _, layer := range cloudLayers(r) {
		for _, test := range cloudTests {
			for _, method := range r.methodNames() {
				cells := meanCells(insideMeans(r, method, layer, test), 1)
				table.Rows = append(table.Rows, append([]string{test.name, layer, method}, cells[1:]...))
			}
		}
	}
	return table, nil
}

// cloudReport is how many corrupted versions of an image are inside a cloud, by severity.
type cloudReport struct {
	Method string           `json:"method"`
	Seed   uint64           `json:"seed"` // of the run
	Layer  string           `json:"layer"`
	Image  int              `json:"image"`
	Share  []float64        `json:"share"`  // of the variance, by component
	Inside map[string][]int `json:"inside"` // by test, for the severities 1 to 5
}

// report has a row for each run, layer, image and test in the table of the CSV file.
func (cloudMeasurement) report(r *Result, data *Report) error {
	data.Suite, data.Samples, data.Images = r.Setup.Evaluation.Suite, cloudDraws, r.Setup.Clouds.Images
	data.csv = [][]string{strings.Split("method,seed,layer,image,test,severity_1,severity_2,severity_3,severity_4,severity_5", ",")}
	for _, run := range r.Runs {
		for _, cloud := range run.Clouds {
			report := cloudReport{run.Method, run.Seed, cloud.Layer, cloud.Image, cloud.Share, map[string][]int{}}
			for _, test := range cloudTests {
				counts := cloud.inside(test)
				report.Inside[test.key] = counts[1:]
				data.csv = append(data.csv, csvRow(run.Method, run.Seed, cloud.Layer, cloud.Image, test.key, counts[1], counts[2], counts[3], counts[4], counts[5]))
			}
			data.Clouds = append(data.Clouds, report)
		}
	}
	return nil
}
