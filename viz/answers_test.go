package viz_test

import (
	"math"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/viz"
)

func TestAnswerBarsRefuses(t *testing.T) {
	for _, c := range []struct {
		change func(a *viz.Answers)
		want   string
	}{
		{func(a *viz.Answers) { a.By = nil }, "answers of no classifier"},
		{func(a *viz.Answers) { a.Truth = 10 }, "the true class 10 of 10"},
		{func(a *viz.Answers) { a.By[1].Probabilities = nil }, "γ = 1 gives no probabilities"},
		{func(a *viz.Answers) { a.By[1].Before = []float64{1} }, "γ = 1 gives 1 probabilities for 10 classes"},
		{func(a *viz.Answers) { a.By[0].Probabilities[0] = math.NaN() }, "the probability NaN"},
		{func(a *viz.Answers) { a.Clean = a.Clean[1:] }, "has 3071 bytes, want 3072"},
	} {
		answers := foggyAnswers()
		c.change(&answers)
		if _, err := viz.AnswerBars(answers); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
}
