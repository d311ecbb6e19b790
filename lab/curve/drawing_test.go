package curve

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var regen = flag.Bool("regen", false, "write the drawing of a node-BNN again")

// The drawing in README, in docs/method.md and in lessons is the one of this code.
func TestDrawing(t *testing.T) {
	path, want := filepath.Join("..", "..", "docs", "images", "node-bnn.svg"), drawing()
	if *regen {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s isn't what the code draws: run the test with -regen and look at it (%v)", path,
			err)
	}
}

const (
	blue, grey, ink = "#0067a8", "#8a8f98", "#1a1a1a"
	half            = 380 // width of either network
)

// sketch is an SVG that is written element by element.
type sketch struct{ strings.Builder }

func (s *sketch) add(format string, values ...any) { fmt.Fprintf(s, format+"\n", values...) }

// drawing shows a network with a bell curve on each of its weights, and one with a bell curve on
// each of its nodes.
func drawing() string {
	shape := twoLayers(4)
	var s sketch
	s.add(
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d 320" width="%[1]d" height="320" font-family="sans-serif" font-size="15">`, 2*half)
	s.add(
		`<title>Random weights and random nodes</title><rect width="%d" height="320" fill="#fff"/>`,
		2*half)
	weights, nodes := shape.weights()-shape.nodes(), shape.nodes() // biases have no line
	s.network(shape, 0, true, fmt.Sprintf("random weights: %d draws", weights),
		"w ~ N(m, τ²) on each line")
	s.network(shape, half, false, fmt.Sprintf("node-BNN: %d draws", nodes),
		"h = (W f + b) · s,  s ~ N(μ, σ²) at each node")
	s.add("</svg>")
	return s.String()
}

// network draws lines, nodes, and the bells of either.
func (s *sketch) network(shape shape, left int, onLines bool, title, below string) {
	line, bell := grey, blue
	s.add(`<text x="%d" y="26" text-anchor="middle" font-weight="bold" fill="%s">%s</text>`,
		left+half/2, ink, title)
	for l := range len(shape) - 1 {
		for i := range shape[l] {
			for j := range shape[l+1] {
				x1, y1 := place(shape, left, l, i)
				x2, y2 := place(shape, left, l+1, j)
				s.add(`<path d="M%d %dL%d %d" stroke="%s" stroke-width="1.2"/>`, x1, y1, x2, y2,
					line)
				if share := 0.36 + 0.09*float64(i%4); onLines {
					s.bell(float64(x1)+share*float64(x2-x1), float64(y1)+share*float64(y2-y1), 6,
						bell)
				}
			}
		}
	}
	for l, count := range shape {
		for i := range count {
			x, y := place(shape, left, l, i)
			s.add(`<circle cx="%d" cy="%d" r="16" fill="#fff" stroke="%s" stroke-width="2"/>`, x, y,
				ink)
			switch {
			case l == 0:
				s.add(`<text x="%d" y="%d" text-anchor="middle" fill="%s">x</text>`, x, y+5, ink)
			case !onLines:
				s.bell(float64(x), float64(y)+6, 11, bell)
			}
		}
	}
	s.add(`<text x="%d" y="304" text-anchor="middle" fill="%s">%s</text>`, left+half/2, blue, below)
}

// place returns the centre of a node.
func place(shape shape, left, layer, node int) (x, y int) {
	return left + half/2 + 100*layer - 150, 160 + 62*node - 31*(shape[layer]-1)
}

// bell draws a bell curve of a half width, whose foot stands at a place.
func (s *sketch) bell(x, y, w float64, colour string) {
	s.add(`<path d="M%.1f %.1fc%.1f 0 %.1f %.1f %.1f %.1fs%.1f %.1f %.1f %.1fz" fill="%s"/>`,
		x-w, y, w/2, w/2, -1.3*w, w, -1.3*w, w/2, 1.3*w, w, 1.3*w, colour)
}
