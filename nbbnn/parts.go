package nbbnn

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/random"
)

// Part is a set of images on which a run can be tested.
type Part string

// The parts.
const (
	TestPart       Part = ""             // the test images, clean and corrupted
	CleanPart      Part = "clean"        // the test images, uncorrupted only
	ValidationPart Part = "validation"   // the training images that were held out
	CleanLabels    Part = "clean_labels" // D1: the training images with their own labels
	// D2: the training images with wrong labels, tested with these
	NoisyLabels Part = "noisy_labels"
)

// parts is a data set with noisy labels and held-out validation images, by a run's configuration.
type parts struct {
	*dataset.Dataset                // the run trains on its Train
	labels, noisy    []uint8        // of the whole training set, before and after the noise
	changed          []int          // images of the whole training set with a wrong label
	kept             []int          // images of the whole training set that are trained on
	held             []int          // images of the whole training set that are held out
	validation       dataset.Images // MISSING
}

// openParts opens a data set.
func openParts(ctx context.Context, c Data) (*parts, error) {
	data, err := dataset.Open(ctx, c.Images())
	if err != nil {
		return nil, err
	}
	p := &parts{Dataset: data, labels: data.Train.Labels, noisy: data.Train.Labels}
	if c.LabelNoise > 0 {
		p.noisy, p.changed = noisyLabels(p.labels, len(data.Classes), c.LabelNoise, c.NoiseForm)
		data.Train.Labels = p.noisy
	}
	return p, p.holdOut(c.Validation)
}

// holdOut takes count images out of the training set.
func (p *parts) holdOut(count int) error {
	if count == 0 {
		p.kept = upTo(p.Train.Count())
		return nil
	}
	kept, held, err := stratify(p.Train.Labels, count, validationSeed)
	if err != nil {
		return err
	}
	p.kept, p.held, p.validation = kept, held, choose(p.Train, held)
	p.Train = choose(p.Train, kept)
	return nil
}

// isTest reports whether a part is of the test images.
func (p Part) isTest() bool { return p == TestPart || p == CleanPart }

// of returns the images of a part, and the place of each in the data set's training images, or in
// its test images.
func (p *parts) of(part Part) (images dataset.Images, indices []int, err error) {
	switch part {
	case ValidationPart:
		images, indices = p.validation, p.held
	case CleanLabels, NoisyLabels:
		places := p.trained(part == NoisyLabels)
		images = choose(p.Train, places)
		for _, place := range places {
			indices = append(indices, p.kept[place])
		}
	default:
		images, indices = p.Test, upTo(p.Test.Count())
	}
	if images.Count() == 0 {
		err = noImages(part)
	}
	return images, indices, err
}

func noImages(part Part) error {
	return fmt.Errorf("nbbnn: the run has no images of the part %q: train one with --validation "+
		"(Data.Validation) or --label-noise (Data.LabelNoise)", part)
}

// upTo lists the numbers from 0 to below count.
func upTo(count int) []int {
	numbers := make([]int, count)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// trained lists the training images, by their place in Train, whose label is wrong, or whose label
// is right.
func (p *parts) trained(wrong bool) (places []int) {
	for place, image := range p.kept {
		if _, found := slices.BinarySearch(p.changed, image); found == wrong {
			places = append(places, place)
		}
	}
	return places
}

// choose copies some of the images.
func choose(images dataset.Images, indices []int) dataset.Images {
	size := images.Height * images.Width * 3
	chosen := dataset.Images{
		Height: images.Height, Width: images.Width,
		Pixels: make([]uint8, 0, len(indices)*size), Labels: make([]uint8, 0, len(indices)),
	}
	for _, i := range indices {
		chosen.Pixels = append(chosen.Pixels, images.Pixels[i*size:][:size]...)
		chosen.Labels = append(chosen.Labels, images.Labels[i])
	}
	return chosen
}

// anyLabels is the form of label noise that isn't the usual one.
const anyLabels = "any"

// labelNoiseSeed is fixed: all runs on a data set with the same share of noise learn the same wrong
// labels.
const labelNoiseSeed = 1507

// noisyLabels returns a copy of labels in which the given share, rounded to whole images, was drawn
// again, and the indices of the changed labels, in rising order: the set D2 of the paper's figures
// 8 and 9; the others are its D1.
func noisyLabels(labels []uint8, classes int, share float64, form string) (noisy []uint8,
	changed []int) {
	rng := random.New(labelNoiseSeed, random.Labels)
	noisy = slices.Clone(labels)
	chosen := rng.Perm(len(labels))[:int(math.Round(share*float64(len(labels))))]
	for _, image := range chosen {
		if form == anyLabels {
			noisy[image] = uint8(rng.IntN(classes))
			continue
		}
		noisy[image] = uint8((int(labels[image]) + 1 + rng.IntN(classes-1)) % classes)
	}
	for image := range labels {
		if noisy[image] != labels[image] {
			changed = append(changed, image)
		}
	}
	return noisy, changed
}

// writeNoise lists the images with wrong labels in the run's labels.csv: the index of each in the
// training set, its label and the label it was trained with.
func writeNoise(r *Run, p *parts) error {
	if r.config.Data.LabelNoise == 0 || exists(r.path("labels.csv")) {
		return nil
	}
	return writeFile(r.path("labels.csv"), func(w io.Writer) error {
		var records [][]string
		for _, image := range p.changed {
			records = append(records, []string{strconv.Itoa(image),
				strconv.Itoa(int(p.labels[image])), strconv.Itoa(int(p.noisy[image]))})
		}
		return csv.NewWriter(w).WriteAll(
			append([][]string{[]string{"image", "label", "trained_as"}}, records...))
	})
}

// validationSeed is the seed with which the published code chooses its validation images (METHOD.md
// section 4).
const validationSeed = 1507

// stratify splits labelled images for training and validation, each class in proportion, and
// returns their indices in rising order. The split depends only on labels and seed, as in
// scikit-learn's train_test_split, so it equals the published code's.
func stratify(labels []uint8, held int, seed uint32) (train, validation []int, err error) {
	classes := imagesByClass(labels)
	if held < len(classes) || len(labels)-held < len(classes) {
		return nil, nil, fmt.Errorf("nbbnn: %d of %d images can't be held out in %d classes: "+
			"leave each class at least one image on either side",
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
