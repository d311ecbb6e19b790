package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/image/draw"
	"golang.org/x/sync/semaphore"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/parallel"
	"github.com/nbbnn/workbench/internal/picture"
	"github.com/nbbnn/workbench/internal/quantity"
)

// Limits of a picture, which bound the memory that decoding takes.
const (
	maxFileBytes  = 64 << 20
	maxPixels     = 64 << 20
	maxPixelBytes = 8 + 4   // red, green, blue and alpha of 16 bits, and a copy of 8
	maxDecoding   = 1 << 30 // bytes of all pictures that are decoded at once
	largeDecoding = 1 << 28 // bytes of a picture that are given back before the next
)

// photo is a picture whose size is known. It is decoded when it is needed.
type photo struct {
	size        image.Point // upright
	orientation picture.Orientation
	image       image.Image // nil before it is decoded
	data        []byte      // of the file
}

// openPicture reads a file and the size in its header.
func openPicture(path string) (photo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return photo{}, err
	}
	if !info.Mode().IsRegular() {
		return photo{}, errors.New("it's no regular file")
	}
	if info.Size() > maxFileBytes {
		return photo{}, fmt.Errorf("it has %d bytes, at most %d are read", info.Size(),
			maxFileBytes)
	}
	data, err := files.ReadFile(path)
	if err != nil {
		return photo{}, err
	}
	config, err := picture.Config(data)
	if err != nil {
		return photo{}, err
	}
	if config.Width < 1 || config.Height < 1 || config.Width*config.Height > maxPixels {
		return photo{}, fmt.Errorf("it has %dx%d pixels, at most %d are read", config.Height,
			config.Width, maxPixels)
	}
	p := photo{size: image.Pt(config.Width, config.Height),
		orientation: picture.OrientationOf(data), data: data}
	if p.orientation.Swapped() {
		p.size = image.Pt(config.Height, config.Width)
	}
	return p, nil
}

// decoded returns the pixels of the picture as they are stored.
func (p photo) decoded() (image.Image, error) {
	if p.image != nil {
		return p.image, nil
	}
	return picture.Decode(p.data)
}

// decoder decodes pictures to images of one size, and counts what it converts.
type decoder struct {
	Options        // Height and Width are 0 until findSize
	keepsSize bool // of the pictures
	skipped   int  // files of other kinds
	total     int  // pictures of both parts
	folder    string
	memory    *semaphore.Weighted // maxDecoding, of pictures that are being decoded

	done    int // pictures so far
	broken  []error
	traits  map[string][]string // conversions and suspicions, with the names of the pictures
	deepest int                 // the largest value of pictures with 16 bits
}

type decoded struct {
	traits  []string
	deepest int   // as in decoder
	broken  error // of a damaged picture
	err     error // ends the work
}

// findSize takes the size of the first picture that can be read if none was given.
func (d *decoder) findSize(items []item) error {
	for _, item := range items {
		if d.Height != 0 {
			return nil
		}
		first, err := item.load()
		if err != nil {
			continue // decode keeps the error
		}
		d.Height, d.Width = first.size.Y, first.size.X
		if err := check.Size(d.Height, d.Width); err != nil {
			return fmt.Errorf("folder: %s: %w", item.name, err)
		}
	}
	return nil
}

// decode decodes pictures on all cores and returns the readable ones. A different size ends it.
func (d *decoder) decode(ctx context.Context, items []item) (dataset.Images, []item, error) {
	size := d.Height * d.Width * 3
	images := dataset.Images{
		Height: d.Height, Width: d.Width, Pixels: make([]uint8, len(items)*size),
		Labels: make([]uint8, len(items)),
	}
	var kept []item
	err := parallel.InOrder(len(items), func(i int) decoded {
		if err := ctx.Err(); err != nil {
			return decoded{err: stopped(err)}
		}
		return d.decodeItem(ctx, items[i], images.Pixels[i*size:(i+1)*size])
	}, func(i int, result decoded) error {
		if d.done++; d.Progress != nil {
			d.Progress(dataset.Reading, d.folder, int64(d.done), int64(d.total))
		}
		if result.broken != nil {
			d.broken = append(d.broken, fmt.Errorf("%s: %w", items[i].name, result.broken))
			return nil
		}
		for _, trait := range result.traits {
			d.traits[trait] = append(d.traits[trait], items[i].name)
		}
		d.deepest = max(d.deepest, result.deepest)
		copy(images.Pixels[len(kept)*size:][:size], images.Pixels[i*size:])
		images.Labels[len(kept)] = items[i].label
		kept = append(kept, items[i])
		return result.err
	})
	if err != nil {
		return dataset.Images{}, nil, err
	}
	images.Pixels, images.Labels = images.Pixels[:len(kept)*size], images.Labels[:len(kept)]
	return images, kept, nil
}

func stopped(err error) error { return fmt.Errorf("folder: stopped reading pictures: %w", err) }

// checkBroken refuses unreadable files, unless they are to be left out, and a set with more files
// left out than read.
func (d *decoder) checkBroken() error {
	slices.SortFunc(d.broken, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	left, read := d.skipped+len(d.broken), d.total-len(d.broken)
	switch {
	case len(d.broken) == 1 && !d.SkipBroken:
		return fmt.Errorf("folder: %w: replace the file, remove it, or leave it out with "+
			"`--skip-broken`", d.broken[0])
	case len(d.broken) > 0 && !d.SkipBroken:
		return fmt.Errorf("folder: %d of %d pictures can't be read: replace these files, remove "+
			"them, or leave them out with `--skip-broken`\n%w",
			len(d.broken), d.total, errors.Join(d.broken...))
	case left > read:
		return fmt.Errorf("folder: only %s could be read, and %d would be left out: convert "+
			"these to PNG, or replace broken files", quantity.Count(read, "picture"), left)
	}
	return nil
}

// decodeItem converts a picture when there is memory for it.
func (d *decoder) decodeItem(ctx context.Context, i item, pixels []uint8) (result decoded) {
	p, err := i.load()
	if err != nil {
		return decoded{broken: err}
	}
	if d.keepsSize && p.size != image.Pt(d.Width, d.Height) {
		return decoded{err: fmt.Errorf("folder: %s has %dx%d pixels, the first picture has "+
			"%[4]dx%[5]d: `--size %[4]dx%[5]d` crops and scales all of them",
			i.name, p.size.Y, p.size.X, d.Height, d.Width)}
	}
	memory := int64(p.size.X) * int64(p.size.Y) * maxPixelBytes
	if err := d.memory.Acquire(ctx, memory); err != nil {
		return decoded{err: stopped(err)}
	}
	defer d.memory.Release(memory)
	result = d.convert(p, pixels)
	if memory > largeDecoding {
		debug.FreeOSMemory() // otherwise it is garbage for a while
	}
	return result
}

// convert writes a picture to pixels, [height, width, 3].
func (d *decoder) convert(p photo, pixels []uint8) (result decoded) {
	stored, err := p.decoded()
	if err != nil {
		return decoded{broken: err}
	}
	result.traits = d.traitsOf(p.size, stored)
	eight, deepest := picture.EightBits(stored)
	result.deepest = deepest
	cut := d.crop(eight, p.orientation)
	values := cut.Pix
	if bytes.Equal(values[4:], values[:len(values)-4]) {
		result.traits = append(result.traits, "are blank: all pixels have one colour")
	}
	if p.orientation > 1 {
		result.traits = append(result.traits, "are turned upright, as their EXIF or XMP data say")
		values, _, _ = p.orientation.Upright(values, cut.Rect.Dy(), cut.Rect.Dx(), 4)
	}
	for k := range d.Height * d.Width {
		copy(pixels[3*k:3*k+3], values[4*k:])
	}
	return result
}

// crop crops a stored picture to its largest central part of the images' shape and scales that to
// their size. Half a pixel goes to the left and to the top of the upright picture.
func (d *decoder) crop(from image.Image, o picture.Orientation) *image.RGBA {
	size := image.Pt(d.Width, d.Height)
	if o.Swapped() {
		size = image.Pt(d.Height, d.Width)
	}
	to, bounds := image.NewRGBA(image.Rectangle{Max: size}), from.Bounds()
	all := bounds.Size()
	part := image.Pt(min(all.X, max(1, all.Y*size.X/size.Y)),
		min(all.Y, max(1, all.X*size.Y/size.X)))
	left := all.Sub(part)
	corner := bounds.Min.Add(left.Div(2))
	mirrorX, mirrorY := o.Mirrored()
	if mirrorX {
		corner.X += left.X % 2
	}
	if mirrorY {
		corner.Y += left.Y % 2
	}
	if part == size {
		draw.Draw(to, to.Rect, from, corner, draw.Src)
		return to
	}
	crop := image.Rectangle{Min: corner, Max: corner.Add(part)}
	draw.CatmullRom.Scale(to, to.Rect, from, crop, draw.Src, nil)
	return to
}

// traitsOf describes what converting a stored picture to three 8-bit channels changes.
func (d *decoder) traitsOf(size image.Point, stored image.Image) (traits []string) {
	if size.X < d.Width || size.Y < d.Height {
		traits = append(traits, fmt.Sprintf("are smaller than %dx%d pixels: enlarged", d.Height,
			d.Width))
	}
	switch stored.ColorModel() {
	case color.GrayModel, color.Gray16Model:
		traits = append(traits, "are grey: red, green and blue are equal")
	case color.CMYKModel:
		traits = append(traits, "are CMYK: converted to red, green and blue")
	}
	switch stored.ColorModel() {
	case color.Gray16Model, color.RGBA64Model, color.NRGBA64Model:
		traits = append(traits, "have 16 bits a channel: rounded to 8")
	}
	if o, ok := stored.(interface{ Opaque() bool }); ok && !o.Opaque() {
		traits = append(traits, "are transparent: put on white")
	}
	return traits
}

// notes counts the pictures by kind of conversion or suspicion.
func (d *decoder) notes(data *dataset.Dataset) (notes []string) {
	for _, text := range slices.Sorted(maps.Keys(d.traits)) {
		note, names := fmt.Sprintf("%d of %d pictures %s", len(d.traits[text]), d.total, text),
			d.traits[text]
		if len(names) < d.total {
			note += " (" + quantity.List(names, mostListed) + ")"
		}
		notes = append(notes, note)
	}
	if len(d.broken) > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d pictures are left out, which can't be read: %v",
			len(d.broken), d.total,
			strings.ReplaceAll(errors.Join(d.broken...).Error(), "\n", "; ")))
	}
	return append(notes, d.dark(data)...)
}

// dark notes pictures that use a quarter of the values at most.
func (d *decoder) dark(data *dataset.Dataset) []string {
	const cure = "so they are nearly black: scale their values to 0 to %d, unless they are so"
	if d.deepest > 0 && d.deepest < 1<<14 {
		return []string{fmt.Sprintf("the largest value of the pictures with 16 bits is %d of "+
			"65535, "+cure, d.deepest, 65535)}
	}
	if data.Train.Count() == 0 || data.Test.Count() == 0 {
		return nil // which dataset.Add refuses
	}
	if most := max(slices.Max(data.Train.Pixels), slices.Max(data.Test.Pixels)); most < 64 {
		return []string{fmt.Sprintf("the largest value of all pictures is %d of 255, "+cure, most,
			255)}
	}
	return nil
}
