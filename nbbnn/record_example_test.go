package nbbnn_test

import (
	"fmt"

	"github.com/nbbnn/workbench/nbbnn"
)

// A zero means a default, and a mistake is named together with what was probably meant.
func ExampleConfig() {
	config := nbbnn.Config{
		Network:   nbbnn.Network{Width: 24},
		Posterior: nbbnn.Posterior{Components: 4},
	}
	network := config.WithDefaults().Network
	fmt.Println(network.Name, network.Width, network.Form)
	config.Posterior.Mode = "ot"
	fmt.Println(config.Validate())
	// Output:
	// allcnnc 24 narrow
	// nbbnn: unknown mode "ot" (did you mean "out"?): choose out, in, both, none
}

// What a zero stands for has the same hash as the zero, so both are the same run.
func ExampleConfig_Hash() {
	plain, spelt := nbbnn.Config{}, nbbnn.Config{Posterior: nbbnn.Posterior{Components: 1, Mode: nbbnn.Output}}
	fmt.Println(plain.Hash() == spelt.Hash(), plain.Hash() == nbbnn.Config{Seed: 1}.Hash())
	// Output:
	// true false
}

// The error bars of a figure are sample standard deviations over seeds.
func ExampleSummarise() {
	fmt.Println(nbbnn.Summarise([]float64{0.31, 0.28, 0.29}))
	// Output: 0.293 ± 0.015 (n = 3)
}

// Two images, two samples of the posterior, three classes.
func ExampleMeasure() {
	measure, err := nbbnn.NewMeasure(2, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, image := range []struct {
		logProbabilities []float64
		label            int
	}{
		{[]float64{-0.1, -3, -3, -0.2, -2, -3}, 0},
		{[]float64{-0.5, -1, -4, -1, -0.5, -4}, 1},
	} {
		if err := measure.Add(image.logProbabilities, image.label); err != nil {
			fmt.Println(err)
			return
		}
	}
	cell := measure.Cell(nbbnn.Clean, 0)
	fmt.Printf("error %.2f  NLL %.3f  Gibbs NLL %.3f\n", cell.Error, cell.NLL, cell.GibbsNLL)
	// Output: error 0.50  NLL 0.434  Gibbs NLL 0.450
}
