package corrupt

import "math"

// equaliseHistogram spreads the levels of a grey image evenly over 0..255, in place, as OpenCV's
// equalizeHist does. An image of one level stays as it is.
func equaliseHistogram(grey []uint8) {
	var histogram [256]int
	for _, v := range grey {
		histogram[v]++
	}
	lowest := 0
	for histogram[lowest] == 0 {
		lowest++
	}
	if histogram[lowest] == len(grey) {
		return
	}
	scale := 255 / float32(len(grey)-histogram[lowest])
	var table [256]uint8
	above := 0
	for v := lowest + 1; v < 256; v++ {
		above += histogram[v]
		table[v] = uint8(math.RoundToEven(float64(float32(above) * scale)))
	}
	for i, v := range grey {
		grey[i] = table[v]
	}
}
