package nbbnn

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
)

// unevenLabels are labels of a number of classes of different sizes.
func unevenLabels(count, classes, period int) []uint8 {
	labels := make([]uint8, count)
	for i := range labels {
		labels[i] = uint8((i*i*7 + i*3 + i/period) % classes)
	}
	return labels
}

// The images that scikit-learn 1.9's train_test_split holds out with seed 1507, stratified by
// label.
func TestStratifyAgreesWithScikitLearn(t *testing.T) {
	for _, c := range []struct {
		count, classes, period, held int
		want                         []int
	}{
		{60, 3, 5, 9, []int{2, 12, 14, 15, 19, 40, 49, 52, 55}},
		{103, 4, 7, 20, []int{8, 10, 18, 24, 28, 33, 37, 47, 60, 61, 64, 71, 77, 78, 83, 87, 88, 89, 90, 95}},
		{257, 10, 3, 31, []int{8, 10, 13, 25, 34, 39, 49, 60, 63, 75, 98, 102, 107, 108, 114, 131, 143, 162, 187, 199, 204, 206, 208, 214, 215, 223, 237, 238, 243, 249, 256}},
	} {
		train, validation, err := stratify(unevenLabels(c.count, c.classes, c.period), c.held, validationSeed)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(validation, c.want) {
			t.Errorf("%d of %d images held out: got %v, want %v", c.held, c.count, validation, c.want)
		}
		if all := slices.Sorted(slices.Values(slices.Concat(train, validation))); len(all) != c.count || len(slices.Compact(all)) != c.count {
			t.Errorf("%d of %d images held out: the two parts have %d images", c.held, c.count, len(all))
		}
	}
}

// On CIFAR-10 the 5,000 images are those of the published code: the hash is that of their indices
// from scikit-learn.
func TestStratifyOfCIFAR10(t *testing.T) {
	data, err := dataset.Open(t.Context(), dataset.Config{Name: dataset.CIFAR10})
	if err != nil {
		t.Skipf("CIFAR-10 isn't here: %v", err)
	}
	_, validation, err := stratify(data.Train.Labels, 5000, validationSeed)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(validation), " ", ","), "[]")
	sum := sha256.Sum256([]byte(text))
	const want = "9d1538d097ca9ee6ae3676eb8f9c0125c5be66a2d358c7352af00e89cb24c2a5"
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("images %v... have the hash %s, want %s", validation[:8], got, want)
	}
}

func TestStratifyRefuses(t *testing.T) {
	for _, held := range []int{0, 2, 58, 60, 100} {
		if _, _, err := stratify(unevenLabels(60, 3, 5), held, 1); err == nil {
			t.Errorf("%d of 60 images of three classes are held out, want an error", held)
		}
	}
}
