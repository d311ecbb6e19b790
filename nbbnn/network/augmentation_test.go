package network

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/dataset/augment"
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
	b, plain := s.batch(1), s.planned(s.position, 1)
	pixels := b.pixels.Value().([][][][]uint8)
	labels := b.labels.Value().([]uint8)
	for i, image := range plain.chosen {
		want := make([]uint8, 8*8*3)
		plain.seen.crop(i, want, s.images.Slice(int(image), int(image)+1))
		augment.Published().Mix(want, 8, 8, random.New(5, random.AugMix, 1, uint64(image)))
		var got []uint8
		for _, row := range pixels[i] {
			got = append(got, slices.Concat(row...)...)
		}
		if !slices.Equal(got, want) || labels[i] != s.images.Labels[image] || b.chosen[i] != int32(i) {
			t.Errorf("image %d of the batch isn't the mixture of image %d with label %d", i, image, s.images.Labels[image])
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
	if slices.Equal(valuesOf(t, stateOf(t, plain), "theta.conv1.weights"), valuesOf(t, want, "theta.conv1.weights")) {
		t.Error("AugMix changes nothing")
	}
}

func TestAugmentationIsChecked(t *testing.T) {
	s := mixedSettings()
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	s.Training.NoAugmentation = true
	checkError(t, "both", s.Validate(), "set no_augmentation to false, or leave augmentation out")
	s.Training.NoAugmentation, s.Training.Augmentation = false, "augmics"
	checkError(t, "unknown", s.Validate(), `"augmix"`)
}
