package paper

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

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
