package trial

import "github.com/nbbnn/workbench/nbbnn/network"

// needs is a lower bound of a step's memory in bytes; an estimate is never below it.
type needs struct {
	fixed float64 // for any number of images: weights, their momentum, gradients and the weights after the step
	image float64 // for each image: the outputs of the layers of all its samples, which the gradients look at
}

// leastMemory returns the lower bound of the memory of a step.
func leastMemory(settings network.Settings, data Data) needs {
	const bytes, copies = 4, 4
	a := settings.Network.Architecture(data.Classes)
	return needs{fixed: float64(copies * bytes * a.Parameters()), image: float64(bytes * a.Outputs(data.Side) * settings.Training.Samples)}
}

// extend fits a line through two trials, the larger first, or from zero through one, and returns the seconds
// and bytes of a step of a batch. Trials are noisy, but the line doesn't begin below zero, and most of the time
// and of the memory beyond the fixed part is in proportion to the images: the slope is limited to that.
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
