package dataset_test

import (
	"context"
	"fmt"
	"log"

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
	_, err := dataset.Open(context.Background(), dataset.Config{Name: "shape10"})
	fmt.Println(err)
	// Output:
	// dataset: unknown data set "shape10" (did you mean "shapes10"?): known are shapes10, cifar10, cifar100, tinyimagenet
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

// Every source says what to download and how to know it.
func ExampleSourceByName() {
	source, err := dataset.SourceByName("cifar10-c")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(source.Title, "unpacks to", source.Folder)
	fmt.Println(source.Archives[0])
	// Output:
	// CIFAR-10-C unpacks to CIFAR-10-C
	// CIFAR-10-C.tar from https://zenodo.org/records/2535967/files/CIFAR-10-C.tar (2,918,471,680 bytes, md5 56bf5dcef84df0e2308c6dcbcbbd8499)
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
