package viz

import (
	"bytes"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// Every pixel of an image is a block of exactly its colour in the PNG.
func TestImagesKeepTheirPixels(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, size := range []struct{ height, width int }{{32, 32}, {64, 64}, {5, 7}, {3, 200}} {
		pixels := make([]uint8, size.height*size.width*3)
		for i := range pixels {
			pixels[i] = uint8(rng.IntN(256))
		}
		grid := ImageGrid{Rows: []string{"a row"}, Columns: []string{"a column"},
			Height: size.height, Width: size.width, Pixels: [][][]uint8{{pixels}}}
		figure := testkit.Must(CorruptionGrid(grid))(t)
		checkPixels(t, figure, newGridLayout(grid), grid)
	}
}

// A sheet of images one pixel wide is no higher than one of squares.
func TestSheetOfNarrowImagesIsBounded(t *testing.T) {
	grid := ImageGrid{Height: 224, Width: 1}
	for range 20 {
		grid.Pixels = append(grid.Pixels, [][]uint8{make([]uint8, 3*224)})
	}
	figure := testkit.Must(CorruptionSheet(grid))(t)
	if width, height := figure.Size(); height > 20*sheetTall {
		t.Errorf("the sheet has %g x %g, want a height of %d at most", width, height, 20*sheetTall)
	}
}

// checkPixels compares the first image of a grid with its place in the PNG.
func checkPixels(t *testing.T, figure *Figure, layout gridLayout, grid ImageGrid) {
	t.Helper()
	data := testkit.Must(figure.Encode("png"))(t)
	picture := testkit.Must(png.Decode(bytes.NewReader(data)))(t)
	bounds := layout.images[0][0].Bounds()
	times := bounds.Dx() / grid.Width
	left := int((layout.left+(layout.pitch-imageGap-layout.cell.X)/2)/pixel + 0.5)
	top := int(layout.top/pixel + 0.5)
	for y := range bounds.Dy() {
		for x := range bounds.Dx() {
			rgb := grid.Pixels[0][0][3*(y/times*grid.Width+x/times):]
			want := color.NRGBA{R: rgb[0], G: rgb[1], B: rgb[2], A: 0xff}
			if got := color.NRGBAModel.Convert(picture.At(left+x, top+y)); got != want {
				t.Fatalf("%d x %d image: pixel %d, %d of the PNG is %v, want %v", grid.Height,
					grid.Width, x, y, got, want)
			}
		}
	}
}
