package shapes10

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"
)

// set is a number of images with their labels.
type set struct{ pixels, labels []uint8 }

// image returns the pixels of image i.
func (s set) image(i int) []uint8 {
	const size = Side * Side * channels
	return s.pixels[i*size : (i+1)*size]
}

// drawn draws the first images of a split of the first edition with some number of workers.
func drawn(t *testing.T, seed uint64, workers int, split Split, count int) set {
	t.Helper()
	return drawnOf(t, &First, seed, workers, split, count)
}

// drawnOf is drawn for any edition.
func drawnOf(t *testing.T, edition *Edition, seed uint64, workers int, split Split, count int) set {
	t.Helper()
	s := set{make([]uint8, count*Side*Side*channels), make([]uint8, count)}
	a := artist{edition: edition, seed: seed, split: split, pixels: s.pixels, labels: s.labels}
	if err := a.draw(context.Background(), workers); err != nil {
		t.Fatal(err)
	}
	return s
}

// The first images of seed 0, bit for bit, on every processor.
func TestShapes10Golden(t *testing.T) {
	for _, test := range []struct {
		edition *Edition
		name    string
		split   Split
		want    string
	}{
		{&First, "train", Train, "609174e52a8990e8774c4e2d891cac9119d83c61e83171788ae19d954e5f4242"},
		{&First, "test", Test, "2039150d69f16d8a79f0fba94e97b710c50b1986a3eea2e3df7534dd67f27662"},
		{&Bright, "train", Train, "06e8db69d0150bb0ba1bcee5a8d96a516cc272f7a80d388cced97b1d36ba17f8"},
		{&Bright, "test", Test, "875c1fbefbf4f1229b1bb45306703c5d670d71e8f13f9c93a6d7efb3cbc14962"},
	} {
		images := drawnOf(t, test.edition, 0, 2, test.split, 100)
		sum := sha256.Sum256(append(images.pixels, images.labels...))
		if got := hex.EncodeToString(sum[:]); got != test.want {
			t.Errorf("the first 100 images of %s %s have SHA-256\n%s, want\n%s",
				test.edition.Name, test.name, got, test.want)
		}
	}
}

func TestShapes10IsCounted(t *testing.T) {
	all := drawn(t, 5, 1, Test, 70)
	for _, test := range []struct{ workers, count int }{{1, 1}, {2, 33}, {7, 70}} {
		some := drawn(t, 5, test.workers, Test, test.count)
		want := set{all.pixels[:len(some.pixels)], all.labels[:test.count]}
		if !bytes.Equal(some.pixels, want.pixels) || !bytes.Equal(some.labels, want.labels) {
			t.Errorf("%d images by %d workers differ from the first of 70 by one worker",
				test.count, test.workers)
		}
	}
}

func TestShapes10SeedsAndSplitsDiffer(t *testing.T) {
	const count = 100
	base := drawn(t, 1, 2, Train, count)
	for name, other := range map[string]set{
		"the test split":   drawn(t, 1, 2, Test, count),
		"the next seed":    drawn(t, 2, 2, Train, count),
		"the next of test": drawn(t, 2, 2, Test, count),
	} {
		for i := range count {
			if bytes.Equal(base.image(i), other.image(i)) {
				t.Errorf("image %d of %s is the same as that of the training split", i, name)
			}
		}
	}
}

func TestShapes10IsBalanced(t *testing.T) {
	images := drawn(t, 3, 2, Train, 200)
	for from := 0; from < len(images.labels); from += len(shapeClasses) {
		var seen [10]bool
		for _, label := range images.labels[from : from+len(shapeClasses)] {
			seen[label] = true
		}
		if seen != [10]bool{true, true, true, true, true, true, true, true, true, true} {
			t.Errorf("images %d to %d don't hold each class once", from, from+len(shapeClasses)-1)
		}
	}
}

func TestDrawStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := First.Draw(ctx, 0, Train, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want one that wraps context.Canceled", err)
	}
}

// The class can't be read off single pixels or the average colour: the nearest class mean of the
// training images is a poor guess, and yet better than chance.
func TestShapes10NeedsMoreThanPixels(t *testing.T) {
	for _, edition := range Editions() {
		train, test := drawnOf(t, edition, 0, 2, Train, 1000), drawnOf(t, edition, 0, 2, Test, 500)
		means := classMeans(train)
		right := 0
		for i, label := range test.labels {
			if nearestMean(means, test.image(i)) == int(label) {
				right++
			}
		}
		if share := float64(right) / float64(len(test.labels)); share < 0.12 || share > 0.45 {
			t.Errorf("%s: the nearest class mean is right for %.1f %% of the images, want 12 to 45 %%",
				edition.Name, 100*share)
		}
	}
}

// classMeans returns the mean image of each class, [10][32*32*3].
func classMeans(images set) [][]float64 {
	means := make([][]float64, len(shapeClasses))
	for class := range means {
		means[class] = make([]float64, Side*Side*channels)
	}
	share := float64(len(shapeClasses)) / float64(len(images.labels))
	for i, label := range images.labels {
		for j, value := range images.image(i) {
			means[label][j] += float64(value) * share
		}
	}
	return means
}

// nearestMean returns the class whose mean image is nearest.
func nearestMean(means [][]float64, pixels []uint8) int {
	best, class := 0.0, -1
	for i, mean := range means {
		distance := 0.0
		for j, value := range pixels {
			difference := float64(value) - mean[j]
			distance += difference * difference
		}
		if class < 0 || distance < best {
			best, class = distance, i
		}
	}
	return class
}

func BenchmarkDraw(b *testing.B) {
	pixels, labels := make([]uint8, 100*Side*Side*channels), make([]uint8, 100)
	for b.Loop() {
		a := artist{edition: &First, pixels: pixels, labels: labels}
		if err := a.draw(context.Background(), 1); err != nil {
			b.Fatal(err)
		}
	}
}
