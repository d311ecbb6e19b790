// Package schedule holds the fall of the learning rate that all trainings have.
package schedule

// Milestones of the learning rate, as fractions of the epochs (METHOD.md section 4).
const (
	decayStart = 0.5
	decayEnd   = 0.9
)

// Factor returns the factor of the learning rate of theta in an epoch, counted from 0:
// one for the first half, then linearly down to the last one, of the paper a hundredth, at nine
// tenths of the epochs (METHOD.md section 4).
func Factor(epoch, epochs int, last float64) float64 {
	t := float64(epoch) / float64(epochs)
	switch {
	case t <= decayStart:
		return 1
	case t <= decayEnd:
		return 1 - (1-last)*(t-decayStart)/(decayEnd-decayStart)
	default:
		return last
	}
}
