package viz

import (
	"strings"
	"testing"
)

// Where nobody looks, a panel shows the figure of its starts and ends.
func TestPanelWithoutReader(t *testing.T) {
	kernel := startKernel(t)
	t.Setenv(HeadlessVariable, "1")
	var got []int
	err := Panel(t.Context(), []Slider{{"severity", 1, 5, 3}, {"image", 0, 9, 0}}, func(values []int) (*Figure, error) {
		got = append(got, values...)
		return smallFigure(t, "fog"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0] != 3 || got[1] != 0 {
		t.Errorf("drawn for %v, want [3 0]", got)
	}
	if shown := strings.Join(kernel.taken(), " "); shown != "image/png:106" {
		t.Errorf("the notebook has %q, want one picture", shown)
	}
}

func TestPanelRefusesStart(t *testing.T) {
	err := Panel(t.Context(), []Slider{{"severity", 1, 5, 6}}, nil)
	checkError(t, "start outside", nil, err, `slider "severity" begins at 6, outside of 1 to 5`)
}
