package paper

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/nbbnn/score"
)

func TestLikeliest(t *testing.T) {
	log := func(p float64) float32 { return float32(math.Log(p)) }
	samples := []float32{log(0.7), log(0.2), log(0.1), log(0.1), log(0.8), log(0.1)} // means 0.4, 0.5, 0.1
	class, probability := likeliest(samples, 3)
	if class != 1 {
		t.Errorf("got class %d, want 1", class)
	}
	closeTo(t, "probability", probability, 0.5, 1e-6)
}

func TestLevelsOf(t *testing.T) {
	cells := score.Cells{
		{Corruption: score.Clean, NLL: 0.1, Error: 0.01, ECE: 0.3},
		{Corruption: "fog", Severity: 1, NLL: 0.2, Error: 0.02, ECE: 0.4},
		{Corruption: "snow", Severity: 1, NLL: 9, Error: 0.9, ECE: 0.5},
		{Corruption: "fog", Severity: 5, NLL: 0.6, Error: 0.06, ECE: 0.7},
	}
	missing := math.NaN()
	for _, c := range []struct {
		metric string
		want   []float64
	}{
		{NLL, []float64{0.1, 0.2, missing, missing, missing, 0.6}},
		{Error, []float64{0.01, 0.02, missing, missing, missing, 0.06}},
		{ECE, []float64{0.3, 0.4, missing, missing, missing, 0.7}},
	} {
		metric, err := score.MetricByName(c.metric)
		if err != nil {
			t.Fatal(err)
		}
		got := levelsOf(cells, metric, "fog")
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s: got %v, want %v", c.metric, got, c.want)
		}
	}
}

func TestQuestionTitle(t *testing.T) {
	for severity, want := range map[int]string{0: "gamma 1 on clean images", 3: "gamma 1 under gaussian noise, severity 3"} {
		if got := (Question{Method: "gamma 1", Corruption: "gaussian_noise", Severity: severity}).title(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A network that has been trained for an epoch says something about each image, whatever the
// severity.
func TestAnswerFigure(t *testing.T) {
	figure := Figure03.Adjust(func(s *Setup) {
		s.Seeds, s.Config.Network.Width, s.Config.Data.Train, s.Config.Data.Test, s.Config.Training.Epochs = FirstSeeds(1), 2, 16, 4, 1
		s.Evaluation.Samples, s.Evaluation.Images = 2, 4
	})
	result, err := figure.Train(t.Context(), Smoke, Options{Runs: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, severity := range []int{0, 5} {
		if _, err := result.AnswerFigure(t.Context(), Question{Method: "M16", Corruption: "fog", Severity: severity, Images: 3}); err != nil {
			t.Errorf("severity %d: %v", severity, err)
		}
	}
	for _, c := range []struct {
		question Question
		want     string
	}{
		{Question{Method: "M99", Corruption: "fog"}, `no method is called "M99": choose one of M16 and M32`},
		{Question{Method: "M16", Corruption: "fog", Images: 5}, "shapes10-bright has 1 to 4 test images"},
		{Question{Method: "M16", Corruption: "fog", Severity: 6, Images: 1}, "severity 6"},
	} {
		_, err := result.AnswerFigure(t.Context(), c.question)
		if err == nil {
			t.Errorf("%+v: no error, want %q in it", c.question, c.want)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %q, want %q in it", c.question, err, c.want)
		}
	}
	if _, err := result.CorruptionLevels(NLL, "fog"); err == nil {
		t.Error("levels without an evaluation: no error")
	}
}

func TestCorruptionLevelsRefuses(t *testing.T) {
	result := fixture(1)
	for _, c := range []struct{ metric, corruption, want string }{
		{"NNL", "fog", `did you mean "NLL"?`},
		{NLL, "contrasts", `did you mean "contrast"?`},
	} {
		if _, err := result.CorruptionLevels(c.metric, c.corruption); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: error is %v, want %q", c.metric, c.corruption, err, c.want)
		}
	}
}
