//go:build unix

package lab

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/nbbnn/workbench/viz"
)

// Where nobody looks, a panel shows the figure of its starts, with frames of its other values unless
// they're large, and ends.
func TestPanelWithoutReader(t *testing.T) {
	kernel := startKernel(t)
	t.Setenv(headlessVariable, "1")
	for _, c := range []struct {
		most  int // severity
		draws int
		want  string
	}{
		{5, 4 * 2, "text/html image/png:106"},
		{1000, 7 * 2, "text/html image/png:106"},
	} {
		draws := [][]int{}
		sliders := []Slider{{Name: "severity", Min: 2, Max: c.most, Value: 3}, {Name: "corruption", Choices: []string{"fog", "snow"}}}
		err := panel(t.Context(), panelLimit, sliders, func(values []int) (*viz.Figure, error) {
			draws = append(draws, values)
			return smallFigure(t, "fog"), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(draws) != c.draws || !slices.Equal(draws[0], []int{3, 0}) {
			t.Errorf("up to %d: drawn for %v, want %d draws, the first of them 3 0", c.most, draws, c.draws)
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
	err := panel(t.Context(), 1, []Slider{{Name: "severity", Max: 5}}, func([]int) (*viz.Figure, error) {
		return smallFigure(t, "fog"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if shown := kernel.taken(); len(shown) < 2 || shown[len(shown)-2] != "image/png:106" || shown[len(shown)-1] != "text/html" {
		t.Errorf("the notebook has %q, want a picture and the disabled controls at the end", shown)
	}
}

func TestPanelRefusesStart(t *testing.T) {
	for _, c := range []struct {
		slider Slider
		want   string
	}{
		{Slider{Name: "severity", Min: 1, Max: 5, Value: 6}, `slider "severity" begins at 6, outside of 1 to 5`},
		{Slider{Name: "corruption", Choices: []string{}}, `slider "corruption" goes from 0 to -1: give it a smaller Min`},
		{Slider{Name: "corruption", Choices: []string{"fog", "snow"}, Value: 2}, `slider "corruption" begins at 2, outside of 0 to 1`},
	} {
		err := panel(t.Context(), panelLimit, []Slider{c.slider}, nil)
		checkError(t, c.slider.Name, err, c.want)
	}
}

// A figure is drawn for the starts and after each change; a move that changes nothing, such as a
// control's first answer, draws nothing, and moves that come together are drawn as one.
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
	if shown := kernel.taken(); len(shown) != 2 {
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
		{Slider{Name: "a < b", Min: 1, Max: 5, Value: 3}, []string{"a &lt; b", ownKeys, `type="range"`, `id="x"`, `min="1"`, `max="5"`, `value="3"`, "disabled", "<output>3</output>"}},
		{Slider{Name: "gamma", Choices: []string{"0", "<4>"}, Value: 1}, []string{`id="x" disabled>`, ownKeys, `<option value="0">0<`, `<option value="1" selected>&lt;4&gt;<`}},
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
	c := newControls([]Slider{{Name: "severity", Max: 5, Value: 3}, {Name: "corruption", Choices: []string{"fog", "snow"}}})
	got := c.html("", "")
	for _, want := range []string{"run the cell to move this", `data-lm-suppress-shortcuts="true"`, `value="3" disabled`} {
		if !strings.Contains(got, want) {
			t.Errorf("controls lack %s:\n%s", want, got)
		}
	}
	if open, closed := strings.Count(got, "<div"), strings.Count(got, "</div>"); open != 1 || closed != 1 {
		t.Errorf("%d divisions are opened, %d closed", open, closed)
	}
}
