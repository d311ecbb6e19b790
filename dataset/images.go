package dataset

// channels of a pixel: red, green and blue.
const channels = 3

// Images is a batch of labelled colour images of one size.
type Images struct {
	Height, Width int     // of each image, in pixels
	Pixels        []uint8 // [count, height, width, 3], RGB
	Labels        []uint8 // [count], indices of classes
}

// newImages returns count black images with label 0.
func newImages(count, height, width int) Images {
	return Images{
		Height: height,
		Width:  width,
		Pixels: make([]uint8, count*height*width*channels),
		Labels: make([]uint8, count),
	}
}

// Count returns the number of images.
func (i Images) Count() int { return len(i.Labels) }

// Slice returns the images from index from up to, not including, index to. They share memory with
// i.
func (i Images) Slice(from, to int) Images {
	size := i.Height * i.Width * channels
	i.Pixels = i.Pixels[from*size : to*size : to*size]
	i.Labels = i.Labels[from:to:to]
	return i
}
