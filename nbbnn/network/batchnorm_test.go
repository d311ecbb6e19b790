package network

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/purego/operation"
	"github.com/nbbnn/workbench/internal/testkit"
)

func TestBatchNormalisationAgreesWithOracles(t *testing.T) {
	o := testkit.Oracle[struct {
		X               [][][][]float64 `json:"x_nhwc"`
		Gamma, Beta     []float64
		RunningMean     []float64       `json:"running_mean"`
		RunningVariance []float64       `json:"running_var"`
		Training        [][][][]float64 `json:"train_y"`
		NewMean         []float64       `json:"new_running_mean"`
		NewVariance     []float64       `json:"new_running_var"`
		Evaluation      [][][][]float64 `json:"eval_y"`
	}](t, "forward", "batchnorm")
	outputs := run(t, func(args []*Node) []*Node {
		x, scale, shift, mean, variance := args[0], args[1], args[2], args[3], args[4]
		o := operation.Normalisation{Gain: scale, Shift: shift, Epsilon: normalisationEpsilon}
		y, batchMean, batchVariance := o.NormaliseBatch(x)
		count := x.Shape().Size() / x.Shape().Dim(-1)
		next := moved([]*Node{mean, variance}, []*Node{batchMean, batchVariance},
			[]float64{1, unbiased(count)}, nil)
		return []*Node{y, next[0], next[1], o.NormaliseBy(x, mean, variance)}
	}, o.X, o.Gamma, o.Beta, o.RunningMean, o.RunningVariance)
	for i, c := range []struct {
		name      string
		want      any
		tolerance float64
	}{
		{"training", o.Training, 1e-12},
		{"running mean", o.NewMean, 1e-12},
		{"running variance", o.NewVariance, 1e-12},
		{"evaluation", o.Evaluation, 1e-12},
	} {
		testkit.Near(t, c.name, outputs[i], c.want, c.tolerance)
	}
}

// Both residual blocks, with the given weights and one draw of the output latents a row.
func TestResidualBlocksAgreeWithOracles(t *testing.T) {
	o := testkit.Oracle[blockOracle](t, "forward", "basic_block_out")
	before := testkit.Oracle[blockOracle](t, "forward", "preact_block_out")
	normalisation := testkit.Oracle[struct{ Gamma, Beta []float64 }](t, "forward", "batchnorm")
	for _, c := range []struct {
		name      string
		block     func(x Value, name string, channels, stride int) Value
		scale     map[string][]float64
		shift     map[string][]float64
		want      [][][][]float64
		tolerance float64
	}{
		{"resnet18", resNetBlock, nil, nil, o.Y, 1e-12},
		{"preactresnet18", preActBlock,
			map[string][]float64{"b/norm1": normalisation.Gamma},
			map[string][]float64{"b/norm1": normalisation.Beta}, before.Y, 1e-12},
	} {
		builder := &Builder{names: map[string]bool{}}
		a := architectureOf(c.block(builder.add(step{kind: imageStep, channels: 2}), "b/", 3, 2))
		store := model.NewStore()
		o.addLayer(t, store, a.layers[0], o.Conv1, o.S1)
		o.addLayer(t, store, a.layers[1], o.Conv2, o.S2)
		o.addLayer(t, store, a.layers[2], o.Shortcut, o.S3)
		for _, n := range a.normalisations {
			scale, shift := o.Scale, o.Shift
			if own, ok := c.scale[n.name]; ok {
				scale, shift = own, c.shift[n.name]
			}
			addValue(t, store, n.scalePath(), scale)
			addValue(t, store, n.shiftPath(), shift)
			addValue(t, store, n.meanPath(), make([]float64, n.channels))
			addValue(t, store, n.variancePath(), make([]float64, n.channels))
		}
		e := testkit.Must(engine.Open())(t)
		exec := testkit.Must(model.NewExec(e.Backend, store,
			func(scope *model.Scope, x *Node) *Node {
				zeros := func(count int) *Node {
					return Zeros(x.Graph(), shapes.Make(dtypes.Float64, 2, count))
				}
				p := &pass{graph: x.Graph(), store: scope.Store(), mode: Output, training: true,
					double: true}
				var draws []*Node
				for _, l := range a.layers {
					draws = append(draws, zeros(l.out))
				}
				p.sample(a.layers, draws)
				return a.forward(p, x)
			}))(t)
		y := testkit.Must(exec.Call1(o.X))(t)
		testkit.Near(t, c.name, y.Value(), c.want, c.tolerance)
	}
}

// blockOracle is one residual block with given weights and output latents.
type blockOracle struct {
	X        [][][][]float64 `json:"x_nhwc"`
	Conv1    [][][][]float64 `json:"conv1_hwio"`
	Conv2    [][][][]float64 `json:"conv2_hwio"`
	Shortcut [][][][]float64 `json:"downsample_hwio"`
	S1       [][]float64     `json:"s_conv1"`
	S2       [][]float64     `json:"s_conv2"`
	S3       [][]float64     `json:"s_down"`
	Scale    []float64       `json:"bn_gamma"`
	Shift    []float64       `json:"bn_beta"`
	Y        [][][][]float64
}

// addLayer adds a layer whose two components, one a row, have the latents as their means.
func (o blockOracle) addLayer(t *testing.T, store *model.Store, l layer, weights [][][][]float64,
	latents [][]float64) {
	t.Helper()
	addValue(t, store, weightPath(l), weights)
	addValue(t, store, meanPath(l), latents)
	addValue(t, store, rhoPath(l), [][]float64{make([]float64, l.out), make([]float64, l.out)})
}

func addValue(t *testing.T, store *model.Store, path string, value any) {
	t.Helper()
	testkit.Must(store.CreateVariable(path, tensors.MustFromAnyValue(value)))(t)
}

// A prediction by batch statistics equals loops over float64 that compute them, in every mode, and
// leaves the running statistics as they were.
func TestBatchStatisticsEqualLoopsByHand(t *testing.T) {
	for name, side := range map[string]int{"resnet18": 8, "preactresnet18": 16} {
		for _, mode := range []Mode{Output, Input, Both, Deterministic} {
			t.Run(fmt.Sprintf("%s %s", name, mode), func(t *testing.T) {
				c := newNetworkCase(t, name, mode, false, side)
				c.hand.training = true // normalises by the statistics of all rows
				before := c.storedMeans(t)
				got := c.run(t, func(scope *model.Scope, args []*Node) []*Node {
					p := c.pass(scope.Store(), args)
					p.batch = true
					return []*Node{p.logits(c.architecture, args[0])}
				})[0].Value().([][]float32)
				want := c.handLogits()
				testkit.Near(t, "logits", got, want, 2e-5*largest(want))
				testkit.Near(t, "running means", c.storedMeans(t), before, 0)
			})
		}
	}
}

func (c networkCase) storedMeans(t *testing.T) (values []float64) {
	for _, n := range c.architecture.normalisations {
		values = append(values, storedValues(t, c.store, n.meanPath())...)
	}
	return values
}

// The draws of an image depend on its index alone, so each batch can be predicted by itself; the
// last one ends with the last image and begins where it's full.
func TestBatchesAreNormalisedApart(t *testing.T) {
	m := scaleModel(t, 1, HostNoise).With("", 1, 3)
	all := randomData(16, 8, 10).Train
	whole := predicted(t, m, 7, 2)
	p, err := m.NewPredictor(3, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	row := 2 * m.Classes
	for _, first := range []int{0, 3, 4} {
		alone := testkit.Must(p.predictBatch(imagesTensor(all.Slice(first, first+3)), first))(t)
		from := max(first, 3*((first+2)/3)) // images that an earlier batch has predicted
		testkit.Near(t, fmt.Sprintf("batch from %d", first), whole[from*row:][:(first+3-from)*row],
			alone[(from-first)*row:], 1e-6)
	}
	_, err = p.Predict(t.Context(), all.Slice(0, 2))
	testkit.Error(t, "two images", err, "2 images can't fill a batch of 3")
}

// renormalisedSettings are those of a network with batch normalisation and without latents.
func renormalisedSettings(batch int) Settings {
	return Settings{
		Network:   Network{Name: "resnet18", Width: 2},
		Posterior: Posterior{Mode: Deterministic},
		Training:  Training{Batch: batch, NoAugmentation: true, LearningRate: 0.01, Epochs: 1},
	}
}

// renormalised returns the variables of a network with recomputed running statistics.
func renormalised(t *testing.T, m *Model, times int) State {
	t.Helper()
	renormalise := testkit.Must(m.Renormaliser(randomData(16, 8, 10).Train))(t)
	for range times {
		testkit.NoError(t, renormalise(t.Context(), nil))
	}
	variables := testkit.Must(m.Variables())(t)
	return State{Variables: variables}
}

func renormalisedModel(t *testing.T, settings Settings) *Model {
	t.Helper()
	return testkit.Must(NewModel(settings, randomData(16, 8, 10), ModelOptions{Noise: HostNoise}))(
		t)
}

// Without augmentation and with one batch of all images, the running statistics of the first
// normalisation are the mean and the unbiased variance of the first convolution's outputs, whatever
// they were before. Smaller batches weigh the same.
func TestRenormaliserTakesTheStatisticsOfTheImages(t *testing.T) {
	m := renormalisedModel(t, renormalisedSettings(16))
	program := testkit.Must(m.NewProgram("outputs", func(args []*Node) []*Node {
		var stem *Node
		m.Observe = func(name string, x *Node) {
			if name == "stem/conv" {
				stem = x
			}
		}
		m.Logits(args[0], 1, nil)
		return []*Node{Reshape(stem, -1, stem.Shape().Dim(-1))}
	}))(t)
	outputs := testkit.Must(program.Call([]any{m.Normalised(randomData(16, 8, 10).Train, 1)}))(t)
	pixels := outputs[0].Value().([][]float32)
	var mean, variance []float64
	for channel := range pixels[0] {
		sum, squares, count := 0.0, 0.0, float64(len(pixels))
		for _, pixel := range pixels {
			x := float64(pixel[channel])
			sum += x
			squares += x * x
		}
		mean = append(mean, sum/count)
		variance = append(variance, (squares-sum*sum/count)/(count-1))
	}
	const tolerance = 1e-5
	got := renormalised(t, m, 1)
	testkit.Near(t, "mean", valuesOf(t, got, "running.stem.norm.mean"), mean, tolerance)
	testkit.Near(t, "variance", valuesOf(t, got, "running.stem.norm.variance"), variance, tolerance)
	checkEqual(t, "a second time", renormalised(t, m, 1), got)

	parts := renormalised(t, renormalisedModel(t, renormalisedSettings(4)), 1)
	testkit.Near(t, "mean of four batches", valuesOf(t, parts, "running.stem.norm.mean"), mean,
		tolerance)
}

func TestRenormaliserStops(t *testing.T) {
	m := renormalisedModel(t, renormalisedSettings(4))
	renormalise := testkit.Must(m.Renormaliser(randomData(16, 8, 10).Train))(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := renormalise(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want %v", err, context.Canceled)
	}
}
