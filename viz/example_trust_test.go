package viz_test

import (
	"log"

	"github.com/nbbnn/workbench/viz"
)

// Three classifiers that differ in how sure they are; each knows equally well what it is right
// about.
func ExampleReliability() {
	figure, err := viz.Reliability([]viz.ReliabilityCurve{
		reliability("deterministic", guesses(1, 0.4)),
		reliability("M16", guesses(2, 0.7)),
		reliability("M32", guesses(3, 1.1)),
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/reliability.png"); err != nil {
		log.Fatal(err)
	}
}

// A classifier that knows when it errs, and one whose confidence says nothing.
func ExampleRiskCoverage() {
	blind := guesses(2, 1)
	for i := range blind {
		blind[i].confidence = float64(i)
	}
	figure, err := viz.RiskCoverage([]viz.RiskCurve{
		risk("M32", guesses(1, 1)),
		risk("confidence at random", blind),
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/risk_coverage.png"); err != nil {
		log.Fatal(err)
	}
}
