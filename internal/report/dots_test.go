package report

import (
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

func TestDotRows(t *testing.T) {
	nll := testkit.Must(score.MetricByName("NLL"))(t)
	rows := testkit.Must(seriesOf(twoMethods(t), nll, shifts...))(t)
	for i, want := range [][3]float64{{0.6, 0.8, 1.05}, {0.4, 0.6, 0.85}} {
		for panel, mean := range want {
			testkit.Near(t, "NLL of "+rows[i].Name+" in panel "+shifts[panel].name,
				rows[i].Mean[panel], mean, 1e-12)
		}
	}
	testkit.Near(t, "severe NLL of the second seed of M16", rows[0].Each[1][2], 1.15, 1e-12)
	testkit.Near(t, "its standard deviation", rows[0].Std[2], 0.1414213562373095, 1e-12)
}

// The best under severe corruption is the first, whichever direction is better.
func TestDotsBeginWithTheBest(t *testing.T) {
	nll := testkit.Must(score.MetricByName("NLL"))(t)
	rows := testkit.Must(seriesOf(twoMethods(t), nll, shifts...))(t)
	if order := bestFirst(rows, nll); !slices.Equal(order, []int{1, 0}) {
		t.Errorf("the order by NLL is %d, want M32 first", order)
	}
	nll.HigherIsBetter = true
	if order := bestFirst(rows, nll); !slices.Equal(order, []int{0, 1}) {
		t.Errorf("the order is %d where more is better, want M16 first", order)
	}
}

func TestDots(t *testing.T) {
	c := twoMethods(t)
	c.Baseline = "M16"
	figure := testkit.Must(Dots(c))(t)
	if plots := figure.Plots(); len(plots) != 6 || plots[0].X.Label.Text != "NLL (nats)" ||
		plots[3].X.Label.Text != "error (%)" {
		t.Errorf("%d panels, want three of the NLL and three of the error", len(plots))
	}
	c.Baseline = "M64"
	_, err := Dots(c)
	testkit.Error(t, `"M64"`, err, `"M64"`)
}
