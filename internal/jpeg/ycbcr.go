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
	var decoder Decoder
	if config.ColorModel == color.YCbCrModel && decoder.decode(data) == nil {
		return decoder.rgb(), nil
	}
	decoded, err := stdjpeg.Decode(bytes.NewReader(data))
	if planes, ok := decoded.(*image.YCbCr); ok {
		return convert(planes, false), err
	}
	return decoded, err
}

// rgb puts the channels of a decoded file together.
func (d *Decoder) rgb() image.Image {
	luma, blue, red := d.components[0], d.planes[1], d.planes[2]
	return convert(&image.YCbCr{
		Y: luma.plane.samples, Cb: blue.samples, Cr: red.samples, YStride: luma.plane.stride, CStride: blue.stride,
		Rect: image.Rect(0, 0, d.width, d.height),
		SubsampleRatio: map[[2]int]image.YCbCrSubsampleRatio{
			{1, 1}: image.YCbCrSubsampleRatio444, {2, 1}: image.YCbCrSubsampleRatio422,
			{1, 2}: image.YCbCrSubsampleRatio440, {2, 2}: image.YCbCrSubsampleRatio420,
		}[[2]int{luma.across, luma.down}],
	}, false)
}

// WebP converts the channels of a lossy WebP file as libwebp does.
func WebP(from *image.YCbCr) *image.RGBA { return convert(from, true).(*image.RGBA) }

// convert interpolates chroma that was halved, and puts the channels together. Chroma at a quarter,
// which libjpeg repeats, stays.
func convert(from *image.YCbCr, webp bool) image.Image {
	ratio := from.SubsampleRatio
	across := ratio == image.YCbCrSubsampleRatio422 || ratio == image.YCbCrSubsampleRatio420
	down := ratio == image.YCbCrSubsampleRatio440 || ratio == image.YCbCrSubsampleRatio420
	if !across && !down && ratio != image.YCbCrSubsampleRatio444 {
		return from
	}
	height, width := from.Rect.Dy(), from.Rect.Dx()
	chroma := plane{height: height, width: width, stride: from.CStride}
	if across {
		chroma.width = divided(width, 2)
	}
	if down {
		chroma.height = divided(height, 2)
	}
	blue, red := chroma, chroma
	blue.samples, red.samples = from.Cb, from.Cr
	blueRows, redRows := enlarger{webp: webp}, enlarger{webp: webp}
	blueRows.begin(&blue, across, down)
	redRows.begin(&red, across, down)
	put := toRGB
	if webp {
		put = videoToRGB
	}
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		out := to.Pix[y*to.Stride:][:4*width]
		put(out, 4, from.Y[y*from.YStride:], blueRows.row(y), redRows.row(y))
		for x := 3; x < len(out); x += 4 {
			out[x] = 255
		}
	}
	return to
}

// videoToRGB converts one row, whose luma is 16 to 235, with the constants of libwebp, which have
// 14 fractional bits.
func videoToRGB(out []uint8, size int, luma, blue, red []uint8) {
	for x, i := 0, 0; i < len(out); x, i = x+1, i+size {
		y, b, r := 19077*int32(luma[x])>>8, int32(blue[x]), int32(red[x])
		out[i] = clamp((y + 26149*r>>8 - 14234) >> 6)
		out[i+1] = clamp((y - 6419*b>>8 - 13320*r>>8 + 8708) >> 6)
		out[i+2] = clamp((y + 33050*b>>8 - 17685) >> 6)
	}
}
