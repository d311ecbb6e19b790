package viz_test

import (
	"fmt"
	"log"
	"math"

	"github.com/nbbnn/workbench/viz"
)

// The entropy of a Gaussian against its standard deviation, in one dimension and in ten.
func ExampleLines() {
	var lines []viz.Line
	for _, dimensions := range []int{1, 10} {
		line := viz.Line{Name: fmt.Sprintf("D = %d", dimensions)}
		for i := 1; i <= 60; i++ {
			sigma := float64(i) / 100
			line.X = append(line.X, sigma)
			line.Y = append(line.Y, float64(dimensions)*(1.419+math.Log(sigma)))
		}
		lines = append(lines, line)
	}
	figure, err := viz.Lines("σ", "entropy (nats)", lines)
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/lines.png"); err != nil {
		log.Fatal(err)
	}
}

// Standard deviations of the latents of eight layers, most of them below the 0.32 that they began
// with. They are computed from a formula.
func ExampleStrips() {
	plot := viz.StripPlot{Quantity: "σ of the latents", Reference: 0.32, ReferenceName: "at the start"}
	for layer := 1; layer <= 8; layer++ {
		strip := viz.Strip{Name: fmt.Sprintf("conv%d", layer)}
		for node := range 8 * layer {
			angle := float64(7*node + layer)
			strip.Values = append(strip.Values, 0.32-0.02*float64(layer)+0.05*math.Sin(angle)*math.Sin(angle/3))
		}
		plot.Strips = append(plot.Strips, strip)
	}
	figure, err := viz.Strips(plot)
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/strips.png"); err != nil {
		log.Fatal(err)
	}
}
