package progress

import "time"

// Clock estimates how long the rest of a phase takes. Its zero value is ready to use.
type Clock struct {
	now   func() time.Time // nil means time.Now
	phase string
	start time.Time // of the first update of the phase
	begun float64   // fraction that was done then
	last  float64   // fraction of the latest update
}

// Remaining returns the estimate for the rest of the update's phase, or 0 if there is none yet. It
// assumes that the rest goes as fast as what was done since the first update, and starts again when
// a new phase or new work begins.
func (c *Clock) Remaining(u Update) time.Duration {
	now, fraction := time.Now(), u.Fraction()
	if c.now != nil {
		now = c.now()
	}
	if c.start.IsZero() || u.Phase != c.phase || fraction < c.last {
		c.phase, c.start, c.begun = u.Phase, now, fraction
	}
	c.last = fraction
	if fraction <= c.begun {
		return 0
	}
	perFraction := float64(now.Sub(c.start)) / (fraction - c.begun)
	return time.Duration(perFraction * (1 - fraction))
}
