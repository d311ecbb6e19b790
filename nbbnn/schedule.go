package nbbnn

// Milestones of the learning rate of theta, as fractions of the epochs, and the factor at the end (METHOD.md section 4).
const (
	decayStart  = 0.5
	decayEnd    = 0.9
	decayFactor = 0.01
)

// LearningRateFactor is what the learning rate of the deterministic parameters is multiplied by in an epoch, counted from 0:
// one for the first half, then linearly down to a hundredth at nine tenths of the epochs (METHOD.md section 4).
func LearningRateFactor(epoch, epochs int) float64 {
	t := float64(epoch) / float64(epochs)
	switch {
	case t <= decayStart:
		return 1
	case t <= decayEnd:
		return 1 - (1-decayFactor)*(t-decayStart)/(decayEnd-decayStart)
	default:
		return decayFactor
	}
}

// Beta is the annealing coefficient of the regulariser in an epoch, counted from 0: it rises linearly from zero to one at
// epoch rampEpochs; a ramp of no epochs is one throughout (METHOD.md section 4).
func Beta(epoch, rampEpochs int) float64 {
	if rampEpochs <= 0 {
		return 1
	}
	return min(1, float64(epoch)/float64(rampEpochs))
}
