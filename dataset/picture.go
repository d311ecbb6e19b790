package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	stdjpeg "image/jpeg"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/nbbnn/workbench/internal/jpeg"
)

// maxPictureBytes is the size of the largest picture file that is read.
const maxPictureBytes = 1 << 20

// picture is a file and its class.
type picture struct {
	path  string
	label uint8
}

// readPictures decodes JPEG files of one size on all cores. The first that fails ends it.
func readPictures(ctx context.Context, pictures []picture, side int) (Images, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	images := newImages(len(pictures), side, side)
	var next atomic.Int64
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			reader := pictureReader{side: side, decoder: jpeg.Decoder{MaxPixels: side * side}}
			for i := int(next.Add(1)) - 1; i < len(pictures) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := reader.read(pictures[i].path, images.Slice(i, i+1).Pixels); err != nil {
					cancel(err)
				}
				images.Labels[i] = pictures[i].label
			}
		})
	}
	group.Wait()
	if err := context.Cause(ctx); errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Images{}, fmt.Errorf("dataset: reading of pictures stopped: %w", err)
	} else if err != nil {
		return Images{}, err
	}
	return images, nil
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
	picture, err := stdjpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return jpeg.Image{}, err
	}
	return toRGB(picture), nil
}

func toRGB(picture image.Image) jpeg.Image {
	bounds := picture.Bounds()
	out := jpeg.Image{Height: bounds.Dy(), Width: bounds.Dx()}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)
			out.Pixels = append(out.Pixels, c.R, c.G, c.B)
		}
	}
	return out
}
