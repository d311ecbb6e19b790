package nbbnn

import (
	"fmt"
	"math"
	"slices"

	"github.com/nbbnn/workbench/internal/random"
)

// validationSeed is the seed with which the published code chooses its validation images (METHOD.md
// section 4).
const validationSeed = 1507

// stratify parts labelled images into those to train on and those to hold out, each class in
// proportion, and returns their indices in rising order. Labels and seed decide alone, in the way
// of scikit-learn's train_test_split, so the images held out are those of the published code.
func stratify(labels []uint8, held int, seed uint32) (train, validation []int, err error) {
	classes := imagesByClass(labels)
	if held < len(classes) || len(labels)-held < len(classes) {
		return nil, nil, fmt.Errorf("nbbnn: %d of %d images can't be held out in %d classes: leave each class at least one image on either side",
			held, len(labels), len(classes))
	}
	generator := random.NewMersenne(seed)
	kept := shares(sizes(classes), len(labels)-held, generator)
	left := sizes(classes)
	for i := range left {
		left[i] -= kept[i]
	}
	out := shares(left, held, generator)
	for i, images := range classes {
		order := generator.Permutation(len(images))
		for place, index := range order[:kept[i]+out[i]] {
			if place < kept[i] {
				train = append(train, images[index])
			} else {
				validation = append(validation, images[index])
			}
		}
	}
	slices.Sort(train)
	slices.Sort(validation)
	return train, validation, nil
}

// imagesByClass lists the images of each class that has any, in rising order.
func imagesByClass(labels []uint8) [][]int {
	var all [256][]int
	for i, label := range labels {
		all[label] = append(all[label], i)
	}
	return slices.DeleteFunc(all[:], func(images []int) bool { return len(images) == 0 })
}

func sizes(classes [][]int) []int {
	counts := make([]int, len(classes))
	for i, images := range classes {
		counts[i] = len(images)
	}
	return counts
}

// shares divides draws among classes in proportion to their sizes: the most probable outcome of
// drawing without replacement, where the generator decides between equals.
func shares(counts []int, draws int, generator *random.Mersenne) []int {
	total := 0
	for _, count := range counts {
		total += count
	}
	whole, rest, missing := make([]int, len(counts)), make([]float64, len(counts)), draws
	for i, count := range counts {
		exact := float64(count) / float64(total) * float64(draws)
		whole[i] = int(math.Floor(exact))
		rest[i] = exact - math.Floor(exact)
		missing -= whole[i]
	}
	order := slices.Clone(rest)
	slices.Sort(order)
	slices.Reverse(order)
	for _, value := range slices.Compact(order) {
		if missing == 0 {
			break
		}
		var equal []int
		for i, r := range rest {
			if r == value {
				equal = append(equal, i)
			}
		}
		add := min(len(equal), missing)
		for _, index := range generator.Permutation(len(equal))[:add] {
			whole[equal[index]]++
		}
		missing -= add
	}
	return whole
}
