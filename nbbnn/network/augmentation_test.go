package network

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/augment"
	"github.com/nbbnn/workbench/internal/purego/operation"
	"github.com/nbbnn/workbench/internal/random"
	"github.com/nbbnn/workbench/internal/testkit"
)

// mixedSettings are tinySettings with AugMix.
func mixedSettings() Settings {
	s := tinySettings()
	s.Training.Augmentation = augment.Name
	return s
}

// A crop of an image is what the graph takes from the data set.
func TestCropIsTheView(t *testing.T) {
	data := randomData(3, 9, 10).Train
	v := drawView(rand.New(rand.NewPCG(3, 4)), 20)
	for i := range 20 {
		image := int32(i % 3)
		own := make([]uint8, 9*9*3)
		v.crop(i, own, data.Slice(int(image), int(image)+1))
		one := view{v.down[i : i+1], v.across[i : i+1], v.mirror[i : i+1]}
		want := cropByHand(data.Pixels, 9, 9, []int32{image}, one)
		for k, value := range own {
			if float32(value) != want[k] {
				t.Fatalf("view %d: value %d is %d, want %g", i, k, value, want[k])
			}
		}
	}
}

// The images of a step depend on the seed, the epoch and the image alone: each is cropped as the
// view says and then mixed with its own generator, with the label that it has.
func TestBatchIsMixed(t *testing.T) {
	s := testStepper(t, mixedSettings(), StepperOptions{})
	takeSteps(t, s, 5) // one epoch and one step
	b, plain := s.batch(1), s.planned(s.Position, 1)
	pixels := b.pixels.Value().([][][][]uint8)
	labels := b.labels.Value().([]uint8)
	for i, image := range plain.chosen {
		want := make([]uint8, 8*8*3)
		plain.seen.crop(i, want, s.images.Slice(int(image), int(image)+1))
		augment.Mix(want, 8, 8, random.New(5, random.AugMix, 1, uint64(image)))
		var got []uint8
		for _, row := range pixels[i] {
			got = append(got, slices.Concat(row...)...)
		}
		if !slices.Equal(got, want) || labels[i] != s.images.Labels[image] ||
			b.chosen[i] != int32(i) {
			t.Errorf("image %d of the batch isn't the mixture of image %d with label %d", i, image,
				s.images.Labels[image])
		}
	}
}

// A training with AugMix continues from a state bit for bit, whether a batch was mixed ahead or
// not, and differs from one without.
func TestMixedTrainingContinues(t *testing.T) {
	const steps, stop = 8, 5
	whole := testStepper(t, mixedSettings(), StepperOptions{})
	takeSteps(t, whole, steps)
	want := stateOf(t, whole)
	first := testStepper(t, mixedSettings(), StepperOptions{})
	takeSteps(t, first, stop)
	state := stateOf(t, first)
	second := testStepper(t, mixedSettings(), StepperOptions{})
	takeSteps(t, second, 2) // mixes the third batch ahead
	testkit.NoError(t, second.SetState(state))
	takeSteps(t, second, steps-stop)
	checkEqual(t, "after a state", stateOf(t, second), want)
	alone := testStepper(t, mixedSettings(), StepperOptions{})
	for range steps {
		alone.ahead = nil
		takeSteps(t, alone, 1)
	}
	checkEqual(t, "mixed without working ahead", stateOf(t, alone), want)

	plain := testStepper(t, tinySettings(), StepperOptions{})
	takeSteps(t, plain, steps)
	if slices.Equal(valuesOf(t, stateOf(t, plain), "theta.conv1.weights"),
		valuesOf(t, want, "theta.conv1.weights")) {
		t.Error("AugMix changes nothing")
	}
}

func TestAugmentationIsChecked(t *testing.T) {
	s := mixedSettings()
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	s.Training.NoAugmentation = true
	testkit.Error(t, "both", s.Validate(), "set no_augmentation to false, or leave augmentation "+
		"out")
	s.Training.NoAugmentation, s.Training.Augmentation = false, "augmics"
	testkit.Error(t, "unknown", s.Validate(), `"augmix"`)
}

// cropByHand is what the views must be, pixel by pixel.
func cropByHand(data []uint8, height, width int, chosen []int32, v view) (pixels []float32) {
	for i, image := range chosen {
		for y := range height {
			for x := range width {
				from := x
				if v.mirror[i] == 1 {
					from = width - 1 - x
				}
				row, column := y+int(v.down[i])-cropPadding, from+int(v.across[i])-cropPadding
				for c := range 3 {
					value := float32(0)
					if row >= 0 && row < height && column >= 0 && column < width {
						value = float32(data[((int(image)*height+row)*width+column)*3+c])
					}
					pixels = append(pixels, value)
				}
			}
		}
	}
	return pixels
}

func TestViewsAreCrops(t *testing.T) {
	const count, height, width = 5, 9, 7
	random := rand.New(rand.NewPCG(1, 1))
	data := make([]uint8, count*height*width*3)
	for i := range data {
		data[i] = uint8(1 + random.IntN(255))
	}
	chosen := []int32{4, 0, 2, 2, 1, 3, 4, 0, 1, 2}
	for name, seen := range map[string]view{"plain": plainView(len(chosen)),
		"augmented": drawView(random, len(chosen))} {
		got := run(t, func(args []*Node) []*Node {
			views := operation.Views{Data: args[0], Chosen: args[1], Down: args[2], Across: args[3],
				Mirror: args[4], Padding: cropPadding}
			return []*Node{views.Normalised(Const(args[0].Graph(), []float32{1, 1, 1}),
				Const(args[0].Graph(), []float32{0, 0, 0}))}
		}, tensors.FromFlatDataAndDimensions(data, count, height, width, 3), chosen, seen.down,
			seen.across, seen.mirror)
		testkit.Near(t, name, got[0], cropByHand(data, height, width, chosen, seen), 0)
	}
}

func TestViewsCoverAllOffsets(t *testing.T) {
	seen := map[[3]int32]int{}
	const images = 20000
	v := drawView(rand.New(rand.NewPCG(2, 2)), images)
	for i := range images {
		seen[[3]int32{v.down[i], v.across[i], v.mirror[i]}]++
	}
	const views = 9 * 9 * 2
	if len(seen) != views {
		t.Fatalf("%d different views, want %d", len(seen), views)
	}
	chi2, expected := 0.0, float64(images)/views
	for _, count := range seen {
		chi2 += (float64(count) - expected) * (float64(count) - expected) / expected
	}
	if chi2 > 240 { // 161 degrees of freedom: mean 161, sd 18
		t.Errorf("chi-square %.0f, want below 240", chi2)
	}
}

func TestNormaliseAgreesWithOracle(t *testing.T) {
	o := testkit.Oracle[struct {
		Mean, Std [3]float64
		Pixel     [3]float32
		Value     []float64
		Extra     []float64 `json:"allcnn_value"`
	}](t, "normalisation", "cifar10")
	outputs := run(t, func(args []*Node) []*Node {
		m := Model{Mean: o.Mean, Std: o.Std}
		x := m.normalise(args[0])
		return []*Node{x, Div(x, Const(x.Graph(), [][][][]float32{{{allCNNCInputScale}}}))}
	}, [][][][]float32{{{o.Pixel[:]}}})
	testkit.Near(t, "normalised", outputs[0], o.Value, 1e-6)
	testkit.Near(t, "with All-CNN-C's second division", outputs[1], o.Extra, 1e-6)
}
