package nbbnn

import (
	"context"
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/dataset"
)

// Part is a set of images on which a run can be tested.
type Part string

// The parts.
const (
	TestPart       Part = ""             // the test images, clean and corrupted
	CleanPart      Part = "clean"        // the test images, uncorrupted only
	ValidationPart Part = "validation"   // the training images that were held out
	CleanLabels    Part = "clean_labels" // D1: the training images with their own labels
	NoisyLabels    Part = "noisy_labels" // D2: the training images with wrong labels, which is what they're tested with
)

// parts is a data set with its labels made noisy and its validation images held out, as a run's
// configuration says.
type parts struct {
	*dataset.Dataset                // its Train is what the run trains on
	labels, noisy    []uint8        // of the whole training set, before and after the noise
	changed          []int          // images of the whole training set with a wrong label
	kept             []int          // images of the whole training set that are trained on
	held             []int          // images of the whole training set that are held out
	validation       dataset.Images // those images
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

// of returns the images of a part, and the place of each in the data set's training images, or in its
// test images.
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
		err = fmt.Errorf("nbbnn: the run has no images of the part %q: train one with held-out images (Data.Validation) or wrong labels (Data.LabelNoise)", part)
	}
	return images, indices, err
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
