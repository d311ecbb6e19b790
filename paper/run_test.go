package paper

import (
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui"
)

// Where a figure's runs aren't trained to the end, the error says how far they are and, in a notebook, that the cell above goes on.
func TestEvaluateBeforeTraining(t *testing.T) {
	inNotebook := gonbui.IsNotebook
	t.Cleanup(func() { gonbui.IsNotebook = inNotebook })
	figure := Figure03.Adjust(func(s *Setup) { s.Seeds = FirstSeeds(1) })
	options := Options{Runs: t.TempDir(), Progress: func(Update) {}}
	for _, c := range []struct {
		notebook bool
		want     string
	}{
		{false, "paper: training hasn't begun with M16 seed 1: run the training again to continue; 2 of 2 runs"},
		{true, "paper: training hasn't begun with M16 seed 1: run the cell above to continue; 2 of 2 runs"},
	} {
		gonbui.IsNotebook = c.notebook
		_, err := figure.Evaluate(t.Context(), Smoke, options)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("notebook %v: got %v, want %q", c.notebook, err, c.want)
		}
	}
}
