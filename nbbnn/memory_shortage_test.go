package nbbnn

import (
	"errors"
	"strings"
	"testing"
)

// What XLA says when a device has too little memory, and what becomes of it.
func TestOutOfMemoryNamesTheEstimateAndTheKnob(t *testing.T) {
	const says = "PJRT error (code=8): RESOURCE_EXHAUSTED: Out of memory while trying to allocate 12.50GiB.\nBufferAssignment OOM Debugging."
	trainer := &trainer{run: &Run{config: Config{Training: Training{Batch: 128, Samples: 4}}}}
	predictor := &predictor{batch: 1024, samples: 4}
	for _, test := range []struct {
		name string
		err  error
		want []string
	}{
		{"a step whose graph is compiled", trainer.stepError(errors.New(says), 21_300_000_000),
			[]string{"a training step of 128 images x 4 samples, which needs 21.3 GB in all (it asked for 12.50GiB at once)", "--batch", "--samples"}},
		{"a step whose graph isn't", trainer.stepError(errors.New("CUDA_ERROR_OUT_OF_MEMORY"), 0), []string{"128 images x 4 samples: take a smaller batch"}},
		{"a prediction", predictor.predictionError(errors.New(says)), []string{"the prediction of 1024 images x 4 samples (it asked for 12.50GiB", "fewer samples"}},
		{"another failure", trainer.stepError(errors.New("INVALID_ARGUMENT: shapes"), 1), []string{"the engine failed at the training step: INVALID_ARGUMENT"}},
	} {
		for _, want := range test.want {
			if got := test.err.Error(); !strings.Contains(got, want) || strings.Contains(got, "\n") {
				t.Errorf("%s: error %q, want one line with %q", test.name, got, want)
			}
		}
	}
}
