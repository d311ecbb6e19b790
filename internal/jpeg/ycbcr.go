package jpeg

import (
	"bytes"
	"image"
	"image/color"
	stdjpeg "image/jpeg"
)

// DecodeImage decodes a JPEG file of any kind. Chroma that was halved is interpolated as libjpeg
// does; the transform is libjpeg's if Decoder reads the file, else that of the standard library.
func DecodeImage(data []byte) (image.Image, error) {
	config, err := stdjpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var d Decoder
	ours := config.ColorModel == color.YCbCrModel || config.ColorModel == color.GrayModel
	if ours && d.decode(data) == nil {
		bounds, luma := image.Rect(0, 0, d.width, d.height), d.planes[0]
		if len(d.components) == 1 {
			return &image.Gray{Pix: luma.Samples, Stride: luma.Stride, Rect: bounds}, nil
		}
		to := image.NewRGBA(bounds)
		d.join(to.Pix, 4)
		return to, nil
	}
	decoded, err := stdjpeg.Decode(bytes.NewReader(data))
	if planes, ok := decoded.(*image.YCbCr); ok && (planes.YStride+1)/2 <= planes.CStride { // libjpeg repeats smaller chroma, too
		return FromPlanes(planes, false), err
	}
	return decoded, err
}

// FromPlanes puts the channels of a JPEG or a WebP file together.
func FromPlanes(from *image.YCbCr, webp bool) *image.RGBA {
	height, width, ratio := from.Rect.Dy(), from.Rect.Dx(), from.SubsampleRatio
	j := Joiner{
		Across: ratio == image.YCbCrSubsampleRatio422 || ratio == image.YCbCrSubsampleRatio420,
		Down:   ratio == image.YCbCrSubsampleRatio440 || ratio == image.YCbCrSubsampleRatio420,
		WebP:   webp,
	}
	luma := Plane{Height: height, Width: width, Stride: from.YStride, Samples: from.Y}
	blue := Plane{Height: height, Width: width, Stride: from.CStride, Samples: from.Cb}
	if j.Across {
		blue.Width = divided(width, 2)
	}
	if j.Down {
		blue.Height = divided(height, 2)
	}
	red := blue
	red.Samples = from.Cr
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	j.Join(to.Pix, 4, &luma, &blue, &red)
	return to
}
