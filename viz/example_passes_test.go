package viz_test

import (
	"log"

	"github.com/nbbnn/workbench/viz"
)

// Error under corruption against the cost of a prediction: single networks, methods with samples,
// and their ensembles.
func ExampleAgainstPasses() {
	point := func(name string, passes int, seeds ...float64) viz.PassesPoint {
		p := viz.PassesPoint{Name: name, Passes: passes, Each: seeds, Seeds: len(seeds), Test: "first8, severities 1 to 5, 1000 images"}
		for _, value := range seeds {
			p.Mean += value / float64(len(seeds))
		}
		return p
	}
	points := []viz.PassesPoint{
		point("node-BNN", 16, 0.408, 0.412), point("ens node-BNN", 32, 0.391),
		point("MAP", 1, 0.437, 0.451), point("ens MAP", 2, 0.418),
		point("SWAG", 16, 0.421, 0.429), point("ens SWAG", 32, 0.409),
		point("SAM", 1, 0.431, 0.425), point("DAMP", 1, 0.412, 0.421), point("ens DAMP", 2, 0.401),
	}
	figure, err := viz.AgainstPasses("Error", points)
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/against_passes.png"); err != nil {
		log.Fatal(err)
	}
}
