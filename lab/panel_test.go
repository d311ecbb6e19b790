//go:build unix

package lab

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/viz"
)

// Where nobody looks, a panel shows the figure of its starts, with frames of its other values
// unless they're large, and ends.
func TestPanelWithoutReader(t *testing.T) {
	kernel := startKernel(t)
	t.Setenv(headlessVariable, "1")
	for _, c := range []struct {
		most  int // severity
		draws int
		want  string
	}{
		{5, 1 + 4*2, "text/html image/png:106"},
		{1000, 1 + 7*2, "text/html image/png:106"},
	} {
		draws := [][]int{}
		sliders := []Slider{{Name: "severity", Min: 2, Max: c.most, Value: 3},
			{Name: "corruption", Choices: []string{"fog", "snow"}}}
		err := panel(t.Context(), panelLimit, sliders, func(values []int) (*viz.Figure, error) {
			draws = append(draws, values)
			return smallFigure(t, "fog"), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(draws) != c.draws || !slices.Equal(draws[0], []int{3, 0}) {
			t.Errorf("up to %d: drawn for %v, want %d draws, the first of them 3 0", c.most, draws,
				c.draws)
		}
		if shown := strings.Join(kernel.taken(), " "); shown != c.want {
			t.Errorf("up to %d: the notebook has %q, want %q", c.most, shown, c.want)
		}
	}
}

// Where the page doesn't answer, a panel shows the figure of its starts after its controls, and
// ends.
func TestPanelWithoutAnswer(t *testing.T) {
	kernel := startKernel(t)
	t.Setenv(headlessVariable, "")
	err := panel(t.Context(), 1, []Slider{{Name: "severity", Max: 5}},
		func([]int) (*viz.Figure, error) {
			return smallFigure(t, "fog"), nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if shown := kernel.taken(); len(shown) < 2 || shown[len(shown)-2] != "image/png:106" ||
		shown[len(shown)-1] != "text/html" {
		t.Errorf("the notebook has %q, want a picture and the disabled controls at the end", shown)
	}
}

func TestPanelRefusesStart(t *testing.T) {
	for _, c := range []struct {
		slider Slider
		want   string
	}{
		{Slider{Name: "severity", Min: 1, Max: 5, Value: 6},
			`slider "severity" begins at 6, outside of 1 to 5`},
		{Slider{Name: "corruption", Choices: []string{}},
			`slider "corruption" goes from 0 to -1: give it a smaller Min`},
		{Slider{Name: "corruption", Choices: []string{"fog", "snow"}, Value: 2},
			`slider "corruption" begins at 2, outside of 0 to 1`},
	} {
		err := panel(t.Context(), panelLimit, []Slider{c.slider}, nil)
		checkError(t, c.slider.Name, err, c.want)
	}
}

// A figure is drawn for the starts and after each change. A move that changes nothing, as a
// control's first answer, draws nothing. Moves that come together are drawn as one.
func TestFollow(t *testing.T) {
	kernel := startKernel(t)
	ctx, cancel := context.WithCancel(t.Context())
	moves := make(chan move, 8)
	steps := [][]move{{{0, 2}, {0, 3}, {1, 1}}, {{1, 1}, {1, 4}}}
	var got []string
	err := follow(ctx, []int{1, 0}, moves, func(values []int) (*viz.Figure, error) {
		got = append(got, fmt.Sprint(values))
		if len(steps) == 0 {
			cancel()
			return nil, ctx.Err()
		}
		for _, m := range steps[0] {
			moves <- m
		}
		steps = steps[1:]
		return smallFigure(t, "fog"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	gonbui.Sync()
	if shown := strings.Join(kernel.taken(), ", "); shown != "text/html, text/html" {
		t.Errorf("the notebook has %q, want two updates", shown)
	}
	if want := []string{"[1 0]", "[3 1]", "[3 4]"}; !slices.Equal(got, want) {
		t.Errorf("drawn for %v, want %v", got, want)
	}
}

func TestSliderHTML(t *testing.T) {
	for _, c := range []struct {
		slider Slider
		want   []string
	}{
		{Slider{Name: "a < b", Min: 1, Max: 5, Value: 3}, []string{"a &lt; b", ownKeys,
			`type="range"`, `id="x"`, `min="1"`, `max="5"`, `value="3"`, "disabled",
			"<output>3</output>"}},
		{Slider{Name: "gamma", Choices: []string{"0", "<4>"}, Value: 1},
			[]string{`id="x" disabled>`, ownKeys, `<option value="0">0<`,
				`<option value="1" selected>&lt;4&gt;<`}},
	} {
		got := c.slider.html("x")
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: got %s, want %s in it", c.slider.Name, got, want)
			}
		}
	}
}

// The controls of a saved notebook are disabled, say how to move them, and have the values of the
// end.
func TestControlsHTML(t *testing.T) {
	c := newControls([]Slider{{Name: "severity", Max: 5, Value: 3},
		{Name: "corruption", Choices: []string{"fog", "snow"}}})
	got := c.html("", "")
	for _, want := range []string{"run the cell to move this", `data-lm-suppress-shortcuts="true"`,
		`value="3" disabled`} {
		if !strings.Contains(got, want) {
			t.Errorf("controls lack %s:\n%s", want, got)
		}
	}
	if open, closed := strings.Count(got, "<div"), strings.Count(got, "</div>"); open != 1 ||
		closed != 1 {
		t.Errorf("%d divisions are opened, %d closed", open, closed)
	}
}

// Steps lead through the start and stay between the ends.
func TestCoarse(t *testing.T) {
	for _, c := range []struct {
		sliders []Slider
		want    string // least, largest value and step of each
	}{
		{[]Slider{{Max: 60, Value: 20}, {Min: 4, Max: 40, Value: 16}, {Min: 1, Max: 31, Value: 16}},
			"0 60 20, 4 40 12, 6 26 10"},
		{[]Slider{{Min: 1, Max: 50, Value: 15}, {Max: 2, Value: 2}}, "1 50 7, 0 2 1"},
		{slices.Repeat([]Slider{{Max: 9, Value: 4}}, 7), "0 9 0" + strings.Repeat(", 0 9 0", 6)},
		{[]Slider{{Min: 3, Max: 3, Value: 3}, {Choices: make([]string, 30), Value: 7}},
			"3 3 1, 0 29 0"},
	} {
		var got []string
		for _, s := range coarse(c.sliders) {
			low, high := s.ends()
			got = append(got, fmt.Sprint(low, high, s.step))
		}
		if joined := strings.Join(got, ", "); joined != c.want {
			t.Errorf("%v becomes %s, want %s", c.sliders, joined, c.want)
		}
	}
}

// There is a frame of each combination of values, and it's the figure that is drawn for them.
func TestFrames(t *testing.T) {
	sliders := []Slider{{Min: 1, Max: 7, step: 3, Value: 4}, {Choices: []string{"fog", "snow"}}}
	draw := func(values []int) (*viz.Figure, error) { return smallFigure(t, joined(values)), nil }
	encoded := testkit.Must(drawFrames(sliders, draw))(t)
	packed := testkit.Must(base64.StdEncoding.DecodeString(encoded))(t)
	reader := testkit.Must(gzip.NewReader(bytes.NewReader(packed)))(t)
	var got frames
	testkit.NoError(t, json.NewDecoder(reader).Decode(&got))
	want := []string{"1 0", "1 1", "4 0", "4 1", "7 0", "7 1"}
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
		t.Errorf("frames of %q, want %q", names, want)
	}
	figure := testkit.Must(draw([]int{7, 1}))(t)
	if svg := testkit.Must(figure.Encode("svg"))(t); got["7 1"] != string(svg) {
		t.Errorf("the frame of 7 1 is %.200s", got["7 1"])
	}
}

// Frames that would make the notebook large aren't drawn, nor are more than 70.
func TestLeftOutFrames(t *testing.T) {
	draws, noise := 0, make([]uint8, 3*100*100)
	for i := range noise {
		noise[i] = uint8(rand.IntN(256))
	}
	encoded, err := drawFrames([]Slider{{Max: 9, step: 1}}, func([]int) (*viz.Figure, error) {
		draws++
		return viz.Images(viz.Gallery{Height: 100, Width: 100, Pixels: [][]uint8{noise}})
	})
	if encoded != "" || draws != 1 || err != nil {
		t.Errorf("%d bytes of frames after %d draws, error %v: want none after one", len(encoded),
			draws, err)
	}
	for _, sliders := range [][]Slider{{{Choices: make([]string, 71)}},
		coarse(slices.Repeat([]Slider{{Max: 1}}, 7))} {
		if encoded, err := drawFrames(sliders, nil); encoded != "" || err != nil {
			t.Errorf("%d bytes of more than 70 frames, error %v: want none", len(encoded), err)
		}
	}
}
