// Package picture decodes PNG, JPEG and WebP files, recognised by their first bytes, independently
// of registered decoders, to the pixels that libjpeg and libwebp give.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	stdjpeg "image/jpeg"
	"image/png"
	"io"
	"strings"

	"golang.org/x/image/webp"

	"github.com/nbbnn/workbench/internal/jpeg"
)

type decoders struct {
	config func(io.Reader) (image.Config, error)
	decode func([]byte) (image.Image, error)
}

// Kinds are the formats that are read, for errors.
const Kinds = "PNG, JPEG and WebP"

// others are formats recognised by their text at an offset.
var others = []struct {
	at          int
	begin, kind string
}{
	{0, "GIF8", "a GIF"}, {0, "BM", "a BMP"}, {0, "II*\x00", "a TIFF"}, {0, "MM\x00*", "a TIFF"},
	{4, "ftypavi", "an AVIF"}, {4, "ftyphe", "a HEIC"}, {4, "ftypmif1", "a HEIC"},
	{4, "ftypmsf1", "a HEIC"},
}

// find returns the decoders of a file.
func find(data []byte) (decoders, error) {
	text := string(data[:min(len(data), 16)])
	switch {
	case text == "":
		return decoders{}, errors.New("it's empty")
	case strings.HasPrefix(text, pngMagic):
		return decoders{png.DecodeConfig, decodePNG}, nil
	case strings.HasPrefix(text, jpegMagic):
		return decoders{stdjpeg.DecodeConfig, new(jpeg.Decoder).Decode}, nil
	case isWebP(text) && len(data) > 20 && text[12:] == "VP8X" && data[20]&2 > 0:
		return decoders{}, errors.New("it's an animated WebP picture: save one of its frames")
	case isWebP(text):
		return decoders{webp.DecodeConfig, decodeWebP}, nil
	}
	for _, o := range others {
		if len(text) >= o.at && strings.HasPrefix(text[o.at:], o.begin) {
			return decoders{}, fmt.Errorf("it's %s picture, and only %s are read", o.kind, Kinds)
		}
	}
	return decoders{}, fmt.Errorf("it's none of %s: it begins with %q", Kinds, text)
}

// The first bytes of files.
const (
	pngMagic  = "\x89PNG\r\n\x1a\n"
	jpegMagic = "\xff\xd8"
)

func isWebP(data string) bool {
	return len(data) >= 12 && data[:4] == "RIFF" && data[8:12] == "WEBP"
}

// Config returns the size and the colours in the header of a file.
func Config(data []byte) (image.Config, error) {
	of, err := find(data)
	if err != nil {
		return image.Config{}, err
	}
	return of.config(bytes.NewReader(data))
}

// Decode returns the pixels of a file as they are stored. Upright turns them.
func Decode(data []byte) (image.Image, error) {
	of, err := find(data)
	if err != nil {
		return nil, err
	}
	return of.decode(data)
}

// decodeWebP converts the channels of a lossy file as libwebp does.
func decodeWebP(data []byte) (image.Image, error) {
	decoded, err := webp.Decode(bytes.NewReader(data))
	switch p := decoded.(type) {
	case *image.YCbCr:
		return jpeg.FromWebP(p), err
	case *image.NYCbCrA:
		return withAlpha(p), err
	}
	return decoded, err
}

func decodePNG(data []byte) (image.Image, error) { return png.Decode(bytes.NewReader(data)) }

// withAlpha converts a lossy WebP picture with transparency.
func withAlpha(p *image.NYCbCrA) image.Image {
	opaque := jpeg.FromWebP(&p.YCbCr)
	to := &image.NRGBA{Pix: opaque.Pix, Stride: opaque.Stride, Rect: opaque.Rect}
	width := to.Rect.Dx()
	for i := range width * to.Rect.Dy() {
		to.Pix[4*i+3] = p.A[i/width*p.AStride+i%width]
	}
	return to
}

// EightBits returns a picture with values of a byte, rounded if they have 16 bits, whose largest it
// returns then. Transparent pixels are put on white.
func EightBits(from image.Image) (to image.Image, largest int) {
	if o, ok := from.(interface{ Opaque() bool }); ok && !o.Opaque() {
		return onWhite(from)
	}
	var pix, out []uint8
	bounds := from.Bounds().Sub(from.Bounds().Min)
	switch p := from.(type) {
	case *image.Gray16:
		grey := image.NewGray(bounds)
		to, pix, out = grey, p.Pix, grey.Pix
	case *image.RGBA64: // which png.Decode gives for opaque pictures
		colour := image.NewRGBA(bounds)
		to, pix, out = colour, p.Pix, colour.Pix
	case *image.NRGBA64:
		colour := image.NewNRGBA(bounds)
		to, pix, out = colour, p.Pix, colour.Pix
	default:
		return from, 0
	}
	alpha := 4 * (len(out) / (bounds.Dx() * bounds.Dy()) / 4) // values a pixel if the last is alpha
	for i := range out {
		value := int(pix[2*i])<<8 | int(pix[2*i+1])
		out[i] = uint8((value + 128) / 257)
		if alpha == 0 || i%alpha != 3 {
			largest = max(largest, value)
		}
	}
	return to, largest
}

// onWhite is EightBits of a picture with transparent pixels.
func onWhite(from image.Image) (to *image.RGBA, largest int) {
	bounds := from.Bounds()
	to = image.NewRGBA(bounds.Sub(bounds.Min))
	for i := range bounds.Dx() * bounds.Dy() {
		colour := from.At(bounds.Min.X+i%bounds.Dx(), bounds.Min.Y+i/bounds.Dx())
		red, green, blue, alpha := colour.RGBA()
		for k, value := range []uint32{red, green, blue, alpha} {
			to.Pix[4*i+k] = uint8((value + 65535 - alpha + 128) / 257)
		}
		if deep, is := colour.(color.NRGBA64); is {
			largest = max(largest, int(deep.R), int(deep.G), int(deep.B))
		}
	}
	return to, largest
}
