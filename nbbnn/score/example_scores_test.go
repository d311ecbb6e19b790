package score_test

import (
	"fmt"
	"log"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// One of the six pairs is in the wrong order, and one is equal: (4 + 1/2) / 6. The threshold that
// accepts all three images from inside accepts one of the two from outside.
func ExampleAUROC() {
	inside, outside := []float64{0.1, 0.2, 0.6}, []float64{0.2, 0.9}
	area, err := score.AUROC(inside, outside)
	if err != nil {
		log.Fatal(err)
	}
	rate, err := score.FPR(inside, outside, 0.95)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("AUROC %.2f, FPR95 %.2f\n", area, rate)
	// Output:
	// AUROC 0.75, FPR95 0.50
}
