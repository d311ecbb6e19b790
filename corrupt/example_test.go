package corrupt_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nbbnn/workbench/corrupt"
)

// A grey square on white, at five severities of contrast: everything moves towards the mean.
func ExampleApply() {
	size := corrupt.Size{Height: 4, Width: 4}
	image := make([]uint8, size.Values())
	for i := range image {
		image[i] = 255
		if i < len(image)/2 {
			image[i] = 100
		}
	}
	for severity := 1; severity <= 5; severity++ {
		config := corrupt.Config{Corruption: "contrast", Severity: severity}
		out, err := corrupt.Apply(context.Background(), config, size, image)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(severity, out[0], out[len(out)-1])
	}
	// Output:
	// 1 119 235
	// 2 138 216
	// 3 146 208
	// 4 154 200
	// 5 165 189
}

func ExampleSuiteByName() {
	suite, err := corrupt.SuiteByName("extra4")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(suite.Corruptions)
	// Output: [speckle_noise gaussian_blur spatter saturate]
}
