package viz_test

import (
	"log"

	"github.com/nbbnn/workbench/viz"
)

// M16 in the paper's Figure 5: on implicit corruptions of its own and of M32, and on clean images.
func ExampleImplicitCurves() {
	lambda := []float64{0.01, 0.03, 0.1, 0.3}
	figure, err := viz.ImplicitCurves("NLL (nats)", lambda, []viz.ImplicitCurve{
		{Name: "its own", Method: "M16", Seeds: 10, Mean: []float64{0.340, 0.3525, 0.3583, 0.362}, Std: []float64{0.015, 0.014, 0.015, 0.020}},
		{Name: "M32's", Method: "M16", Seeds: 10, Mean: []float64{2.573, 1.802, 0.996, 0.444}, Std: []float64{0.55, 0.37, 0.21, 0.026}},
		{Name: "clean", Method: "M16", Seeds: 10, Mean: []float64{0.3088, 0.3104, 0.3095, 0.3112}},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Titled("M16 is tested").Save("testdata/implicit_curves.png"); err != nil {
		log.Fatal(err)
	}
}
