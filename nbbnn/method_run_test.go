package nbbnn

import (
	"errors"
	"testing"

	"github.com/nbbnn/workbench/nbbnn/baseline"
)

// methodConfig is a tiny network with batch normalisation, trained by a method for 4 epochs of 3
// steps.
func methodConfig(method Method) Config {
	config := tinyConfig()
	config.Network = Network{Name: "resnet18", Width: 2}
	config.Data.Train, config.Training.Batch, config.Training.Epochs = 24, 8, 4
	return config.With(method)
}

// methodsTested are the methods with options that a training of 4 epochs can have.
var methodsTested = []Method{
	{Name: baseline.MAP},
	{Name: baseline.SAM},
	{Name: baseline.ASAM, BothPasses: true},
	{Name: baseline.SWAG, Start: 1, Rank: 2},
	{Name: baseline.SWAG, Diagonal: true},
	{Name: baseline.CSGHMC, Cycles: 2},
	{Name: baseline.MCDropout},
	{Name: baseline.DAMP, SubBatches: 4},
}

// A run of any method that is stopped and continued ends with the same weights, bit for bit, as one
// that wasn't; its card names the method, and both predict the same.
func TestMethodsContinueBitForBit(t *testing.T) {
	evaluation := Evaluation{Suite: "fog", Images: 4, Samples: 2}
	for _, method := range methodsTested {
		t.Run(string(method.Name), func(t *testing.T) {
			config := methodConfig(method)
			whole, run := openRun(t, t.TempDir(), config), openRun(t, t.TempDir(), config)
			want := trainedCard(t, whole)
			for _, step := range []int{2, 6, 10} {
				if err := trainUntil(t, run, step); !errors.Is(err, ErrStopped) {
					t.Fatalf("stopped at step %d: error %v, want %v", step, err, ErrStopped)
				}
			}
			got := trainedCard(t, run)
			if got.WeightsSHA256 != want.WeightsSHA256 {
				t.Errorf("weights %s after three stops, %s without", got.WeightsSHA256, want.WeightsSHA256)
			}
			if got.Method != string(method.Name) {
				t.Errorf("the card names the method %q, want %q", got.Method, method.Name)
			}
			first, err := whole.Evaluate(t.Context(), evaluation, nil)
			if err != nil {
				t.Fatal(err)
			}
			second, err := run.Evaluate(t.Context(), evaluation, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range first {
				if first[i].NLL != second[i].NLL || first[i].NLL <= 0 {
					t.Errorf("cell %d has NLL %v, and %v after three stops: want the same, above 0", i, first[i].NLL, second[i].NLL)
				}
			}
		})
	}
}
