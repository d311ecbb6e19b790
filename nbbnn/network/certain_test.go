package network

import (
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
)

// Layers without latents compute what layers with means 1 and standard deviations 0 do: with the
// same weights and the same noise of the others, the logits are equal bit for bit.
func TestLayersWithoutLatentsAreCertain(t *testing.T) {
	for _, mode := range []Mode{Output, Input, Both} {
		settings := tinySettings()
		settings.Posterior = Posterior{Components: 2, Mode: mode}
		chosen := settings
		chosen.Network.Latents = "conv3 conv7, conv8"
		all, some := modelOf(t, settings), modelOf(t, chosen)
		names := some.Architecture.Layers()
		if want := []string{"conv3", "conv7", "conv8"}; !slices.Equal(names, want) {
			t.Fatalf("layers with latents %v, want %v", names, want)
		}
		variables := testkit.Must(all.Variables())(t)
		for i, v := range variables {
			if layer, part, isPhi := phiPart(v.Name); isPhi && !slices.Contains(names, layer) {
				variables[i] = constant(v, map[string]float32{"mean": 1, "rho": -200}[part])
			}
		}
		testkit.NoError(t, all.SetVariables(variables, false))
		testkit.NoError(t, some.SetVariables(variables, false))
		wantNoise := all.EvaluationNoise(0, 0, 4, 4)
		var noise []any
		for i, l := range all.Architecture.Layers() {
			if slices.Contains(names, l) {
				noise = append(noise, wantNoise[i])
			}
		}
		for _, latents := range []Latents{"", MeanLatents, OneLatents} {
			want := logitsOf(t, all.With(latents, 1, 0), wantNoise)
			got := logitsOf(t, some.With(latents, 1, 0),
				noise)
			testkit.Near(t, "logits in mode "+string(mode)+" "+string(latents), got, want, 0)
		}
	}
}

// phiPart splits the name of a variable of the posterior, like phi.conv1.mean.
func phiPart(name string) (layer, part string, isPhi bool) {
	rest, isPhi := strings.CutPrefix(name, phiPrefix)
	layer, part, _ = strings.Cut(rest, ".")
	return layer, part, isPhi
}

func constant(like Tensor, value float32) Tensor {
	return safetensors.FromFloats(like.Name, slices.Repeat([]float32{value}, len(like.Data)/4),
		like.Shape...)
}

func modelOf(t *testing.T, settings Settings) *Model {
	t.Helper()
	return testkit.Must(NewModel(settings, randomData(4, 8, 10), ModelOptions{Noise: HostNoise}))(t)
}

// logitsOf returns the logits of all images of a model's data, four samples of each.
func logitsOf(t *testing.T, m *Model, noise []any) []float32 {
	t.Helper()
	logits := testkit.Must(m.NewProgram("logits", func(args []*Node) []*Node {
		return []*Node{m.Logits(args[0], 4, args[1:])}
	}))(t)
	args := append([]any{m.Normalised(randomData(4, 8, 10).Train, 1)}, noise...)
	return testkit.Must(tensors.CopyFlatData[float32](testkit.Must(logits.Call(args))(t)[0]))(t)
}

// Patterns choose layers by the names that are printed. All layers are the default, and a pattern
// that matches none is an error with the nearest name.
func TestPatternsOfLayers(t *testing.T) {
	layers := func(n Network) string {
		return strings.Join(Settings{Network: n}.WithDefaults().Network.Architecture(10).Layers(),
			" ")
	}
	for latents, want := range map[string]string{
		"conv7,conv8": "conv7 conv8", "conv8  conv7": "conv7 conv8", "*8": "conv8",
		"conv1,conv1": "conv1",
		"conv*":       layers(Network{}), "conv[78]": "", "conv.": "",
	} {
		if got := layers(Network{Latents: latents}); got != want {
			t.Errorf("%q chooses %q, want %q", latents, got, want)
		}
	}
	if got, want := layers(Network{Name: "resnet18", Latents: "stage4/block2/*, dense"}),
		"stage4/block2/conv1 stage4/block2/conv2 dense"; got != want {
		t.Errorf("%q are chosen, want %q", got, want)
	}
	if got := (Settings{
		Network: Network{Latents: "conv*"}}).WithDefaults().Network.Latents; got != "" {
		t.Errorf("all layers are %q, want the default", got)
	}
	err := Settings{Network: Network{Latents: "conv1,cnov2"}}.Validate()
	testkit.Error(t, "unknown", err,
		`network: allcnnc, width 96: no layer with latents is called "cnov2" (did you mean "conv2"?): choose from conv1, `, "with * for any text")
	err = Settings{Network: Network{Latents: "conv1"},
		Posterior: Posterior{Mode: Deterministic}}.Validate()
	testkit.Error(t, "an ordinary network", err,
		`mode "none" has no latents, but layers for them are chosen, conv1`)
	testkit.Error(t, "the published layout",
		ReferenceLayout.Check(Network{Name: "allcnnc", Latents: "conv1"}),
		"latents in all layers, not only in conv1:")
}

// A layer that a definition gives no latents has none, and can't be chosen. It changes the
// fingerprint.
func TestNoLatentsOfADefinition(t *testing.T) {
	build := func(first, last bool) func(b *Builder) Value {
		return func(b *Builder) Value {
			return changed(b, Convolution{NoLatents: first}, Dense{NoLatents: last})
		}
	}
	define(t, "changing", build(false, false))
	all := Settings{Network: Network{Name: "changing"}}.WithDefaults().Network
	define(t, "changing", build(true, false))
	some := Settings{Network: Network{Name: "changing"}}.WithDefaults().Network
	if got := some.Architecture(10).Layers(); !slices.Equal(got, []string{"dense1"}) ||
		some.Fingerprint == all.Fingerprint {
		t.Errorf("layers with latents %v, fingerprints %s and %s", got, some.Fingerprint,
			all.Fingerprint)
	}
	if got := some.Architecture(10).Latents(Output); got != 10 {
		t.Errorf("%d latents, want those of 10 classes", got)
	}
	some.Latents = "conv1"
	testkit.Error(t, "a layer without latents", some.validate(),
		`no layer with latents is called "conv1": choose from dense1`)
	forget(t)
	testkit.Error(t, "no layer", Define("certain", build(true, true)),
		"network: certain, width 16: no layer has latents")
}
