package dataset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"
)

// drawn draws images of seed 0 or another with some number of workers.
func drawn(t *testing.T, seed uint64, workers int, split split, count int) Images {
	t.Helper()
	images, err := shapesArtist{seed: seed, workers: workers}.draw(context.Background(), split, count)
	if err != nil {
		t.Fatal(err)
	}
	return images
}

// The first images of seed 0, bit for bit, on every processor.
func TestShapes10Golden(t *testing.T) {
	for _, test := range []struct {
		name  string
		split split
		want  string
	}{
		{"train", trainSplit, goldenTrain},
		{"test", testSplit, goldenTest},
	} {
		images := drawn(t, 0, 2, test.split, 100)
		sum := sha256.Sum256(append(images.Pixels, images.Labels...))
		if got := hex.EncodeToString(sum[:]); got != test.want {
			t.Errorf("the first 100 images of %s have SHA-256\n%s, want\n%s", test.name, got, test.want)
		}
	}
}

func TestShapes10IsCounted(t *testing.T) {
	all := drawn(t, 5, 1, testSplit, 70)
	for _, test := range []struct{ workers, count int }{{1, 1}, {2, 33}, {7, 70}} {
		some := drawn(t, 5, test.workers, testSplit, test.count)
		want := all.Slice(0, test.count)
		if !bytes.Equal(some.Pixels, want.Pixels) || !bytes.Equal(some.Labels, want.Labels) {
			t.Errorf("%d images by %d workers aren't the first of 70 by one worker", test.count, test.workers)
		}
	}
}

func TestShapes10SeedsAndSplitsDiffer(t *testing.T) {
	const count = 100
	base := drawn(t, 1, 2, trainSplit, count)
	for name, other := range map[string]Images{
		"the test split":   drawn(t, 1, 2, testSplit, count),
		"the next seed":    drawn(t, 2, 2, trainSplit, count),
		"the next of test": drawn(t, 2, 2, testSplit, count),
	} {
		for i := range count {
			if bytes.Equal(base.Slice(i, i+1).Pixels, other.Slice(i, i+1).Pixels) {
				t.Errorf("image %d of %s is the same as that of the training split", i, name)
			}
		}
	}
}

func TestShapes10IsBalanced(t *testing.T) {
	images := drawn(t, 3, 2, trainSplit, 200)
	for from := 0; from < images.Count(); from += len(shapeClasses) {
		var seen [10]bool
		for _, label := range images.Slice(from, from+len(shapeClasses)).Labels {
			seen[label] = true
		}
		if seen != [10]bool{true, true, true, true, true, true, true, true, true, true} {
			t.Errorf("images %d to %d don't hold each class once", from, from+len(shapeClasses)-1)
		}
	}
}

func TestOpenShapes10(t *testing.T) {
	data, err := Open(context.Background(), Config{TestCount: 20})
	if err != nil {
		t.Fatal(err)
	}
	if data.Name != Shapes10 || data.Train.Count() != 4000 || data.Test.Count() != 20 || len(data.Classes) != 10 {
		t.Errorf("got %s with %d training and %d test images of %d classes, want shapes10 with 4000, 20 and 10",
			data.Name, data.Train.Count(), data.Test.Count(), len(data.Classes))
	}
	if len(data.Hash) != 64 {
		t.Errorf("hash is %q, want 64 digits", data.Hash)
	}
	checkMoments(t, data, 1e-4)
}

func TestShapes10StopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want one that wraps context.Canceled", err)
	}
}

// The class can't be read off single pixels or the average colour: the nearest class mean of the training images is a poor
// guess, and yet better than chance.
func TestShapes10NeedsMoreThanPixels(t *testing.T) {
	train, test := drawn(t, 0, 2, trainSplit, 1000), drawn(t, 0, 2, testSplit, 500)
	means := classMeans(train)
	right := 0
	for i := range test.Count() {
		image := test.Slice(i, i+1)
		if nearestMean(means, image.Pixels) == int(image.Labels[0]) {
			right++
		}
	}
	if share := float64(right) / float64(test.Count()); share < 0.12 || share > 0.45 {
		t.Errorf("the nearest class mean is right for %.1f %% of the images, want 12 to 45 %%", 100*share)
	}
}

// classMeans returns the mean image of each class, [10][32*32*3].
func classMeans(images Images) [][]float64 {
	means := make([][]float64, len(shapeClasses))
	for class := range means {
		means[class] = make([]float64, side*side*channels)
	}
	share := float64(len(shapeClasses)) / float64(images.Count())
	for i := range images.Count() {
		image := images.Slice(i, i+1)
		for j, value := range image.Pixels {
			means[image.Labels[0]][j] += float64(value) * share
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

const (
	goldenTrain = "609174e52a8990e8774c4e2d891cac9119d83c61e83171788ae19d954e5f4242"
	goldenTest  = "2039150d69f16d8a79f0fba94e97b710c50b1986a3eea2e3df7534dd67f27662"
)

func BenchmarkShapes10(b *testing.B) {
	for b.Loop() {
		artist := shapesArtist{workers: 1}
		if _, err := artist.draw(context.Background(), trainSplit, 100); err != nil {
			b.Fatal(err)
		}
	}
}
