package viz

import (
	"bytes"
	"image/color"
	"image/png"
	"math/rand/v2"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestGridsThatCannotBeDrawn(t *testing.T) {
	image := make([]uint8, 12)
	for _, test := range []struct {
		name string
		grid ImageGrid
		want string
	}{
		{"no size", ImageGrid{Pixels: [][][]uint8{{image}}}, "0 x 0 pixels"},
		{"no image", ImageGrid{Height: 2, Width: 2}, "without images"},
		{"no column", ImageGrid{Height: 2, Width: 2, Pixels: [][][]uint8{{}}}, "without images"},
		{"row captions", ImageGrid{Height: 2, Width: 2, Rows: []string{"a", "b"}, Pixels: [][][]uint8{{image}}}, "1 rows has 2 row captions"},
		{"corner without columns", ImageGrid{Height: 2, Width: 2, Corner: "severity", Pixels: [][][]uint8{{image}}}, `"severity": give the captions`},
		{"column captions", ImageGrid{Height: 2, Width: 2, Columns: []string{}, Pixels: [][][]uint8{{image}}}, "1 columns has 0 column captions"},
		{"ragged", ImageGrid{Height: 2, Width: 2, Pixels: [][][]uint8{{image, image}, {image}}}, "row 1 of the grid has 1 images and row 0 has 2"},
		{"short image", ImageGrid{Height: 2, Width: 2, Pixels: [][][]uint8{{image[:11]}}}, "11 bytes, want 12"},
	} {
		figure, err := CorruptionGrid(test.grid)
		checkError(t, test.name, figure, err, test.want)
	}
}

// Every pixel of an image is a block of exactly its colour in the PNG.
func TestImagesKeepTheirPixels(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, size := range []struct{ height, width int }{{32, 32}, {64, 64}, {5, 7}, {3, 200}} {
		pixels := make([]uint8, size.height*size.width*3)
		for i := range pixels {
			pixels[i] = uint8(rng.IntN(256))
		}
		grid := ImageGrid{Rows: []string{"a row"}, Columns: []string{"a column"}, Height: size.height, Width: size.width, Pixels: [][][]uint8{{pixels}}}
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
	data := testkit.Must(figure.PNG())(t)
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
				t.Fatalf("%d x %d image: pixel %d, %d of the PNG is %v, want %v", grid.Height, grid.Width, x, y, got, want)
			}
		}
	}
}
