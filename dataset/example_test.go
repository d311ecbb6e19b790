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
