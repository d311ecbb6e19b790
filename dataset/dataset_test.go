package dataset

import (
	"bytes"
	"context"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestNames(t *testing.T) {
	if got, want := Names(), []string{"shapes10", "shapes10-bright", "cifar10", "cifar100",
		"tinyimagenet", "pinwheel"}; !slices.Equal(got, want) {
		t.Errorf("Names() = %q, want %q", got, want)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		config Config
		want   []string
	}{
		{"mistyped name", Config{Name: "cifer10"},
			[]string{`unknown data set "cifer10" (did you mean "cifar10"?)`,
				"known are shapes10, shapes10-bright, cifar10, cifar100, tinyimagenet"}},
		{"other name", Config{Name: "photographs"},
			[]string{`unknown data set "photographs": known are`}},
		{"negative count", Config{TrainCount: -5}, []string{"-5 training images", "0 test images",
			"give 0 for all"}},
		{"too many shapes to train on", Config{TrainCount: 1_000_001},
			[]string{"1,000,001 training", "at most 1,000,000: ask"}},
		{"more shapes than can be counted", Config{TestCount: math.MaxInt},
			[]string{"test images of shapes10", "at most 1,000,000: ask"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Open(context.Background(), test.config)
			checkError(t, err, test.want...)
		})
	}
}

func TestSliceSharesMemory(t *testing.T) {
	images := newImages(5, 2, 3)
	part := images.Slice(1, 4)
	if got := part.Count(); got != 3 {
		t.Fatalf("Slice(1, 4) has %d images, want 3", got)
	}
	if got, want := len(part.Pixels), 3*2*3*channels; got != want {
		t.Fatalf("Slice(1, 4) has %d values, want %d", got, want)
	}
	part.Labels[0], part.Pixels[0] = 7, 9
	if images.Labels[1] != 7 || images.Pixels[2*3*channels] != 9 {
		t.Error("a change of the slice doesn't show in the images")
	}
	if again := part.Slice(1, 2); again.Count() != 1 || &again.Labels[0] != &images.Labels[2] {
		t.Error("a slice of a slice isn't the image that it should be")
	}
	_ = append(part.Labels, 8)
	if images.Labels[4] != 0 {
		t.Error("appending to a slice overwrites the next image")
	}
}

func TestHashTellsDataSetsApart(t *testing.T) {
	base := Dataset{Name: "a", Train: newImages(2, 1, 1), Test: newImages(1, 1, 1)}
	moved := Dataset{Name: "a", Train: newImages(1, 1, 1), Test: newImages(2, 1, 1)}
	renamed := Dataset{Name: "b", Train: base.Train, Test: base.Test}
	relabelled := Dataset{Name: "a", Train: base.Train, Test: newImages(1, 1, 1)}
	relabelled.Test.Labels[0] = 1
	repainted := Dataset{Name: "a", Train: newImages(2, 1, 1), Test: base.Test}
	repainted.Train.Pixels[5] = 1
	hashes := map[string]string{base.hash(): "the data set"}
	for name, other := range map[string]Dataset{"moved": moved, "renamed": renamed,
		"relabelled": relabelled, "repainted": repainted} {
		if twin, ok := hashes[other.hash()]; ok {
			t.Errorf("the hash of the %s data set is that of %s", name, twin)
		}
		hashes[other.hash()] = name
	}
}

// What a config says without opening anything is what Open then returns.
func TestSizeIsWhatOpenReturns(t *testing.T) {
	config := Config{TrainCount: 20, TestCount: 5}
	data := testkit.Must(Open(t.Context(), config))(t)
	want := Size{data.Train.Count(), data.Test.Count(), data.Train.Height, data.Train.Width,
		len(data.Classes)}
	if got := config.Size(); got != want {
		t.Errorf("Size() of %+v = %+v, want %+v", config, got, want)
	}
}

// The images from a place on are those that a larger request has there.
func TestTrainFirst(t *testing.T) {
	all := testkit.Must(Open(t.Context(), Config{TrainCount: 30, TestCount: 1}))(t)
	config := Config{TrainCount: 20, TrainFirst: 10, TestCount: 1}
	part, want := testkit.Must(Open(t.Context(), config))(t), all.Train.Slice(10, 30)
	if !bytes.Equal(part.Train.Pixels, want.Pixels) || part.Hash == all.Hash ||
		!bytes.Equal(part.Train.Labels, want.Labels) || config.Size().Train != 20 {
		t.Error("other images than those from place 10 to 30")
	}
	_, err := Open(t.Context(), Config{Name: Pinwheel, TrainFirst: pinwheelLimit})
	checkError(t, err, "1 training images of pinwheel from place 1,000,000", "at most 1,000,000")
}

func TestWholeSizes(t *testing.T) {
	for name, want := range map[string]Size{
		"":             {4_000, 1_000, 32, 32, 10},
		Shapes10:       {4_000, 1_000, 32, 32, 10},
		Shapes10Bright: {4_000, 1_000, 32, 32, 10},
		CIFAR10:        {50_000, 10_000, 32, 32, 10},
		CIFAR100:       {50_000, 10_000, 32, 32, 100},
		TinyImageNet:   {100_000, 10_000, 64, 64, 200},
		"unknown":      {},
	} {
		if got := (Config{Name: name}).Size(); got != want {
			t.Errorf("Size() of %q = %+v, want %+v", name, got, want)
		}
	}
}

func TestCheckCounts(t *testing.T) {
	for _, c := range []struct {
		config Config
		fits   bool
	}{
		{Config{}, true},
		{Config{TrainCount: 1_000_000}, true},
		{Config{TestCount: 1_000_000 + 1}, false},
		{Config{Name: CIFAR10, TrainCount: 50_000, TestCount: 10_000}, true},
		{Config{Name: CIFAR10, TrainCount: 50_001}, false},
		{Config{Name: CIFAR10, TrainCount: 6_000, TrainFirst: 44_000}, true},
		{Config{Name: CIFAR10, TrainCount: 6_000, TrainFirst: 44_001}, false},
		{Config{Name: CIFAR10, TrainFirst: 49_999}, true},
		{Config{Name: CIFAR10, TrainFirst: 50_000}, false},
		{Config{TrainCount: math.MaxInt, TrainFirst: math.MaxInt}, false},
		{Config{Name: TinyImageNet, TrainCount: 1_000_000_000}, false},
	} {
		if err := c.config.checkCounts(); (err == nil) != c.fits {
			t.Errorf("%+v: error %v, want one: %t", c.config, err, !c.fits)
		}
	}
}

func write(t *testing.T, path string, bytes []byte) {
	t.Helper()
	testkit.NoError(t, os.WriteFile(path, bytes, 0o644))
}

// checkError wants a one-line error of this package that holds every one of the texts.
func checkError(t *testing.T, err error, want ...string) {
	t.Helper()
	testkit.Error(t, "an error of this package", err, append(want, "dataset: ")...)
}

// checkMoments compares the data set's mean and standard deviation with those of its training
// images.
func checkMoments(t *testing.T, data *Dataset, tolerance float64) {
	t.Helper()
	mean, std := moments(data.Train)
	for channel := range channels {
		if d := math.Abs(mean[channel] - data.Mean[channel]); d > tolerance {
			t.Errorf("mean of channel %d is %.5f, want %.5f: difference %.1e, tolerance %.1e",
				channel, mean[channel], data.Mean[channel], d, tolerance)
		}
		if d := math.Abs(std[channel] - data.Std[channel]); d > tolerance {
			t.Errorf("deviation of channel %d is %.5f, want %.5f: difference %.1e, tolerance %.1e",
				channel, std[channel], data.Std[channel], d, tolerance)
		}
	}
}
