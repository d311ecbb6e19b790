package viz

import (
	"bytes"
	"image/png"
	"testing"
)

// A narrowed range leaves out what lies beyond it: nothing is drawn above the axes.
func TestNarrowedRange(t *testing.T) {
	curve := LevelCurve{
		Name: "M16", Mean: []float64{0.5, 0.8, 1.2, 1.7, 2.4, 3}, Std: []float64{0.1, 0.1, 0.2, 0.2, 0.3, 0.3}, Seeds: 5,
	}
	figure, err := LevelCurves("NLL", []LevelCurve{curve})
	if err != nil {
		t.Fatal(err)
	}
	figure.Plots()[0].Y.Max = 1
	data, err := figure.PNG()
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	bounds := picture.Bounds()
	ink := 0
	for y := bounds.Min.Y; y < bounds.Min.Y+4; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if r, g, b, _ := picture.At(x, y).RGBA(); r != g || g != b {
				ink++
			}
		}
	}
	if ink > 0 {
		t.Errorf("%d coloured pixels above the axes, want none", ink)
	}
}
