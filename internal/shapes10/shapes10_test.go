package shapes10

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// set is a number of images with their labels.
type set struct{ pixels, labels []uint8 }

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
	testkit.NoError(t, a.draw(context.Background(), workers))
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

func TestDrawStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := First.Draw(ctx, 0, Train, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want one that wraps context.Canceled", err)
	}
}
