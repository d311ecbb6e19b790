//go:build js

// Command explorer corrupts images on a page of the site, and lets networks answer about them. It
// gives the page an object workbench:
//
//	names, classes                        the corruptions, and the classes of drawn images
//	check(bytes)                          looks at the header of a picture's file
//	draw(class)                           draws an image
//	corrupt(rgba, width, name, severity)  corrupts an image
//	network(weights)                      a function (rgba, width) that lists the probabilities of the classes
//
// The functions return {width, height, rgba}, the function, or {error}.
package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"syscall/js"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/picture"
	"github.com/nbbnn/workbench/internal/plain"
	"github.com/nbbnn/workbench/internal/shapes10"
)

// most is the number of pixels of a picture that the browser is asked to decode.
const most = 64_000_000

// function returns RGB pixels, [height, width, 3], for the page's arguments.
type function func(given []js.Value) (size corrupt.Size, pixels []uint8, err error)

func main() {
	js.Global().Set("workbench", map[string]any{
		"names":   strings.Join(corrupt.Names()[:19], ","),
		"classes": strings.Join(shapes10.Classes(), ","),
		"check":   js.FuncOf(function(check).call),
		"draw":    js.FuncOf(function(draw).call),
		"corrupt": js.FuncOf(function(corrupted).call),
		"network": js.FuncOf(network),
	})
	select {}
}

// check returns an error for the beginning of a file that is no picture, or too large a one.
func check(given []js.Value) (size corrupt.Size, _ []uint8, err error) {
	header, err := picture.Config(bytesOf(given[0]))
	if err != nil {
		return size, nil, fmt.Errorf("no PNG, JPEG or WebP picture (%w): choose another file", err)
	}
	if header.Width*header.Height > most {
		err = fmt.Errorf("a picture of %dx%d pixels: choose one of at most %d megapixels",
			header.Width, header.Height, most/1_000_000)
	}
	return size, nil, err
}

// draw draws the first test image of a class of Shapes10.
func draw(given []js.Value) (corrupt.Size, []uint8, error) {
	// that many images in a row hold each class once
	labels := make([]uint8, len(shapes10.Classes()))
	size := corrupt.Size{Height: shapes10.Side, Width: shapes10.Side}
	pixels := make([]uint8, len(labels)*size.Values())
	err := shapes10.First.Draw(context.Background(), 0, shapes10.Test, pixels, labels)
	first := slices.Index(labels, uint8(given[0].Int())) * size.Values()
	return size, pixels[first : first+size.Values()], err
}

// corrupted corrupts an image with the parameters of the benchmark whose images have its size;
// severity 0 changes nothing.
func corrupted(given []js.Value) (size corrupt.Size, pixels []uint8, err error) {
	size, pixels = imageOf(given[0], given[1])
	config := corrupt.Config{Corruption: given[2].String(), Severity: given[3].Int(),
		Table: corrupt.ImageNet}
	if side := max(size.Height, size.Width); side <= 32 {
		config.Table = corrupt.CIFAR
	} else if side <= 64 {
		config.Table = corrupt.Tiny
	}
	if config.Severity > 0 {
		pixels, err = corrupt.Apply(context.Background(), config, size, pixels)
	}
	return size, pixels, err
}

// network reads the weights of a network once, and returns the function that asks it about images.
func network(_ js.Value, given []js.Value) any {
	read, err := plain.Read(bytesOf(given[0]))
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return js.FuncOf(func(_ js.Value, given []js.Value) any {
		size, pixels := imageOf(given[0], given[1])
		var probabilities []any
		for _, p := range read.Answer(size.Height, size.Width, pixels) {
			probabilities = append(probabilities, p)
		}
		return probabilities
	})
}

// imageOf returns the RGB pixels of the page's RGBA pixels.
func imageOf(rgba, width js.Value) (size corrupt.Size, pixels []uint8) {
	for pixel := range slices.Chunk(bytesOf(rgba), 4) {
		pixels = append(pixels, pixel[:3]...)
	}
	size.Width = width.Int()
	size.Height = len(pixels) / 3 / size.Width
	return size, pixels
}

func bytesOf(array js.Value) []byte {
	content := make([]byte, array.Length())
	js.CopyBytesToGo(content, array)
	return content
}

// call returns the function's results as an object for the page.
func (f function) call(_ js.Value, given []js.Value) any {
	size, pixels, err := f(given)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	rgba := make([]byte, 0, size.Height*size.Width*4)
	for pixel := range slices.Chunk(pixels, 3) {
		rgba = append(append(rgba, pixel...), 255)
	}
	values := js.Global().Get("Uint8ClampedArray").New(len(rgba))
	js.CopyBytesToJS(values, rgba)
	return map[string]any{"width": size.Width, "height": size.Height, "rgba": values}
}
