package paper

import (
	"fmt"
	"math"

	"github.com/nbbnn/workbench/nbbnn"
)

// Method is one curve of a figure: a name, and what it changes in the configuration that all runs share.
type Method struct {
	Name   string
	Change func(*nbbnn.Config)
}

// M returns the method that the paper calls M16 for 0.16 and M32 for 0.32: the posterior starts with this standard deviation,
// and the prior has it too (METHOD.md section 4).
func M(std float64) Method {
	return Method{
		Name: fmt.Sprintf("M%02.0f", math.Round(100*std)),
		Change: func(config *nbbnn.Config) {
			config.Posterior.InitStd, config.Posterior.PriorStd = std, std
		},
	}
}
