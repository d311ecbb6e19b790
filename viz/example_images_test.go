package viz_test

import (
	"fmt"
	"log"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/random"
	"github.com/nbbnn/workbench/viz"
)

// Test images of Shapes10 with their classes.
func ExampleImages() {
	test := shapes().Test
	gallery := viz.Gallery{Height: side, Width: side}
	for i, label := range test.Labels[:14] {
		gallery.Pixels = append(gallery.Pixels, test.Slice(i, i+1).Pixels)
		gallery.Captions = append(gallery.Captions, shapes().Classes[label])
	}
	figure, err := viz.Images(gallery)
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/images.png"); err != nil {
		log.Fatal(err)
	}
}

// A test image under all nineteen corruptions at all five severities.
func ExampleCorruptionSheet() {
	image := shapes().Test.Slice(3, 4).Pixels
	grid := viz.ImageGrid{Rows: corrupt.Names(), Columns: []string{"1", "2", "3", "4", "5"}, Corner: "severity", Height: side, Width: side}
	for _, corruption := range grid.Rows {
		var row [][]uint8
		for severity := 1; severity <= 5; severity++ {
			row = append(row, corrupted(image, corruption, severity))
		}
		grid.Pixels = append(grid.Pixels, row)
	}
	figure, err := viz.CorruptionSheet(grid)
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/corruption_sheet.png"); err != nil {
		log.Fatal(err)
	}
}

// The paper's Figure 4 with linear layers, whose implicit corruptions have a closed form. The
// changes of both networks are enlarged alike.
func ExampleImplicitCorruptions() {
	var networks []viz.Implicit
	for _, std := range []float64{0.16, 0.32} {
		layer := newLatentLayer(std)
		implicit := viz.Implicit{
			Name: fmt.Sprintf("σ %.2f", std), Height: side, Width: side,
			Image: unit(shapes().Test.Slice(3, 4).Pixels), Lambda: []float64{0.0001, 0.0003, 0.001},
		}
		target := layer.draw(implicit.Image, random.New(4, "test latents", 0))
		for _, lambda := range implicit.Lambda {
			implicit.Masks = append(implicit.Masks, layer.implicit(implicit.Image, target, lambda))
		}
		networks = append(networks, implicit)
	}
	figure, err := viz.ImplicitCorruptions(networks...)
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/implicit_corruptions.png"); err != nil {
		log.Fatal(err)
	}
}
