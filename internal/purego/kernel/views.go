package kernel

// Views are crops of images of a data set, Height by Width pixels of Channels numbers each: crop i
// is of image Chosen[i] with a black border of Padding pixels, begins Down[i] pixels down and
// Across[i] across in it, and is mirrored if Mirror[i] isn't 0.
type Views struct {
	Height, Width, Channels int
	Padding                 int32
	Chosen, Down, Across    []int32
	Mirror                  []int32
}

// Normalised writes the views, [views, Height, Width, Channels], times scale plus shift, both
// [Channels].
func (v Views) Normalised(output []float32, data []uint8, scale, shift []float32) {
	size := v.Height * v.Width * v.Channels
	Parallel(Workers(), len(v.Chosen), func(_, i int) {
		image := data[int(v.Chosen[i])*size:][:size]
		for y := range v.Height {
			row := y + int(v.Down[i]-v.Padding)
			to := output[i*size+y*v.Width*v.Channels:][:v.Width*v.Channels]
			if row < 0 || row >= v.Height {
				v.blacken(to, scale, shift)
				continue
			}
			v.row(i, to, image[row*v.Width*v.Channels:][:v.Width*v.Channels], scale, shift)
		}
	})
}

// row writes one row of a view.
func (v Views) row(i int, output []float32, image []uint8, scale, shift []float32) {
	for x := range v.Width {
		column := x
		if v.Mirror[i] != 0 {
			column = v.Width - 1 - x
		}
		column += int(v.Across[i] - v.Padding)
		pixel := output[x*v.Channels:][:v.Channels]
		if column < 0 || column >= v.Width {
			v.blacken(pixel, scale, shift)
			continue
		}
		for channel := range pixel {
			pixel[channel] = float32(image[column*v.Channels+channel])*scale[channel] + shift[channel]
		}
	}
}

// blacken writes pixels that lie outside the image.
func (v Views) blacken(output, scale, shift []float32) {
	for i := range output {
		output[i] = 0*scale[i%v.Channels] + shift[i%v.Channels]
	}
}
