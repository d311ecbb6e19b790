package viz

import (
	"bytes"
	"image/png"
	"slices"
	"strings"
	"testing"
)

// A heading stands above the figure, which keeps its size below it, and a long one is broken
// between words: the edges stay white.
func TestHeaded(t *testing.T) {
	figure := levelFigure(t, "M16")
	width, high := figure.Size()
	headed := figure.Headed("Wider noise lowers the NLL", "M32 - M16 at level 5: -0.31 nats", "three seeds")
	want := high + (margin + headingLine + 2*subtitleLine + headingBottom).Points()
	if w, h := headed.Size(); w != width || h != want {
		t.Errorf("the figure is %g x %g points, want %g x %g", w, h, width, want)
	}
	svg, err := headed.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{">Wider noise lowers the NLL<", ">three seeds<", ">M16<"} {
		if !strings.Contains(string(svg), text) {
			t.Errorf("the figure lacks %q", text)
		}
	}
	data, err := figure.Headed(strings.Repeat("wide noise and ", 9), strings.Repeat("M32 and M16 ", 12)).PNG()
	if err != nil {
		t.Fatal(err)
	}
	checkWhiteEdges(t, data)
}

// checkWhiteEdges checks that nothing touches the left and the right edge of a picture.
func checkWhiteEdges(t *testing.T, data []byte) {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	bounds := picture.Bounds()
	for y := range bounds.Dy() {
		for _, x := range []int{0, bounds.Dx() - 1} {
			if r, g, b, _ := picture.At(x, y).RGBA(); min(r, g, b) < 0xffff {
				t.Fatalf("pixel %d, %d at the edge is not white", x, y)
			}
		}
	}
}

func TestHalvesBreakBetweenWords(t *testing.T) {
	for text, want := range map[string][]string{
		"one temperature a run, fitted to held-out clean images": {"one temperature a run, fitted", "to held-out clean images"},
		"word": {"word", ""},
	} {
		if got := halves(text); !slices.Equal(got, want) {
			t.Errorf("the halves of %q are %q, want %q", text, got, want)
		}
	}
}
