package nbbnn

import (
	"encoding/json"
	"fmt"
)

// LatentScale multiplies the standard deviations of all latents in a prediction. Its zero value
// leaves them as they were trained.
type LatentScale struct {
	scaled bool
	factor float64
}

// maxLatentScale is far beyond any scale at which a network still predicts.
const maxLatentScale = 100

// ScaleLatents returns the scale of a factor c. A factor of 0 predicts with the means of the
// components alone, and 1 is the zero LatentScale.
func ScaleLatents(c float64) LatentScale {
	if c == 1 {
		return LatentScale{}
	}
	return LatentScale{true, c}
}

// Factor returns c.
func (s LatentScale) Factor() float64 {
	if !s.scaled {
		return 1
	}
	return s.factor
}

// check returns an error for a factor that isn't from 0 to 100.
func (s LatentScale) check() error {
	if c := s.Factor(); !(c >= 0 && c <= maxLatentScale) {
		return fmt.Errorf("nbbnn: the standard deviations of the latents are multiplied by %g: give a factor from 0 to %d", c, maxLatentScale)
	}
	return nil
}

// MarshalJSON writes c.
func (s LatentScale) MarshalJSON() ([]byte, error) { return json.Marshal(s.Factor()) }

// UnmarshalJSON reads c.
func (s *LatentScale) UnmarshalJSON(data []byte) error {
	var c float64
	if err := json.Unmarshal(data, &c); err != nil {
		return fmt.Errorf("nbbnn: a scale of the latents isn't a number: %w", err)
	}
	*s = ScaleLatents(c)
	return nil
}
