package paper

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/nbbnn"
)

func TestValidate(t *testing.T) {
	four := func(setup *Setup) { setup.Config.Posterior.Components = 4 }
	for _, test := range []struct {
		name   string
		figure Figure
		scale  Scale
		want   string
	}{
		{"an unknown scale", Figure03, "smok", `did you mean "smoke"?`},
		{"no scale", Figure03, "", "unknown scale"},
		{"one name twice", Figure03.With(M(0.16)), Smoke, `two methods are called "M16"`},
		{"one seed twice", Figure03.Adjust(func(s *Setup) { s.Seeds = []uint64{1, 1} }), Smoke, "seed 1 appears twice"},
		{"no seeds", Figure03.Adjust(func(s *Setup) { s.Seeds = nil }), Smoke, "0 seeds"},
		{"too many images", Figure03.Adjust(func(s *Setup) { s.Evaluation.Images = 10001 }), Desk, "10001 test images are asked for, the runs have 10000"},
		{"uneven samples", Figure03.Adjust(four).Adjust(func(s *Setup) { s.Evaluation.Samples = 6 }), Smoke, "choose a positive multiple of 4"},
		{"an unknown suite", Figure03.Adjust(func(s *Setup) { s.Evaluation.Suite = "first9" }), Smoke, `did you mean "first8"?`},
		{"an impossible method", Figure03.With(Method{"none", func(c *nbbnn.Config) { c.Training.Epochs = -1 }}), Smoke, "(none)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := Options{Runs: filepath.Join(t.TempDir(), "runs")}
			_, planError := test.figure.Plan(test.scale, options)
			_, openError := test.figure.Open(test.scale, options)
			for _, err := range []error{test.figure.Validate(test.scale), planError, openError} {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("error is %v, want %q", err, test.want)
				}
			}
		})
	}
}
