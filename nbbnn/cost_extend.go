package nbbnn

// needs is the memory that a step can't do without, in bytes: whatever was measured, an estimate isn't below it.
type needs struct {
	fixed float64 // however many images: weights, their momentum, gradients and the weights after the step
	image float64 // for each image: the outputs of the layers of all its samples, which the gradients look at
}

// leastMemory is what a step of a configuration can't do without.
func leastMemory(config Config, data dataSize) needs {
	const bytes, copies = 4, 4
	a := config.Network.Architecture(data.Classes)
	return needs{fixed: float64(copies * bytes * a.Parameters()), image: float64(bytes * a.Outputs(data.Side) * config.Training.Samples)}
}

// extend lays a line through two trials, the larger first, or from zero through one, and returns the seconds and bytes of a
// step of a batch. Trials are noisy, but it's known that the line doesn't begin below zero and that most of the time, and of
// the memory beyond what is fixed, is in proportion to the images: the line's slope is kept to that.
func extend(trials []trial, batch int, least needs) (seconds, memory float64) {
	first, second := trials[0], trial{}
	if len(trials) > 1 {
		second = trials[1]
	}
	images := float64(first.images)
	apart, more := float64(first.images-second.images), float64(batch-first.images)
	slope := within((first.seconds-second.seconds)/apart, mostly*first.seconds/images, first.seconds/images)
	growth := within((first.memory-second.memory)/apart, mostly*(first.memory-least.fixed)/images, first.memory/images)
	memory = first.memory + more*growth
	return first.seconds + more*slope, max(memory, least.fixed+float64(batch)*least.image)
}

// mostly is the part of a trial that is in proportion to its images, at least.
const mostly = 0.7

// within returns the value of an interval that is nearest to x.
func within(x, lowest, highest float64) float64 { return max(lowest, min(highest, x)) }
