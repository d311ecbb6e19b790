package folder_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/dataset/folder"
)

// A folder with two folders of pictures becomes the data set "tiles".
func ExampleAdd() {
	pictures, err := os.MkdirTemp("", "tiles")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(pictures)
	for i, class := range []string{"dark", "light"} {
		for k := range 10 {
			drawTile(filepath.Join(pictures, class, fmt.Sprintf("%d.png", k)), uint8(100*i+5*k))
		}
	}
	directory := filepath.Join(pictures, ".data") // usually "": the directory of all data sets
	added, err := folder.Add(context.Background(), "tiles", pictures,
		folder.Options{Height: 24, Width: 24, Directory: directory})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(added.Manifest.Size(), added.Manifest.Classes)

	data, err := dataset.Open(context.Background(), dataset.Config{Name: "tiles",
		Directory: directory})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(data.Train.Count(), data.Test.Count(), data.Train.Height, data.Train.Width)
	// Output:
	// {16 4 24 24 2} [dark light]
	// 16 4 24 24
}

// drawTile writes a picture of 60 x 40 pixels in one shade of grey.
func drawTile(path string, shade uint8) {
	tile := image.NewRGBA(image.Rect(0, 0, 60, 40))
	for i := range tile.Pix {
		tile.Pix[i] = shade
	}
	for i := 3; i < len(tile.Pix); i += 4 {
		tile.Pix[i] = 255
	}
	tile.Set(0, 0, color.White)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		log.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	if err := png.Encode(file, tile); err != nil {
		log.Fatal(err)
	}
}
