package nbbnn

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/internal/check"
)

// Implicit says which implicit corruptions are sought: for test images x, draws Z of the latents and numbers lambda, the
// change g of the image that minimises
//
//	1/2 |f_Z(x) - f(x + g)|^2 + lambda/2 |g|^2
//
// where f_Z are the logits under the draw and f those without noise (METHOD.md section 7): what has to be added to the image to
// have the effect of the draw. The search begins at g = 0 and is gradient descent with momentum.
type Implicit struct {
	First  int       `json:"-"`      // the first of the test images, counted from 0
	Images int       `json:"-"`      // test images from there on; 0 means 1
	Draws  int       `json:"draws"`  // Z of each image, shared equally by the components; 0 means one of each
	Lambda []float64 `json:"lambda"` // weights of the change, above 0; none means 0.03, 0.1 and 0.3
	Seed   uint64    `json:"seed"`   // of the draws, which are the same for every lambda

	Latents  Latents `json:"latents"`  // of f; "" means MeanLatents
	Expected int     `json:"expected"` // draws, the same throughout, whose mean logits are f in place of fixed latents, shared equally by the components; 0 means none
	Space    Space   `json:"space"`    // in which g is measured; "" means NormalisedSpace

	Rate      float64 `json:"rate"`      // of the first step; it finds its size by itself; 0 means 0.1
	Steps     int     `json:"steps"`     // at most; 0 means 500
	Tolerance float64 `json:"tolerance"` // relative change of the objective in 20 steps at which a search ends; 0 means 0.0001
}

// Space says in which units the size of an implicit corruption is measured.
type Space string

// The spaces.
const (
	NormalisedSpace Space = "normalised" // as the network sees pixels: divided by the standard deviation of their channel in the data set
	PixelSpace      Space = "pixels"     // 0 to 1
)

// Defaults of METHOD.md section 7; the numbers lambda are those of the paper's Figure 4.
var defaultLambda = []float64{0.03, 0.1, 0.3}

const (
	defaultImplicitRate      = 0.1
	defaultImplicitSteps     = 500
	defaultImplicitTolerance = 1e-4
)

// WithDefaults returns the settings with every zero that means a default replaced by it, for a posterior with so many components.
func (i Implicit) WithDefaults(components int) Implicit {
	if len(i.Lambda) == 0 {
		i.Lambda = defaultLambda
	}
	i.Lambda = slices.Clone(i.Lambda)
	i.Images, i.Draws = cmp.Or(i.Images, 1), cmp.Or(i.Draws, components)
	if i.Expected == 0 {
		i.Latents = cmp.Or(i.Latents, MeanLatents)
	}
	i.Space = cmp.Or(i.Space, NormalisedSpace)
	i.Rate, i.Steps = cmp.Or(i.Rate, defaultImplicitRate), cmp.Or(i.Steps, defaultImplicitSteps)
	i.Tolerance = cmp.Or(i.Tolerance, defaultImplicitTolerance)
	return i
}

// Validate checks filled settings for a posterior with so many components.
func (i Implicit) Validate(components int) error {
	for _, lambda := range i.Lambda {
		if !(lambda > 0) || math.IsInf(lambda, 0) {
			return fmt.Errorf("nbbnn: lambda is %g: give numbers above 0", lambda)
		}
	}
	return check.First(
		check.NotNegative("first image", float64(i.First)),
		check.AtLeastOne("number of images", i.Images),
		shared("draws", i.Draws, components),
		i.validateOutput(components),
		check.Known("space", i.Space, NormalisedSpace, PixelSpace),
		check.Positive("rate", i.Rate),
		check.AtLeastOne("number of steps", i.Steps),
		check.Positive("tolerance", i.Tolerance),
	)
}

// validateOutput checks what f is.
func (i Implicit) validateOutput(components int) error {
	if i.Expected == 0 {
		return check.Known("latents", i.Latents, MeanLatents, OneLatents)
	}
	if i.Latents != "" {
		return fmt.Errorf("nbbnn: f has the latents %q and is the mean of %d draws: leave one of the two out", i.Latents, i.Expected)
	}
	return shared("draws whose mean is f", i.Expected, components)
}

// shared checks that every component gets as many draws.
func shared(what string, count, components int) error {
	if count < 1 || count%components != 0 {
		return fmt.Errorf("nbbnn: %d %s can't be shared equally by %d components: choose a positive multiple of %d", count, what, components, components)
	}
	return nil
}

// hash tells settings that give other corruptions of an image apart.
func (i Implicit) hash() (string, error) {
	data, err := json.Marshal(i)
	if err != nil {
		return "", fmt.Errorf("nbbnn: %w", err)
	}
	return digest(data)[:hashLength], nil
}

// problems is how many corruptions of each image are sought.
func (i Implicit) problems() int { return i.Draws * len(i.Lambda) }
