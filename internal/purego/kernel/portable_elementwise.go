package kernel

// portableElementwise returns an operation on rows of a number of vectors of eight, with one row
// for all or one number on the right.
func portableElementwise(row func(output, left, right []float32), byNumber func(output, left []float32, right float32)) elementwisePass {
	return elementwisePass{
		rows: func(output, left, right *float32, vectors, rows int) {
			length := vectors * rowLanes
			for i := range rows {
				at := uintptr(i * length * numberBytes)
				row(numbersAt(output, at, length), numbersAt(left, at, length), numbersAt(right, 0, length))
			}
		},
		scalar: func(output, left *float32, right float32, vectors int) {
			byNumber(numbersAt(output, 0, vectors*rowLanes), numbersAt(left, 0, vectors*rowLanes), right)
		},
	}
}

func multiplyNumbers(output, left, right []float32) {
	left, right = left[:len(output)], right[:len(output)]
	for i := range output {
		output[i] = left[i] * right[i]
	}
}

func multiplyByNumber(output, left []float32, right float32) {
	left = left[:len(output)]
	for i := range output {
		output[i] = left[i] * right
	}
}

func addNumbers(output, left, right []float32) {
	left, right = left[:len(output)], right[:len(output)]
	for i := range output {
		output[i] = left[i] + right[i]
	}
}

func addNumber(output, left []float32, right float32) {
	left = left[:len(output)]
	for i := range output {
		output[i] = left[i] + right
	}
}

func maximumOfNumbers(output, left, right []float32) {
	left, right = left[:len(output)], right[:len(output)]
	for i := range output {
		output[i] = max(left[i], right[i])
	}
}

func maximumWithNumber(output, left []float32, right float32) {
	left = left[:len(output)]
	for i := range output {
		output[i] = max(left[i], right)
	}
}

// portableScaleRectify writes max(input scale, 0) for rows of a number of vectors of eight; scale
// is the same row for all.
func portableScaleRectify(output, input, scale *float32, vectors, rows int) {
	length := vectors * rowLanes
	scales := numbersAt(scale, 0, length)
	for row := range rows {
		at := uintptr(row * length * numberBytes)
		to, from := numbersAt(output, at, length), numbersAt(input, at, length)
		for i, value := range scales {
			to[i] = max(from[i]*value, 0)
		}
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
