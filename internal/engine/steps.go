package engine

// Bounds on the number of training steps of one call on a device, where each call costs a round
// trip: few enough for about a second, enough to make the round trip small.
const (
	fewestAtOnce = 8
	mostAtOnce   = 64
)

// StepsPerCall returns how many steps a call takes on a device in a training with the given number
// of steps in an epoch: a number within the bounds that divides the steps of an epoch, so that one
// compiled graph suffices, or if there's none, half the upper bound.
func StepsPerCall(steps int) int {
	for count := min(steps, mostAtOnce); count >= fewestAtOnce; count-- {
		if steps%count == 0 {
			return count
		}
	}
	return min(steps, mostAtOnce/2)
}
