package folder

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/random"
)

// split takes a share of each class for testing, chosen by the seed: at least one picture, and not
// all.
func split(items []item, classes []string, share float64, seed uint64) (train, test []item,
	err error) {
	for label, class := range classes {
		own := slices.DeleteFunc(slices.Clone(items), func(i item) bool {
			return int(i.label) != label
		})
		if len(own) < 2 {
			return nil, nil, fmt.Errorf("folder: class %q has %d picture, and one to train on and "+
				"one to test on are needed: add pictures, remove the class, or give a folder of "+
				"test pictures",
				class, len(own))
		}
		count := min(max(1, int(math.Round(share*float64(len(own))))), len(own)-1)
		for place, i := range random.New(seed, random.TestPictures, uint64(label)).Perm(len(own)) {
			if place < count {
				test = append(test, own[i])
			} else {
				train = append(train, own[i])
			}
		}
	}
	return interleave(train), interleave(test), nil
}

// interleave orders pictures so that the first ones, however many, hold each class in proportion.
// The order within a class stays.
func interleave(items []item) []item {
	var counts, seen [dataset.MaxClasses]float64
	for _, i := range items {
		counts[i.label]++
	}
	ordered := slices.Clone(items)
	for k, i := range items {
		ordered[k].at = (seen[i.label] + 0.5) / counts[i.label]
		seen[i.label]++
	}
	slices.SortStableFunc(ordered, func(a, b item) int {
		return cmp.Or(cmp.Compare(a.at, b.at), int(a.label)-int(b.label))
	})
	return ordered
}

// duplicates notes test images that are training images, too, and images that two classes have.
func duplicates(f *found, data *dataset.Dataset) (notes []string) {
	first := map[[sha256.Size]byte]int{}
	var shared, twoClasses []string
	items := slices.Concat(f.train, f.test)
	for k, item := range items {
		images, i := data.Train, k
		if k >= len(f.train) {
			images, i = data.Test, k-len(f.train)
		}
		sum := sha256.Sum256(images.Slice(i, i+1).Pixels)
		twin, both := first[sum]
		if !both {
			first[sum] = k
			continue
		}
		pair := item.name + " is " + items[twin].name
		if twin < len(f.train) && k >= len(f.train) {
			shared = append(shared, pair)
		}
		if items[twin].label != item.label {
			twoClasses = append(twoClasses, pair)
		}
	}
	switch {
	case bytes.Equal(data.Train.Pixels, data.Test.Pixels):
		notes = append(notes, "the training images are the test images: this is a set to test on "+
			"(`nbbnn evaluate RUN --test`), not to train on")
	case len(shared) > 0:
		notes = append(notes, fmt.Sprintf("%d of %d test images are training images, too (%s), "+
			"which makes the test error too low: leave each in one place",
			len(shared), data.Test.Count(), quantity.List(shared, mostListed)))
	}
	if len(twoClasses) > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d images are in two classes (%s): leave each "+
			"in the one that it shows",
			len(twoClasses), len(items), quantity.List(twoClasses, mostListed)))
	}
	return notes
}
