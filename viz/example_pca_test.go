package viz_test

import (
	"fmt"
	"log"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/viz"
)

// cloud projects the outputs of a layer for the test image and its 95 corrupted versions.
func cloud(std float64) (viz.Cloud, error) {
	layer := newLatentLayer(std)
	image := unit(ball())
	draws := layer.draws(image, 800)
	projection, err := viz.NewProjection(draws, 10)
	if err != nil {
		return viz.Cloud{}, err
	}
	result := viz.Cloud{Share: [2]float64(projection.Share)}
	points := [][]float64{layer.mean(image)}
	for _, corruption := range corrupt.Names() {
		for severity := 1; severity <= 5; severity++ {
			points = append(points, layer.mean(unit(corrupted(ball(), corruption, severity))))
			result.Severity = append(result.Severity, severity)
			result.Corruption = append(result.Corruption, corruption)
		}
	}
	if result.Draws, err = projection.Plane(draws...); err != nil {
		return viz.Cloud{}, err
	}
	projected, err := projection.Plane(points...)
	if err != nil {
		return viz.Cloud{}, err
	}
	result.Clean, result.Corrupted = projected[0], projected[1:]
	return result, nil
}

// The paper's Figure 2: the larger the standard deviation of the latents, the more corrupted
// versions of an image lie within what the layer has seen.
func ExamplePCAScatter() {
	var clouds []viz.Cloud
	for _, std := range []float64{0.16, 0.32} {
		outputs, err := cloud(std)
		if err != nil {
			log.Fatal(err)
		}
		outputs.Name = fmt.Sprintf("sigma %.2f", std)
		clouds = append(clouds, outputs)
	}
	figure, err := viz.PCAScatter(clouds...)
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/pca_scatter.png"); err != nil {
		log.Fatal(err)
	}
}
