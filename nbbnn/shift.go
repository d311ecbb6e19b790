package nbbnn

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
)

// LogitShift is how far a change g of an image moves the logits of a network without noise, f(x + g) - f(x) (METHOD.md section 7).
type LogitShift struct {
	Exact      []float64 // [classes]
	FirstOrder []float64 // [classes], g propagated through the layers as if no ReLU switched: the derivative of f along g
}

// MeanSquaredShift is the mean over images of the squared length of the shift, exact and to first order.
func MeanSquaredShift(shifts []LogitShift) (exact, firstOrder float64) {
	for _, s := range shifts {
		for i := range s.Exact {
			exact += s.Exact[i] * s.Exact[i] / float64(len(shifts))
			firstOrder += s.FirstOrder[i] * s.FirstOrder[i] / float64(len(shifts))
		}
	}
	return exact, firstOrder
}

// Shifts returns the shift of each image, under fixed latents, by its change, [images][height*width*3] in pixels of 0 to 1.
func (r *Run) Shifts(ctx context.Context, latents Latents, images dataset.Images, changes [][]float32) ([]LogitShift, error) {
	images, err := withLabels(images)
	if err != nil {
		return nil, err
	}
	if err := check.Known("latents", latents, OneLatents, MeanLatents); err != nil {
		return nil, err
	}
	if err := checkChanges(images, changes); err != nil {
		return nil, err
	}
	m, err := r.modelFor(ctx, images.Height, images.Width)
	if err != nil {
		return nil, err
	}
	latents = r.fillEvaluation(Evaluation{Latents: latents}).Latents
	return shifts(ctx, m.With(latents), images, changes)
}

func checkChanges(images dataset.Images, changes [][]float32) error {
	if len(changes) != images.Count() {
		return fmt.Errorf("nbbnn: %d changes of %d images: give one for each", len(changes), images.Count())
	}
	for i, change := range changes {
		if want := images.Height * images.Width * 3; len(change) != want {
			return fmt.Errorf("nbbnn: change %d has %d values, want %d as the image", i, len(change), want)
		}
	}
	return nil
}
