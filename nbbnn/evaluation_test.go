package nbbnn

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The defaults keep the names that cells and cards have always had; every other setting has a name
// of its own.
func TestSettingsOfAnEvaluationArePartOfItsName(t *testing.T) {
	for want, e := range map[string]Evaluation{
		"first8":                    {},
		"first8/scale0.5":           {LatentScale: ScaleLatents(0.5)},
		"first8/scale0":             {LatentScale: ScaleLatents(0)},
		"first8/batch50":            {BatchStatistics: 50},
		"clean/from8/scale2/batch4": {Part: CleanPart, First: 8, LatentScale: ScaleLatents(2), BatchStatistics: 4},
	} {
		equal(t, "label", e.WithDefaults().label(), want)
		text := testkit.Must(json.Marshal(e.WithDefaults()))(t)
		var back Evaluation
		testkit.NoError(t, json.Unmarshal(text, &back))
		if back != e.WithDefaults() {
			t.Errorf("%s reads back as %+v", text, back)
		}
	}
	plain := `{"suite":"first8","samples":32,"images":0,"seed":0}`
	equal(t, "JSON of the defaults", string(testkit.Must(json.Marshal(Evaluation{LatentScale: ScaleLatents(1)}.WithDefaults()))(t)), plain)
}

// Cells of different settings don't mix: each is computed once and found again.
func TestEvaluationsOfOtherSettingsAreKeptApart(t *testing.T) {
	config := tinyConfig()
	config.Network = Network{Name: "resnet18", Width: 2}
	run := trainedRun(t, t.TempDir(), config)
	test := func(e Evaluation) float64 {
		e.Part, e.Samples, e.Images = CleanPart, 4, 8
		cells := testkit.Must(run.Evaluate(t.Context(), e, nil))(t)
		if again := testkit.Must(run.Cells(e))(t); again[0].NLL != cells[0].NLL {
			t.Errorf("%+v has the NLL %g, and read again %g", e, cells[0].NLL, again[0].NLL)
		}
		return cells[0].NLL
	}
	plain := test(Evaluation{})
	others := []float64{
		test(Evaluation{LatentScale: ScaleLatents(0)}), test(Evaluation{LatentScale: ScaleLatents(3)}),
		test(Evaluation{BatchStatistics: 4}), test(Evaluation{BatchStatistics: 8}),
	}
	for _, other := range others {
		if other == plain || math.IsNaN(other) {
			t.Errorf("another setting has the NLL %g, the plain test %g", other, plain)
		}
	}
	if test(Evaluation{LatentScale: ScaleLatents(1)}) != plain {
		t.Error("a scale of 1 isn't the plain evaluation")
	}
	if filled := run.FillEvaluation(Evaluation{LatentScale: ScaleLatents(0), Samples: 8}); filled.Samples != 2 {
		t.Errorf("%d samples without noise, want one for each of 2 components", filled.Samples)
	}
	ordinary := config
	ordinary.Posterior, ordinary.Objective, ordinary.Training.PosteriorLearningRate = Posterior{Mode: Deterministic}, Objective{}, 0
	if filled := openRun(t, t.TempDir(), ordinary).FillEvaluation(Evaluation{LatentScale: ScaleLatents(2)}); filled.LatentScale != ScaleLatents(1) {
		t.Errorf("a network without latents is tested at the scale %g", filled.LatentScale.Factor())
	}
}

func TestSettingsThatNoTestCanHave(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig()) // All-CNN-C, without batch normalisation
	for want, e := range map[string]Evaluation{
		"multiplied by -1":               {LatentScale: ScaleLatents(-1)},
		"give a factor from 0 to 100":    {LatentScale: ScaleLatents(1e6)},
		"multiplied by NaN":              {LatentScale: ScaleLatents(math.NaN())},
		"no standard deviation":          {LatentScale: ScaleLatents(2), Latents: MeanLatents},
		"a batch of 1 has no statistics": {BatchStatistics: 1},
		"a batch of -3":                  {BatchStatistics: -3},
		"can't fill a batch of 9":        {BatchStatistics: 9, Images: 8},
		"has no batch normalisation":     {BatchStatistics: 4},
	} {
		_, err := run.Evaluate(t.Context(), e, nil)
		testkit.Error(t, want, err, want)
	}
}
