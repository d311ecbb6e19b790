package lab

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/viz"
)

// Steps lead through the start and stay between the ends.
func TestCoarse(t *testing.T) {
	for _, c := range []struct {
		sliders []Slider
		want    string // least, largest value and step of each
	}{
		{[]Slider{{Max: 60, Value: 20}, {Min: 4, Max: 40, Value: 16}, {Min: 1, Max: 31, Value: 16}}, "0 60 20, 4 40 12, 6 26 10"},
		{[]Slider{{Min: 1, Max: 50, Value: 15}, {Max: 2, Value: 2}}, "1 50 7, 0 2 1"},
		{slices.Repeat([]Slider{{Max: 9, Value: 4}}, 7), "0 9 0" + strings.Repeat(", 0 9 0", 6)},
		{[]Slider{{Min: 3, Max: 3, Value: 3}, {Choices: make([]string, 30), Value: 7}}, "3 3 1, 0 29 0"},
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
	if svg := testkit.Must(figure.SVG())(t); got["7 1"] != string(svg) {
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
		t.Errorf("%d bytes of frames after %d draws, error %v: want none after one", len(encoded), draws, err)
	}
	for _, sliders := range [][]Slider{{{Choices: make([]string, 71)}}, coarse(slices.Repeat([]Slider{{Max: 1}}, 7))} {
		if encoded, err := drawFrames(sliders, nil); encoded != "" || err != nil {
			t.Errorf("%d bytes of more than 70 frames, error %v: want none", len(encoded), err)
		}
	}
}
