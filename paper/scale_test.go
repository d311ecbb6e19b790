package paper

import (
	"path/filepath"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

// Every figure can be made at the scales that it has.
func TestEveryFigureValidates(t *testing.T) {
	for _, figure := range all() {
		for _, scale := range Scales {
			if len(figure.Runs(scale).Methods) == 0 {
				continue
			}
			if err := figure.Validate(scale); err != nil {
				t.Errorf("%s, %s: %v", figure.Name(), scale, err)
			}
		}
	}
}

// The paper scale has the settings of the paper's runs (METHOD.md sections 4 and 6).
func TestPaperScale(t *testing.T) {
	setup := Figure03.Runs(Paper)
	if len(setup.Seeds) != 25 {
		t.Errorf("%d seeds, want 25", len(setup.Seeds))
	}
	if got := setup.Evaluation.Suite; got != "all19" {
		t.Errorf("the suite is %s, want all19", got)
	}
	for i, std := range []float64{0.16, 0.32} {
		want := nbbnn.Paper("allcnnc", dataset.CIFAR10)
		want.Posterior.InitStd, want.Posterior.PriorStd, want.Seed = std, std, 7
		if got := setup.config(setup.Methods[i], 7); got != want {
			t.Errorf("configuration is %+v, want %+v", got, want)
		}
	}
}

// The pull of the entropy, rate x steps / N = rate x epochs / batch, is the published one at the
// scales that judge (METHOD.md 4.3).
func TestPullIsKept(t *testing.T) {
	pull := func(config nbbnn.Config) float64 {
		return config.Training.PosteriorLearningRate * float64(config.Training.Epochs) / float64(
			config.Training.Batch)
	}
	allCNNC := nbbnn.Paper("allcnnc", dataset.CIFAR10)
	resnet18 := nbbnn.Paper("resnet18", dataset.CIFAR10)
	for _, test := range []struct {
		name   string
		config nbbnn.Config
		want   float64
	}{
		{"figure 3, quick", Figure03.Runs(Quick).Config, pull(resnet18)},
		{"figure 3, desk", Figure03.Runs(Desk).Config, pull(allCNNC)},
		{"figure 6, quick", figure06.Runs(Quick).Config, pull(resnet18)},
		{"figure 6, desk", figure06.Runs(Desk).Config, pull(resnet18)},
		{"figure 8, quick", figure08.Runs(Quick).Config, pull(resnet18)},
		{"figure 8, desk", figure08.Runs(Desk).Config, pull(resnet18)},
	} {
		testkit.Near(t, test.name+": pull", pull(test.config), test.want, 0.005*test.want)
	}
}

// The control of Figure 3 differs from M32 in the learning rate of the posterior alone, which is
// too small to change it.
func TestDeskControl(t *testing.T) {
	setup := Figure03.Runs(Desk)
	control := setup.config(setup.Methods[2], 1)
	m32 := setup.config(setup.Methods[1], 1)
	m32.Training.PosteriorLearningRate = control.Training.PosteriorLearningRate
	if control != m32 || control.Training.PosteriorLearningRate != 1e-12 {
		t.Errorf("the control is %+v, want M32 with a learning rate of 1e-12", control)
	}
}

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
		{"one seed twice", Figure03.Adjust(func(s *Setup) {
			s.Seeds = []uint64{1, 1}
		}), Smoke, "seed 1 appears twice"},
		{"no seeds", Figure03.Adjust(func(s *Setup) { s.Seeds = nil }), Smoke, "0 seeds"},
		{"too many images", Figure03.Adjust(func(s *Setup) {
			s.Evaluation.Images = 10001
		}), Desk, "the test images 0 to 10000 are asked for, the runs have 10000"},
		{"uneven samples", Figure03.Adjust(four).Adjust(func(s *Setup) {
			s.Evaluation.Samples = 6
		}), Smoke, "choose a positive multiple of 4"},
		{"an unknown suite", Figure03.Adjust(func(s *Setup) {
			s.Evaluation.Suite = "first9"
		}), Smoke, `did you mean "first8"?`},
		{"an impossible method", Figure03.With(Method{Name: "none", Change: func(c *nbbnn.Config) {
			c.Training.Epochs = -1
		}}), Smoke, "(none)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := Options{Runs: filepath.Join(t.TempDir(), "runs")}
			_, planError := test.figure.Plan(test.scale, options)
			_, openError := test.figure.Open(test.scale, options)
			for _, err := range []error{test.figure.Validate(test.scale), planError, openError} {
				testkit.Error(t, t.Name(), err, test.want)
			}
		})
	}
	// with room for another
	methods := append(make([]Method, 0, 3), Figure03.Runs(Smoke).Methods...)
	figure := Figure03.Adjust(func(s *Setup) { s.Methods = methods })
	if more := figure.With(M(0.64)).Runs(Smoke).Methods; len(more) != 3 ||
		methods[:3][2].Name != "" {
		t.Errorf("With gives the methods %v and leaves %v behind", more, methods[:3])
	}
}
