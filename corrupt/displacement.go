package corrupt

import "math"

// displace writes the image [height, width, 3] with each pixel taken from its own position plus
// (down, right), in pixels: bilinear in double precision, with a border mirrored about the edge
// (CORRUPT.md 4, elastic_transform step 4).
func displace(out, image []float32, size Size, down, right []float32) {
	for y := range size.Height {
		for x := range size.Width {
			i := y*size.Width + x
			rows := symmetricNeighbours(float64(y)+float64(down[i]), size.Height)
			columns := symmetricNeighbours(float64(x)+float64(right[i]), size.Width)
			mixPixel((*[3]float32)(out[3*i:]), image, size.Width, rows, columns)
		}
	}
}

// neighbours are two positions along an axis and their weights.
type neighbours struct {
	first, second int
	weights       [2]float64
}

// symmetricNeighbours returns what lies around a coordinate.
func symmetricNeighbours(coordinate float64, length int) neighbours {
	if coordinate >= 0 && coordinate < float64(length-1) {
		first := int(coordinate)
		fraction := coordinate - float64(first)
		return neighbours{first, first + 1, [2]float64{1 - fraction, fraction}}
	}
	coordinate = foldSymmetric(coordinate, float64(length))
	whole := math.Floor(coordinate)
	fraction, first := coordinate-whole, int(whole)
	return neighbours{
		symmetricBorder(first, length), symmetricBorder(first+1, length),
		[2]float64{1 - fraction, fraction},
	}
}

// foldSymmetric brings a coordinate into -1..length, where at most one neighbour lies outside.
func foldSymmetric(coordinate, length float64) float64 {
	period := 2 * length
	switch {
	case coordinate < 0:
		coordinate += float64(period * math.Trunc(-coordinate/period))
		if coordinate < -length {
			return coordinate + period
		}
		return -coordinate - 1
	case coordinate > length-1:
		coordinate -= float64(period * math.Trunc(coordinate/period))
		if coordinate >= length {
			return period - coordinate - 1
		}
	}
	return coordinate
}

// mixPixel adds the four neighbours row by row, each times its row's and then its column's weight.
func mixPixel(pixel *[3]float32, image []float32, width int, rows, columns neighbours) {
	at := func(row, column int) *[3]float32 { return (*[3]float32)(image[3*(row*width+column):]) }
	topLeft, topRight := at(rows.first, columns.first), at(rows.first, columns.second)
	bottomLeft, bottomRight := at(rows.second, columns.first), at(rows.second, columns.second)
	top, bottom := rows.weights[0], rows.weights[1]
	left, right := columns.weights[0], columns.weights[1]
	for channel := range pixel {
		sum := float64(float64(topLeft[channel]) * top * left)
		sum += float64(float64(topRight[channel]) * top * right)
		sum += float64(float64(bottomLeft[channel]) * bottom * left)
		pixel[channel] = float32(sum + float64(float64(bottomRight[channel])*bottom*right))
	}
}
