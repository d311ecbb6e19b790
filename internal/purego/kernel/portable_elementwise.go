package kernel

// portableElementwise returns an operation on rows of a number of vectors of eight, with one row
// for all on the right.
func portableElementwise(row func(output, left, right []float32)) elementwiseRows {
	return func(output, left, right *float32, vectors, rows int) {
		length := vectors * rowLanes
		for i := range rows {
			at := uintptr(i * length * numberBytes)
			row(numbersAt(output, at, length), numbersAt(left, at, length), numbersAt(right, 0, length))
		}
	}
}

func multiplyNumbers(output, left, right []float32) {
	left, right = left[:len(output)], right[:len(output)]
	for i := range output {
		output[i] = left[i] * right[i]
	}
}

func addNumbers(output, left, right []float32) {
	left, right = left[:len(output)], right[:len(output)]
	for i := range output {
		output[i] = left[i] + right[i]
	}
}

func maximumOfNumbers(output, left, right []float32) {
	left, right = left[:len(output)], right[:len(output)]
	for i := range output {
		output[i] = max(left[i], right[i])
	}
}

// portableDescend moves parameter and momentum by one step down the gradient, for a number of
// vectors of eight. settings are the learning rate, the momentum's factor and the weight decay.
func portableDescend(parameter, momentum, gradient, settings *float32, vectors int) {
	length := vectors * rowLanes
	weights, speeds, slopes := numbersAt(parameter, 0, length), numbersAt(momentum, 0, length), numbersAt(gradient, 0, length)
	s := numbersAt(settings, 0, 3)
	rate, factor, decay := s[0], s[1], s[2]
	for i := range weights {
		slope := slopes[i] + decay*weights[i]
		speed := factor*speeds[i] + slope
		speeds[i] = speed
		weights[i] -= rate * (slope + factor*speed)
	}
}
