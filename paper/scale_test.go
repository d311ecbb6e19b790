package paper

import (
	"strings"
	"testing"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/nbbnn"
)

func TestScales(t *testing.T) {
	for _, scale := range Scales() {
		t.Run(string(scale), func(t *testing.T) {
			setup := Figure03.Setup(scale)
			if len(setup.Seeds) < 2 {
				t.Errorf("%d seeds, want at least 2 for a standard deviation", len(setup.Seeds))
			}
			for _, method := range Figure03.Methods {
				if err := setup.config(method, setup.Seeds[0]).Validate(); err != nil {
					t.Error(err)
				}
			}
			if _, err := corrupt.SuiteByName(setup.Evaluation.Suite); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestFullScaleIsThePaper compares the full scale with the specification of the paper's runs (METHOD.md sections 4 and 6).
func TestFullScaleIsThePaper(t *testing.T) {
	setup := Figure03.Setup(Full)
	if len(setup.Seeds) != 25 {
		t.Errorf("%d seeds, want 25", len(setup.Seeds))
	}
	if got := setup.Evaluation.Suite; got != "all19" {
		t.Errorf("the suite is %s, want all19", got)
	}
	for i, std := range []float64{0.16, 0.32} {
		want := nbbnn.PaperAllCNNC(std)
		want.Seed = 7
		if got := setup.config(Figure03.Methods[i], 7); got != want {
			t.Errorf("configuration is %+v, want %+v", got, want)
		}
	}
}

func TestParseScale(t *testing.T) {
	for _, scale := range Scales() {
		if got, err := ParseScale(string(scale)); got != scale || err != nil {
			t.Errorf("ParseScale(%q) is %q, %v", scale, got, err)
		}
	}
	_, err := ParseScale("smok")
	if err == nil || !strings.Contains(err.Error(), `did you mean "smoke"?`) {
		t.Errorf("error is %v, want the nearest name", err)
	}
}

func TestByNumber(t *testing.T) {
	if figure, err := ByNumber(3); err != nil || figure.Name() != "figure-03" {
		t.Errorf("figure 3 is %q, %v", figure.Name(), err)
	}
	if _, err := ByNumber(5); err == nil || !strings.Contains(err.Error(), "there are the figures 3, 4") {
		t.Errorf("error is %v, want one that names those that can be made", err)
	}
}

func TestWithAndAdjust(t *testing.T) {
	changed := Figure03.With(M(0.64)).Adjust(func(s *Setup) { s.Config.Training.Epochs = 1 })
	if got := len(changed.Methods); got != 3 {
		t.Errorf("%d methods, want 3", got)
	}
	if got := changed.Setup(Smoke).Config.Training.Epochs; got != 1 {
		t.Errorf("%d epochs, want 1", got)
	}
	if len(Figure03.Methods) != 2 || Figure03.Setup(Smoke).Config.Training.Epochs == 1 {
		t.Error("Figure03 itself has changed")
	}
}
