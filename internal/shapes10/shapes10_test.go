package shapes10

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"runtime"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// drawn draws the first images of a split.
func drawn(t *testing.T, edition *Edition, seed uint64, split Split, count int) (pixels,
	labels []uint8) {
	t.Helper()
	pixels, labels = make([]uint8, count*Side*Side*channels), make([]uint8, count)
	testkit.NoError(t, edition.Draw(t.Context(), seed, split, pixels, labels))
	return pixels, labels
}

// The first images of seed 0, bit for bit, on every processor.
func TestShapes10Golden(t *testing.T) {
	for _, test := range []struct {
		edition *Edition
		name    string
		split   Split
		want    string
	}{
		{&First, "train", Train,
			"609174e52a8990e8774c4e2d891cac9119d83c61e83171788ae19d954e5f4242"},
		{&First, "test", Test, "2039150d69f16d8a79f0fba94e97b710c50b1986a3eea2e3df7534dd67f27662"},
		{&Bright, "train", Train,
			"06e8db69d0150bb0ba1bcee5a8d96a516cc272f7a80d388cced97b1d36ba17f8"},
		{&Bright, "test", Test, "875c1fbefbf4f1229b1bb45306703c5d670d71e8f13f9c93a6d7efb3cbc14962"},
	} {
		pixels, labels := drawn(t, test.edition, 0, test.split, 100)
		sum := sha256.Sum256(append(pixels, labels...))
		if got := hex.EncodeToString(sum[:]); got != test.want {
			t.Errorf("the first 100 images of %s %s have SHA-256\n%s, want\n%s",
				test.edition.Name, test.name, got, test.want)
		}
	}
}

// An image is the same whatever the number of images and of cores.
func TestShapes10IsCounted(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	runtime.GOMAXPROCS(1)
	allPixels, allLabels := drawn(t, &First, 5, Test, 70)
	for _, test := range []struct{ cores, count int }{{1, 1}, {2, 33}, {7, 70}} {
		runtime.GOMAXPROCS(test.cores)
		pixels, labels := drawn(t, &First, 5, Test, test.count)
		if !bytes.Equal(pixels, allPixels[:len(pixels)]) ||
			!bytes.Equal(labels, allLabels[:test.count]) {
			t.Errorf("%d images on %d cores differ from the first of 70 on one", test.count,
				test.cores)
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
