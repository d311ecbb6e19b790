// Package picture decodes PNG and JPEG files, recognised by their first bytes, whatever decoders
// other packages have registered.
package picture

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
)

// decoders are those of one format.
type decoders struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
}

// others are formats that are told by their kind: what a file has from an offset.
var others = []struct {
	at          int
	begin, kind string
}{
	{0, "GIF8", "a GIF"}, {0, "BM", "a BMP"}, {0, "II*\x00", "a TIFF"}, {0, "MM\x00*", "a TIFF"}, {8, "WEBP", "a WebP"},
	{4, "ftypavif", "an AVIF"}, {4, "ftyphei", "a HEIC"}, {4, "ftypmif1", "a HEIC"}, {4, "ftypmsf1", "a HEIC"},
}

// find returns the decoders of a file.
func find(data []byte) (decoders, error) {
	text := string(data[:min(len(data), 16)])
	switch {
	case strings.HasPrefix(text, "\x89PNG\r\n\x1a\n"):
		return decoders{png.DecodeConfig, png.Decode}, nil
	case strings.HasPrefix(text, "\xff\xd8"):
		return decoders{jpeg.DecodeConfig, jpeg.Decode}, nil
	}
	for _, o := range others {
		if len(text) >= o.at && strings.HasPrefix(text[o.at:], o.begin) {
			return decoders{}, fmt.Errorf("it's %s picture, and only PNG and JPEG are read", o.kind)
		}
	}
	return decoders{}, fmt.Errorf("it's neither PNG nor JPEG: it begins with %q", text)
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
	return of.decode(bytes.NewReader(data))
}
