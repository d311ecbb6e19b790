package corrupt

import (
	"fmt"
	"io"

	"github.com/nbbnn/workbench/internal/picture"
)

// Limits on a picture that Decode reads: its pixels in all, the bytes of its file, and the pixels
// of a byte.
const (
	maxPicturePixels = 1 << 25
	maxPictureBytes  = 1 << 28
	maxPixelsPerByte = 1 << 13
)

// Decode reads a PNG, JPEG or WebP picture as RGB bytes [height, width, 3]: grey becomes three
// equal channels, 16 bits are rounded to 8, transparent pixels are put on white, a photo is turned
// upright as its EXIF or XMP data say. A file that claims more pixels than its bytes can hold is
// refused before memory is allocated.
func Decode(r io.Reader) (Size, []uint8, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxPictureBytes+1))
	if err != nil {
		return Size{}, nil, fmt.Errorf("corrupt: %w", err)
	}
	header, err := picture.Config(data)
	if err != nil {
		return Size{}, nil, fmt.Errorf("corrupt: %w: give a sound picture", err)
	}
	size := Size{header.Height, header.Width}
	switch {
	case len(data) > maxPictureBytes:
		return Size{}, nil, fmt.Errorf("corrupt: picture of more than %d bytes: give a smaller one",
			maxPictureBytes)
	case size.Height < 1 || size.Width < 1 || size.Height > maxSide || size.Width > maxSide ||
		size.Height*size.Width > maxPicturePixels:
		return Size{}, nil, fmt.Errorf("corrupt: picture of %v pixels: want 1 to %d a side and "+
			"at most %d in all", size, maxSide, maxPicturePixels)
	case size.Height*size.Width > maxPixelsPerByte*len(data):
		return Size{}, nil, fmt.Errorf("corrupt: picture claims %v pixels in %d bytes: the file "+
			"is damaged, replace it", size, len(data))
	}
	decoded, err := picture.Decode(data)
	if err != nil {
		return Size{}, nil, fmt.Errorf("corrupt: %w: the file is damaged, replace it", err)
	}
	decoded, _ = picture.EightBits(decoded)
	opaque := opaqueTexture(decoded)
	pixels, height, width := picture.OrientationOf(data).Upright(opaque.pixels, opaque.height,
		opaque.width, 3)
	return Size{height, width}, pixels, nil
}

// Shrink returns an image, RGB bytes [height, width, 3], at a size whose longer side is at most the
// given number of pixels, averaged over boxes. A smaller image stays unchanged.
func Shrink(size Size, pixels []uint8, side int) (Size, []uint8, error) {
	if len(pixels) != size.Values() || side < 1 || size.Height < 1 || size.Width < 1 {
		return Size{}, nil, fmt.Errorf("corrupt: %d bytes of a %v image to shrink to %d pixels: "+
			"want %d bytes and at least 1 pixel",
			len(pixels), size, side, size.Values())
	}
	longer := max(size.Height, size.Width)
	if longer <= side {
		return size, pixels, nil
	}
	small := Size{max(1, size.Height*side/longer), max(1, size.Width*side/longer)}
	out := make([]uint8, small.Values())
	newBoxResize(size, small).resize(pixels, out)
	return small, out, nil
}
