package viz_test

import (
	"fmt"
	"log"
	"testing"

	"github.com/nbbnn/workbench/viz"
)

// manyMethods are made-up errors of eight methods over three seeds.
func manyMethods() viz.LevelPanel {
	panel := viz.LevelPanel{Metric: "Error"}
	for i, name := range []string{"MAP", "SWAG", "cSG-HMC", "SAM", "ASAM", "MC dropout", "node-BNN", "AugMix"} {
		curve := viz.LevelCurve{Name: name, Seeds: 3, Each: make([][]float64, 3), Test: "19 corruptions", Classes: 10}
		for level := range 6 {
			mean := 0.08 + 0.01*float64(i%3) + (0.13-0.008*float64(i))*float64(level)
			curve.Mean = append(curve.Mean, mean)
			for seed := range curve.Each {
				curve.Each[seed] = append(curve.Each[seed], mean+0.01*float64(seed-1))
			}
		}
		panel.Curves = append(panel.Curves, curve)
	}
	return panel
}

// Errors of eight methods, each with a panel of its own.
func ExampleLevelMultiples() {
	figure, err := viz.LevelMultiples(manyMethods())
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/level_multiples.png"); err != nil {
		log.Fatal(err)
	}
}

// Each curve has a panel, all with one range.
func TestLevelMultiplesShareARange(t *testing.T) {
	figure, err := viz.LevelMultiples(manyMethods())
	if err != nil {
		t.Fatal(err)
	}
	plots := figure.Plots()
	if len(plots) != 8 {
		t.Fatalf("%d panels for eight methods", len(plots))
	}
	for i, p := range plots {
		if got, want := fmt.Sprint(p.Y.Min, p.Y.Max), fmt.Sprint(plots[0].Y.Min, plots[0].Y.Max); got != want {
			t.Errorf("panel %d has the range %s, want %s", i, got, want)
		}
	}
	if figure, err := viz.LevelMultiples(viz.LevelPanel{Metric: "Error"}); err == nil || figure != nil {
		t.Errorf("no curves: figure %v and error %v, want an error", figure, err)
	}
}
