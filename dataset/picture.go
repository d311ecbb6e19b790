package dataset

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"sync"

	"github.com/nbbnn/workbench/internal/jpeg"
	"github.com/nbbnn/workbench/internal/parallel"
)

// maxPictureBytes is the size of the largest picture file that is read.
const maxPictureBytes = 1 << 20

type picture struct {
	path  string
	label uint8
}

// readPictures decodes JPEG files of one size on all cores. One that fails ends it.
func readPictures(ctx context.Context, pictures []picture, side int) (Images, error) {
	images := newImages(len(pictures), side, side)
	readers := sync.Pool{New: func() any { return newPictureReader(side) }}
	err := parallel.Each(len(pictures), func(i int) error {
		if err := stopped(ctx, "pictures"); err != nil {
			return err
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
	decoder jpeg.Decoder
	buffer  []byte
	canvas  *image.RGBA // of the pictures' size
}

func newPictureReader(side int) *pictureReader {
	return &pictureReader{decoder: jpeg.Decoder{MaxPixels: side * side},
		canvas: image.NewRGBA(image.Rect(0, 0, side, side))}
}

// read decodes a file into pixels, [side, side, 3]. Grey pictures get three equal channels.
func (r *pictureReader) read(path string, pixels []uint8) error {
	var err error
	if r.buffer, err = readAtMost(path, maxPictureBytes, r.buffer); err != nil {
		return fmt.Errorf("dataset: %w: unpack the archive again", err)
	}
	decoded, err := r.decoder.Decode(r.buffer)
	if err != nil {
		return fmt.Errorf("dataset: %s: %w: it's damaged; unpack the archive again", path, err)
	}
	if got, want := decoded.Bounds().Size(), r.canvas.Rect.Size(); got != want {
		return fmt.Errorf("dataset: %s has %dx%d pixels, want %dx%d: it's not of this data set",
			path, got.Y, got.X, want.Y, want.X)
	}
	draw.Draw(r.canvas, r.canvas.Rect, decoded, decoded.Bounds().Min, draw.Src)
	for i := range len(pixels) / channels {
		copy(pixels[channels*i:channels*(i+1)], r.canvas.Pix[4*i:])
	}
	return nil
}
