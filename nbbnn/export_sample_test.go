package nbbnn

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/baseline"
)

// An exported sample is the ordinary network that predicts what the run does with that sample.
func TestExportedSamplesPredictAsTheRun(t *testing.T) {
	for _, c := range []struct {
		method     Method
		evaluation Evaluation // whose sample number at is exported
		at, sample int
	}{
		{Method{Name: baseline.SWAG}, Evaluation{Images: 4, Latents: MeanLatents}, 0, 0},
		{Method{Name: baseline.SWAG}, Evaluation{Images: 4, Samples: 3}, 1, 2},
		{Method{Name: baseline.CSGHMC, Cycles: 2, Snapshots: 2}, Evaluation{Images: 4, Samples: 4},
			2, 3},
		{Method{Name: baseline.CSGHMC, Cycles: 2, Snapshots: 2}, Evaluation{Images: 4, Samples: 4},
			3, 4},
	} {
		run := trainedRun(t, t.TempDir(), methodConfig(c.method))
		path := filepath.Join(t.TempDir(), "sample.safetensors")
		options := ExportOptions{Sample: c.sample}
		if c.sample == 0 {
			options.Latents = MeanLatents
		}
		testkit.NoError(t, run.Export(t.Context(), path, options))
		want := predicted(t, run, c.evaluation)
		model := testkit.Must(run.Model(t.Context()))(t)
		stored, _, err := safetensors.Read(path)
		if err == nil {
			_, err = model.ImportTensors(path, stored)
		}
		testkit.NoError(t, err)
		predictor := testkit.Must(model.NewPredictor(4, 1, 0))(t)
		data := testkit.Must(run.trainedParts(t.Context()))(t)
		got := testkit.Must(predictor.Predict(t.Context(), data.Test.Slice(0, 4)))(t)
		for image := range 4 {
			if !slices.Equal(got.Image(image),
				want.Image(image)[c.at*want.Classes:][:want.Classes]) {
				t.Errorf("%s: sample %d predicts image %d otherwise than the run", c.method.Name,
					c.sample, image)
			}
		}
		refused(t, "Import", "evaluate that run")(Import(t.Context(), t.TempDir(),
			methodConfig(Method{Name: baseline.MAP}), path))
	}
}

func TestSamplesThatCantBeExported(t *testing.T) {
	for _, c := range []struct {
		method Method
		sample int
		want   string
	}{
		{Method{Name: baseline.MAP}, 1, "predicts with one set of weights"},
		{Method{Name: baseline.CSGHMC, Cycles: 2}, 9, "has no sample 9: give 1 to 2"},
	} {
		run := trainedRun(t, t.TempDir(), methodConfig(c.method))
		path := filepath.Join(t.TempDir(), "sample.safetensors")
		err := run.Export(t.Context(), path, ExportOptions{Sample: c.sample})
		testkit.Error(t, string(c.method.Name), err, c.want)
	}
}

// Options that don't go together, or with the format, are refused and not left out.
func TestExportRefusesOptionsThatDontFit(t *testing.T) {
	run := openRun(t, t.TempDir(), methodConfig(Method{Name: baseline.SWAG}))
	for name, options := range map[string]ExportOptions{
		"a.safetensors": {Sampling: true}, "b.safetensors": {Sample: 1, Latents: MeanLatents},
		"c.onnx": {Sample: 1}, "d.onnx": {Latents: MeanLatents},
	} {
		err := run.Export(t.Context(), filepath.Join(t.TempDir(), name), options)
		checkError(t, name, err, "sampling is for NAME.onnx")
	}
}

// Weights alone don't make a run whose method predicts with several sets of them.
func TestOneSetOfWeightsIsNoSWAG(t *testing.T) {
	run := trainedRun(t, t.TempDir(), methodConfig(Method{Name: baseline.SWAG}))
	path := filepath.Join(t.TempDir(), "weights.safetensors")
	testkit.NoError(t, run.Export(t.Context(), path, ExportOptions{}))
	_, err := Import(t.Context(), t.TempDir(), run.Config(), path)
	if want := "import it as an ordinary network (--method map)"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
