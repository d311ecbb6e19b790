package nbbnn

import (
	"cmp"
	"fmt"
)

// Evaluation says on what a trained run is tested.
type Evaluation struct {
	Suite   string `json:"suite"`   // of corruptions, one that corrupt.SuiteByName knows; "" means "first8"
	Samples int    `json:"samples"` // Monte-Carlo samples for each image, shared equally by the components; 0 means 32
	Images  int    `json:"images"`  // test images, the first so many; 0 means all
	Seed    uint64 `json:"seed"`    // of the corruptions and of the latents
}

// Defaults of METHOD.md section 5.
const (
	defaultSuite             = "first8"
	defaultEvaluationSamples = 32
)

func (e Evaluation) withDefaults() Evaluation {
	e.Suite = cmp.Or(e.Suite, defaultSuite)
	e.Samples = cmp.Or(e.Samples, defaultEvaluationSamples)
	return e
}

// validate checks a filled evaluation for a posterior with so many components.
func (e Evaluation) validate(components int) error {
	if e.Samples < 1 || e.Samples%components != 0 {
		return fmt.Errorf("nbbnn: %d samples can't be shared equally by %d components: choose a positive multiple of %d",
			e.Samples, components, components)
	}
	return notNegative("number of test images", float64(e.Images))
}
