package nbbnn

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/nbbnn/workbench/internal/random"
)

// NoiseForm says which labels take the place of the right ones.
type NoiseForm string

// The forms of label noise (METHOD.md section 4).
const (
	WrongLabels  NoiseForm = ""    // one of the other classes: each chosen image ends with a wrong label
	RandomLabels NoiseForm = "any" // any class, so that a chosen image may keep its label by chance
)

// labelNoiseSeed is fixed: all runs on a data set with the same share of noise learn the same wrong
// labels.
const labelNoiseSeed = 1507

// noisyLabels returns a copy of labels in which the given share, rounded to whole images, was drawn
// again, and the indices of those that differ now, in rising order: the set D2 of the paper's
// figures 8 and 9; the others are its D1.
func noisyLabels(labels []uint8, classes int, share float64, form NoiseForm) (noisy []uint8, changed []int) {
	rng := random.New(labelNoiseSeed, random.Labels)
	noisy = slices.Clone(labels)
	chosen := rng.Perm(len(labels))[:int(math.Round(share*float64(len(labels))))]
	for _, image := range chosen {
		if form == RandomLabels {
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

// writeNoise keeps the images with wrong labels in the run: labels.csv holds the index of each in
// the training set, its label and the one that it was trained with.
func writeNoise(r *Run, p *parts) error {
	if r.config.Data.LabelNoise == 0 || exists(r.path("labels.csv")) {
		return nil
	}
	return writeFile(r.path("labels.csv"), func(w io.Writer) error {
		var records [][]string
		for _, image := range p.changed {
			records = append(records, []string{strconv.Itoa(image), strconv.Itoa(int(p.labels[image])), strconv.Itoa(int(p.noisy[image]))})
		}
		return csv.NewWriter(w).WriteAll(append([][]string{[]string{"image", "label", "trained_as"}}, records...))
	})
}
