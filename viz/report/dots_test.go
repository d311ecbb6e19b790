package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

func TestDotRows(t *testing.T) {
	nll := testkit.Must(score.MetricByName("NLL"))(t)
	rows := testkit.Must(dotRows(twoMethods(t), nll))(t)
	for i, want := range [][3]float64{{0.6, 0.8, 1.05}, {0.4, 0.6, 0.85}} {
		for panel, mean := range want {
			closeTo(t, "NLL of "+rows[i].Name+" in panel "+shifts[panel].name, rows[i].Mean[panel], mean, 1e-12)
		}
	}
	closeTo(t, "severe NLL of the second seed of M16", rows[0].Each[1][2], 1.15, 1e-12)
	closeTo(t, "its standard deviation", rows[0].Std[2], 0.1414213562373095, 1e-12)
}

// The best under severe corruption is the first, whichever direction is better.
func TestDotsBeginWithTheBest(t *testing.T) {
	nll := testkit.Must(score.MetricByName("NLL"))(t)
	rows := testkit.Must(dotRows(twoMethods(t), nll))(t)
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
	if plots := figure.Plots(); len(plots) != 6 || plots[0].X.Label.Text != "NLL (nats)" || plots[3].X.Label.Text != "error (%)" {
		t.Errorf("%d panels, want three of the NLL and three of the error", len(plots))
	}
	c.Baseline = "M64"
	if _, err := Dots(c); err == nil || !strings.Contains(err.Error(), `"M64"`) {
		t.Errorf("the error is %v, want one that names the missing baseline", err)
	}
}
