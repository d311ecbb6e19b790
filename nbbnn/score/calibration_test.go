package score

import (
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The value was computed with NumPy 2.4.6, class by class and bin by bin with masks.
func TestClasswiseECEOfATable(t *testing.T) {
	probabilities, labels := make([][]float64, 60), make([]uint8, 60)
	for i := range probabilities {
		labels[i] = uint8((i*i + 3*i) % 4)
		sum := 0.0
		for class := range 4 {
			value := float64((i*7+class*13)%17) + 1.3
			probabilities[i], sum = append(probabilities[i], value), sum+value
		}
		for class := range probabilities[i] {
			probabilities[i][class] /= sum
		}
	}
	got := testkit.Must(ClasswiseECE(of(probabilities...), labels))(t)
	near(t, "classwise ECE", got, 0.25226468648357314, 1e-7)
}
