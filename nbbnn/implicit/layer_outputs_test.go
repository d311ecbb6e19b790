package implicit

import (
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/progress"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// The last layer's outputs under the draws, averaged over their pixels, are the logits of the
// predictions with the same draws; the mean of the outputs is their mean; a layer before a ReLU is
// seen after it.
func TestLayerOutputs(t *testing.T) {
	m, data := newModel(t, tiny())
	image := data.Test.Slice(0, 1)
	outputs, err := LayerOutputs(t.Context(), m, LayerDraws{Draws: 6}, image)
	if err != nil || len(outputs) != 6 || len(outputs[0]) != 8*8*10 {
		t.Fatalf("error %v, %d draws: want 6 of 640 values", err, len(outputs))
	}
	predictor := testkit.Must(m.NewPredictor(1, 6, 0))(t)
	prediction := testkit.Must(predictor.Predict(t.Context(), image))(t)
	testkit.Near(t, "log-probabilities from the outputs of the last layer",
		logSoftmaxOfPooled(outputs), prediction.LogProbabilities, 1e-5)
	for _, layer := range m.Architecture.Layers() {
		many := LayerDraws{Layer: layer, Draws: 70} // more than a block
		outputs, err := LayerOutputs(t.Context(), m, many, image)
		if err != nil || len(outputs) != 70 {
			t.Fatalf("%s: error %v, %d draws: want 70", layer, err, len(outputs))
		}
		if slices.Equal(outputs[0], outputs[68]) {
			t.Errorf("%s: two draws are equal", layer)
		}
		mean := make([]float64, len(outputs[0]))
		least := 0.0
		for _, output := range outputs {
			for i, value := range output {
				mean[i] += value / 70
				least = min(least, value)
			}
		}
		if isLast := layer == "conv8"; (least < 0) != isLast {
			t.Errorf("%s: least output %g: want none below 0 but in the last layer", layer, least)
		}
		means, err := MeanLayerOutputs(t.Context(), m, many, data.Test.Slice(0, 2))
		if err != nil || len(means) != 2 {
			t.Fatalf("%s: error %v, means of %d images: want 2", layer, err, len(means))
		}
		testkit.Near(t, layer+": mean output", means[0], mean, 1e-5)
	}
}

// logSoftmaxOfPooled are the log-probabilities of outputs [draws][8*8*10], after the mean over
// pixels.
func logSoftmaxOfPooled(outputs [][]float64) (all []float64) {
	for _, output := range outputs {
		logits := make([]float64, 10)
		for i, value := range output {
			logits[i%10] += value / 64
		}
		all = append(all, testkit.LogSoftmax(logits)...)
	}
	return all
}

func TestLayerOutputsOfOtherNetworks(t *testing.T) {
	for _, c := range []struct {
		network, layer string
		values         int
	}{
		{"vgg16", "conv2", 32 * 32 * 2}, {"vgg16", "dense1", 16}, {"vgg16", "dense3", 10},
		{"resnet18", "stage2/block1/shortcut", 16 * 16 * 4}, {"resnet18", "dense", 10},
	} {
		m, data := newModel(t, network.Settings{Network: network.Network{Name: c.network,
			Width: 2}})
		outputs, err := LayerOutputs(t.Context(), m, LayerDraws{Layer: c.layer, Draws: 2},
			data.Test.Slice(0, 1))
		if err != nil || len(outputs) != 2 || len(outputs[0]) != c.values {
			t.Errorf("%s, %s: error %v, %d draws, want 2 of %d values", c.network, c.layer, err,
				len(outputs), c.values)
		}
	}
}

func TestLayerOutputsRefuse(t *testing.T) {
	m, _ := newModel(t, tiny())
	grey := func(count, side int) dataset.Images {
		return dataset.Images{Height: side, Width: side, Pixels: make([]uint8, count*side*side*3)}
	}
	for _, c := range []struct {
		draws  LayerDraws
		images dataset.Images
		want   string
	}{
		{LayerDraws{Layer: "conv9"}, grey(1, 32), `did you mean "conv1"`},
		{LayerDraws{Draws: 3}, grey(1, 32), "3 draws"},
		{LayerDraws{}, grey(2, 32), "2 images"},
		{LayerDraws{}, grey(1, 16), "trained on 32 x 32"},
		{LayerDraws{}, dataset.Images{}, "of one image or more"},
	} {
		if _, err := LayerOutputs(t.Context(), m, c.draws, c.images); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one with %q", c.draws, err, c.want)
		}
	}
}

// Progress counts the draws of all images.
func TestLayerOutputsReportTheirDraws(t *testing.T) {
	m, data := newModel(t, tiny())
	var done []int
	draws := LayerDraws{Draws: 70, Progress: func(u progress.Update) {
		if u.Total != 140 || u.Phase != "layer" {
			t.Errorf("%+v, want 140 draws in all in the phase layer", u)
		}
		done = append(done, u.Done)
	}}
	testkit.Must(MeanLayerOutputs(t.Context(), m, draws, data.Test.Slice(0, 2)))(t)
	if !slices.IsSorted(done) || len(done) < 4 || done[len(done)-1] != 140 ||
		!slices.Contains(done, 70) {
		t.Errorf("draws %v were reported, want several up to 70 and then to 140", done)
	}
}
