package dataset_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/nbbnn/workbench/dataset"
)

func ExampleOpen() {
	data, err := dataset.Open(context.Background(), dataset.Config{TrainCount: 200, TestCount: 50})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(data.Name, data.Train.Count(), data.Test.Count())
	fmt.Println(data.Classes)
	fmt.Println(data.Train.Height, data.Train.Width, len(data.Train.Pixels))
	// Output:
	// shapes10 200 50
	// [disc ring crescent heart triangle square hexagon star cross arrow]
	// 32 32 614400
}

// A mistyped name is answered with the nearest known one.
func ExampleOpen_unknown() {
	// without sets of one's own, which the answer would list
	directory, err := os.MkdirTemp("", "data")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	_, err = dataset.Open(context.Background(), dataset.Config{Name: "shape10",
		Directory: directory})
	fmt.Println(err)
	// Output:
	// dataset: unknown data set "shape10" (did you mean "shapes10"?): known are shapes10, shapes10-bright, cifar10, cifar100, tinyimagenet, pinwheel; `nbbnn data add NAME FOLDER` adds your own images
}

// Ten images in a row hold every class once.
func ExampleImages_Slice() {
	data, err := dataset.Open(context.Background(), dataset.Config{TrainCount: 30, TestCount: 10})
	if err != nil {
		log.Fatal(err)
	}
	counts := make([]int, len(data.Classes))
	for _, label := range data.Train.Slice(10, 20).Labels {
		counts[label]++
	}
	fmt.Println(counts)
	// Output:
	// [1 1 1 1 1 1 1 1 1 1]
}

// The corrupted test images of a severity, as they were published.
func ExampleOpenCorrupted() {
	corrupted, err := dataset.OpenCorrupted("cifar10-c", "", nil)
	if err != nil {
		log.Fatal(err)
	}
	images, err := corrupted.Images(context.Background(), "fog", 3, 1000)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(images.Count(), images.Height, images.Width)
}

// Images that a program draws become a data set that every command knows by its name.
func ExampleAdd() {
	directory, err := os.MkdirTemp("", "data") // usually "": the directory of all data sets
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	_, err = dataset.Add(context.Background(), dataset.Dataset{
		Name: "slopes", Classes: []string{"across", "down"}, Train: slopes(40), Test: slopes(10),
	}, dataset.AddOptions{Directory: directory})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(dataset.Config{Name: "slopes", Directory: directory}.Size())
	// Output:
	// {40 10 16 16 2}
}

// slopes draws images of 16 x 16 pixels that get brighter to the right or to the bottom.
func slopes(count int) dataset.Images {
	images := dataset.Images{
		Height: 16, Width: 16, Pixels: make([]uint8, count*16*16*3), Labels: make([]uint8, count),
	}
	for i := range count {
		images.Labels[i] = uint8(i % 2)
		pixels := images.Slice(i, i+1).Pixels
		for k := range pixels {
			place := [2]int{k / 3 % 16, k / 3 / 16}
			pixels[k] = uint8(10*place[i%2] + i)
		}
	}
	return images
}
