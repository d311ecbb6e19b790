package nbbnn

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/sources"
)

// openOther opens a data set whose images have the size of a run's own test images.
func openOther(ctx context.Context, name string, own Data, test dataset.Images) (*dataset.Dataset,
	error) {
	other, err := dataset.Open(ctx, dataset.Config{Name: name, TrainCount: 1, Seed: own.Seed})
	if err != nil {
		return nil, err
	}
	if images := other.Test; images.Height != test.Height || images.Width != test.Width {
		return nil, fmt.Errorf("nbbnn: %s has images of %d x %d pixels, the run's data set %s of "+
			"%d x %d: `nbbnn data add NAME FOLDER --size %[5]dx%d` scales them", name,
			images.Height, images.Width, own.Name, test.Height, test.Width)
	}
	return other, nil
}

// openTestSet opens the test images of another data set than a run's own, with their labels as the
// run counts its classes. The notes describe how classes with other names were matched, and how
// many images the run was trained on.
func openTestSet(ctx context.Context, test string, own Data,
	data *dataset.Dataset) (images dataset.Images, notes []string, err error) {
	name, content, _ := strings.Cut(test, sources.ContentMark)
	other, err := openOther(ctx, name, own, data.Test)
	if err != nil {
		return images, nil, err
	}
	if have := dataset.Content("", name); !strings.HasPrefix(have, content) {
		return images, nil, fmt.Errorf("nbbnn: the set %s has content %.8s, not %s: its images "+
			"were replaced; name it without %s to test the new ones", name, have, content,
			sources.ContentMark+content)
	}
	images = other.Test
	places, notes, err := matchClasses(name, other.Classes, own.Name, data.Classes)
	if err != nil {
		return images, nil, err
	}
	images.Labels = slices.Clone(images.Labels)
	for i, label := range images.Labels {
		images.Labels[i] = places[label]
	}
	if known := countKnown(images, data.Train); known > 0 {
		notes = append(notes, fmt.Sprintf("%d of the %d test images of %s are the run's training "+
			"images, which makes the test error too low", known, images.Count(), name))
	}
	return images, notes, nil
}

// countKnown counts the images whose pixels a training set has.
func countKnown(images, train dataset.Images) (count int) {
	seed, seen := maphash.MakeSeed(), map[uint64]bool{}
	sum := func(images dataset.Images, i int) uint64 {
		return maphash.Bytes(seed, images.Slice(i, i+1).Pixels)
	}
	for i := range train.Count() {
		seen[sum(train, i)] = true
	}
	for i := range images.Count() {
		if seen[sum(images, i)] {
			count++
		}
	}
	return count
}

// matchClasses returns the label in a run's data set of each class of another one: by names, or for
// as many classes without a name in common by numbers, with a note.
func matchClasses(name string, classes []string, ownName string, own []string) (places []uint8,
	notes []string, err error) {
	var unknown []string
	for _, class := range classes {
		at := slices.Index(own, class)
		if at < 0 {
			unknown = append(unknown, class)
		}
		places = append(places, uint8(max(at, 0)))
	}
	switch {
	case len(unknown) == 0:
		return places, nil, nil
	case len(unknown) < len(classes):
		return nil, nil, fmt.Errorf("nbbnn: the class %q of %s isn't one of %s, and others are: "+
			"give it its name there (%s), or leave its images out",
			unknown[0], name, ownName, strings.Join(own[:min(len(own), 12)], ", "))
	case len(classes) != len(own):
		return nil, nil, fmt.Errorf("nbbnn: %s has %d classes and %s %d, without a name in "+
			"common: a test needs the same classes; `nbbnn evaluate RUN --outside %[1]s` takes "+
			"others",
			name, len(classes), ownName, len(own))
	}
	for i := range places {
		places[i] = uint8(i)
	}
	return places, []string{fmt.Sprintf("the classes of %s are taken by their numbers: %q for "+
		"%q, and so on to %q for %q",
		name, classes[0], own[0], classes[len(classes)-1], own[len(own)-1])}, nil
}

// sameClasses reports whether two data sets have the same names of classes.
func sameClasses(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}
