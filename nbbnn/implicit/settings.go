// Package implicit explains the latents of a network by changes of its input: implicit corruptions,
// the shift of the logits that a change causes, and the outputs of layers under draws of the
// latents (METHOD.md section 7). It works on a [network.Model], which Run.Model of package nbbnn
// loads; only a [Store] touches the disk.
package implicit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Settings select the implicit corruptions to search for. For test images x, draws Z of the latents
// and numbers lambda, the implicit corruption is the change g of the image that minimises
//
//	1/2 |f_Z(x) - f(x + g)|^2 + lambda/2 |g|^2
//
// where f_Z are the logits under the draw and f those without noise: g has the same effect as the
// draw. The search for the largest lambda begins at g = 0. GaussNewton begins that for each smaller
// one where the one before ended, Descent at 0.
type Settings struct {
	First  int `json:"-"` // the first of the images, counted from 0
	Images int `json:"-"` // images from there on; 0 means 1
	// Z of each image, shared equally by the components; 0 means one of each
	Draws  int       `json:"draws"`
	Lambda []float64 `json:"lambda"` // weights of the change, above 0; none means 0.03, 0.1 and 0.3
	Seed   uint64    `json:"seed"`   // of the draws, which are the same for every lambda

	// Latents fixes the latents of f; "" means network.MeanLatents. Alternatively, f is the mean of
	// the logits over Expected draws, the same for every image and shared equally by the
	// components; 0 means none.
	Latents  network.Latents `json:"latents"`
	Expected int             `json:"expected"`
	Space    Space           `json:"space"` // that measures g; "" means NormalisedSpace

	Method Method `json:"method,omitzero"` // "" means GaussNewton
	// of Descent's first step; later rates adapt; 0 means 0.1
	Rate float64 `json:"rate"`
	// root mean square of the random change at which Descent begins, in normalised pixels
	Start float64 `json:"start,omitzero"`
	Steps int     `json:"steps"` // at most, of each search; 0 means 300, for Descent 500

	// Tolerance ends a search. For GaussNewton it is the norm of the shortest mean of the gradients
	// within 1 % of g (Goldstein's subgradient), relative to the gradient at g = 0, and 0 means
	// 0.001. For Descent it is the relative change of the objective in 20 steps, and 0 means
	// 0.0001.
	Tolerance float64 `json:"tolerance"`
}

// Method names a way to search.
type Method string

// The methods.
const (
	// damped steps with the Jacobian of f, then descent in its metric
	GaussNewton Method = "gauss-newton"
	// gradient descent with momentum, the only method of versions without a choice
	Descent Method = "descent"
)

// IsZero reports whether settings are kept without the method, as they were before there was a
// choice.
func (m Method) IsZero() bool { return m == "" || m == Descent }

// Space names the units of the size of an implicit corruption.
type Space string

// The spaces.
const (
	// pixels divided by the standard deviation of their channel in the data set
	NormalisedSpace Space = "normalised"
	PixelSpace      Space = "pixels" // 0 to 1
)

// Defaults of METHOD.md section 7; the numbers lambda come from the paper's Figure 4.
var defaultLambda = []float64{0.03, 0.1, 0.3}

const (
	defaultSteps     = 300
	defaultTolerance = 1e-3

	defaultRate             = 0.1
	defaultDescentSteps     = 500
	defaultDescentTolerance = 1e-4
)

// WithDefaults returns the settings for a posterior with a number of components, with every zero
// that means a default replaced by it.
func (s Settings) WithDefaults(components int) Settings {
	if len(s.Lambda) == 0 {
		s.Lambda = defaultLambda
	}
	s.Lambda = slices.Clone(s.Lambda)
	s.Images, s.Draws = cmp.Or(s.Images, 1), cmp.Or(s.Draws, components)
	if s.Expected == 0 {
		s.Latents = cmp.Or(s.Latents, network.MeanLatents)
	}
	s.Space = cmp.Or(s.Space, NormalisedSpace)
	s.Method = cmp.Or(s.Method, GaussNewton)
	if s.Method == Descent {
		s.Rate, s.Steps = cmp.Or(s.Rate, defaultRate), cmp.Or(s.Steps, defaultDescentSteps)
		s.Tolerance = cmp.Or(s.Tolerance, defaultDescentTolerance)
	}
	s.Steps, s.Tolerance = cmp.Or(s.Steps, defaultSteps), cmp.Or(s.Tolerance, defaultTolerance)
	return s
}

// Validate checks filled settings for a posterior with a number of components.
func (s Settings) Validate(components int) error {
	for _, lambda := range s.Lambda {
		if !(lambda > 0) || math.IsInf(lambda, 0) {
			return fmt.Errorf("implicit: lambda is %g: give numbers above 0", lambda)
		}
	}
	return cmp.Or(
		check.Range("first image", s.First, "[0,1e9]"),
		check.Range("number of images", s.Images, "[1,1e9]"),
		check.Shared("draws", s.Draws, components),
		s.validateOutput(components),
		check.Known("space", s.Space, NormalisedSpace, PixelSpace),
		check.Known("method", s.Method, GaussNewton, Descent),
		s.validateRate(),
		check.Range("number of steps", s.Steps, "[1,1e9]"),
		check.Range("tolerance", s.Tolerance, "(0,1e38)"),
	)
}

// validateRate checks the rate and the start, which only Descent has.
func (s Settings) validateRate() error {
	if s.Method == Descent {
		return cmp.Or(check.Range("rate", s.Rate, "(0,1e38)"), check.Range("start", s.Start,
			"[0,1e38)"))
	}
	if s.Start != 0 {
		return fmt.Errorf("implicit: start is %g, but the method %q begins without a change: "+
			"leave it out or choose %q", s.Start, s.Method, Descent)
	}
	if s.Rate != 0 {
		return fmt.Errorf("implicit: rate is %g, which the method %q doesn't have: leave it out "+
			"or choose %q", s.Rate, s.Method, Descent)
	}
	return nil
}

// validateOutput checks the definition of f.
func (s Settings) validateOutput(components int) error {
	if s.Expected == 0 {
		return check.Known("latents", s.Latents, network.MeanLatents, network.OneLatents)
	}
	if s.Latents != "" {
		return fmt.Errorf("implicit: f has the latents %q and is the mean of %d draws: leave one "+
			"of the two out", s.Latents, s.Expected)
	}
	return check.Shared("draws whose mean is f", s.Expected, components)
}

// hash identifies the settings that change the corruptions of an image.
func (s Settings) hash() (string, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("implicit: %w", err)
	}
	return records.Short(records.Digest(data)), nil
}

// perImage returns the number of corruptions of each image.
func (s Settings) perImage() int { return s.Draws * len(s.Lambda) }
