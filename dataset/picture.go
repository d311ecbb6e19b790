package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	stdjpeg "image/jpeg"
	"slices"
	"sync"

	"github.com/nbbnn/workbench/internal/jpeg"
	"github.com/nbbnn/workbench/internal/parallel"
)

// maxPictureBytes is the size of the largest picture file that is read.
const maxPictureBytes = 1 << 20

// picture is a file and its class.
type picture struct {
	path  string
	label uint8
}

// readPictures decodes JPEG files of one size on all cores. One that fails ends it.
func readPictures(ctx context.Context, pictures []picture, side int) (Images, error) {
	images := newImages(len(pictures), side, side)
	readers := sync.Pool{New: func() any { return &pictureReader{side: side, decoder: jpeg.Decoder{MaxPixels: side * side}} }}
	err := parallel.Each(len(pictures), func(i int) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("dataset: reading of pictures stopped: %w", err)
		}
		reader := readers.Get().(*pictureReader)
		defer readers.Put(reader)
		images.Labels[i] = pictures[i].label
		return reader.read(pictures[i].path, images.Slice(i, i+1).Pixels)
	})
	return images, err
}

// pictureReader reads the pictures of one worker, and keeps its buffers between them: garbage for
// 110,000 pictures would double the memory that they take.
type pictureReader struct {
	side    int
	decoder jpeg.Decoder
	buffer  []byte
}

// read decodes a file into pixels, [side, side, 3]. Grey pictures get three equal channels.
func (r *pictureReader) read(path string, pixels []uint8) error {
	var err error
	if r.buffer, err = readAtMost(path, maxPictureBytes, r.buffer); err != nil {
		return fmt.Errorf("dataset: %w: unpack the archive again", err)
	}
	decoded, err := r.decoder.Decode(r.buffer)
	if errors.Is(err, jpeg.ErrUnsupported) {
		decoded, err = decodeOtherwise(r.buffer, r.side*r.side)
	}
	if err != nil {
		return fmt.Errorf("dataset: %s: %w: it's damaged; unpack the archive again", path, err)
	}
	if decoded.Height != r.side || decoded.Width != r.side {
		return fmt.Errorf("dataset: %s has %dx%d pixels, want %dx%d: it's not of this data set", path, decoded.Height, decoded.Width, r.side, r.side)
	}
	copy(pixels, decoded.Pixels)
	return nil
}

// decodeOtherwise reads the kinds of JPEG that internal/jpeg doesn't, such as progressive ones,
// with the standard library. Before it takes memory it refuses pictures of more pixels than
// allowed.
func decodeOtherwise(data []byte, maxPixels int) (jpeg.Image, error) {
	config, err := stdjpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return jpeg.Image{}, err
	}
	if config.Height*config.Width > maxPixels {
		return jpeg.Image{}, fmt.Errorf("a picture of %dx%d has more than the %d pixels that are allowed", config.Height, config.Width, maxPixels)
	}
	picture, err := jpeg.DecodeImage(data)
	if err != nil {
		return jpeg.Image{}, err
	}
	bounds := picture.Bounds()
	opaque := image.NewNRGBA(bounds)
	draw.Draw(opaque, bounds, picture, bounds.Min, draw.Src)
	out := jpeg.Image{Height: bounds.Dy(), Width: bounds.Dx()}
	for pixel := range slices.Chunk(opaque.Pix, 4) {
		out.Pixels = append(out.Pixels, pixel[:3]...)
	}
	return out, nil
}
