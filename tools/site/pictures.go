package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"slices"
)

const (
	largePicture = 100_000 // bytes
	mostFitting  = 520     // pixels on a screen: a phone shows it whole, with type of 11 pixels
	seen         = 12      // least difference of a channel of 255 that is seen
	mostSeen     = 200     // one pixel in 200 may differ by as much
)

// withPalette returns a PNG with 256 of its colours. A picture that would look different, and
// anything else, stays unchanged.
func withPalette(content []byte) []byte {
	decoded, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		return content
	}
	whole := image.NewRGBA(decoded.Bounds())
	draw.Draw(whole, whole.Rect, decoded, whole.Rect.Min, draw.Src)
	pixels, counts := make([]uint32, len(whole.Pix)/4), map[uint32]int{}
	for i := range pixels {
		pixels[i] = binary.BigEndian.Uint32(whole.Pix[4*i:])
	}
	for x := 0; x < len(pixels); { // in runs, of which charts have long ones
		start := x
		for ; x < len(pixels) && pixels[x] == pixels[start]; x++ {
		}
		counts[pixels[start]] += x - start
	}
	palette := representatives(counts)
	places, differing := map[uint32]uint8{}, 0
	for pixel, count := range counts {
		c := colourOf(pixel)
		place := palette.Index(c)
		places[pixel] = uint8(place)
		if differs(c, palette[place].(color.RGBA)) {
			differing += count
		}
	}
	small := image.NewPaletted(whole.Rect, palette)
	for i, pixel := range pixels {
		if i > 0 && pixel == pixels[i-1] {
			small.Pix[i] = small.Pix[i-1]
		} else {
			small.Pix[i] = places[pixel]
		}
	}
	var file bytes.Buffer
	if differing*mostSeen > len(pixels) || png.Encode(&file, small) != nil {
		return content
	}
	return file.Bytes()
}

// reach returns the class of a picture of a width on the screen: a phone scrolls a wide one.
func reach(width int) string {
	if width > mostFitting {
		return "wide"
	}
	return "fitting"
}

func colourOf(pixel uint32) color.RGBA {
	return color.RGBA{uint8(pixel >> 24), uint8(pixel >> 16), uint8(pixel >> 8), uint8(pixel)}
}

// differs reports whether a channel of two colours differs as much as one sees.
func differs(a, b color.RGBA) bool {
	apart := func(x, y uint8) bool { return max(x, y)-min(x, y) >= seen }
	return apart(a.R, b.R) || apart(a.G, b.G) || apart(a.B, b.B) || apart(a.A, b.A)
}

// representatives returns at most 256 colours: of the groups of like colours with the most pixels,
// the most frequent one.
func representatives(counts map[uint32]int) (chosen color.Palette) {
	first, total := map[uint32]uint32{}, map[uint32]int{}
	for _, pixel := range slices.Sorted(maps.Keys(counts)) {
		group := pixel & 0xf0f0f0f0
		if best, found := first[group]; !found || counts[pixel] > counts[best] {
			first[group] = pixel
		}
		total[group] += counts[pixel]
	}
	groups := slices.SortedFunc(maps.Keys(first), func(a, b uint32) int {
		return cmp.Or(total[b]-total[a], cmp.Compare(a, b))
	})
	for _, group := range groups[:min(256, len(groups))] {
		chosen = append(chosen, colourOf(first[group]))
	}
	return chosen
}
