package corrupt_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

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

// A corruption of your own: the red channel fades, more at the top of the image than at the bottom.
func ExampleRegister() {
	err := corrupt.Register(corrupt.Corruption{
		Name: "red_fades", Version: "1",
		Severities: [5]float64{.2, .4, .6, .8, 1}, // share of the red that is lost
		Draw: func(rng *rand.Rand, _ corrupt.Image, _ float64) []float64 {
			return []float64{rng.Float64()} // where the fading ends
		},
		Apply: func(image corrupt.Image, strength float64, draws, out []float64) {
			for i := 0; i < len(out); i += 3 {
				row := float64(i/3/image.Width) / float64(image.Height)
				out[i] *= 1 - strength*max(0, 1-row*draws[0])
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	size, white := corrupt.Size{Height: 2, Width: 1}, []uint8{255, 255, 255, 255, 255, 255}
	out, err := corrupt.Apply(context.Background(), corrupt.Config{Corruption: "red_fades",
		Severity: 3}, size, white)
	fmt.Println(out, err)
	// Output: [102 255 255 152 255 255] <nil>
}
