package nbbnn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// readyMade is a set of corrupted images from files, used instead of generated ones.
type readyMade struct {
	set       *dataset.Corrupted
	published map[string]bool // the corruptions whose files have the published checksums
}

// openReadyMade opens the images that an evaluation names; nil for one that names none. Every
// corruption of the suite has to be there, as its manifest or the source describes it.
func openReadyMade(ctx context.Context, e Evaluation, suite corrupt.Suite, data *dataset.Dataset) (*readyMade, error) {
	if e.Corrupted == "" {
		return nil, nil
	}
	set, err := dataset.OpenCorrupted(e.Corrupted, "", data.ClassIDs)
	if err != nil {
		return nil, err
	}
	have := set.Corruptions()
	missing := slices.DeleteFunc(slices.Clone(suite.Corruptions), func(name string) bool { return slices.Contains(have, name) })
	if len(missing) > 0 {
		return nil, fmt.Errorf("nbbnn: %s lacks %s of suite %s: choose a suite that it has whole, such as main15 for the 15 of Tiny-ImageNet-C",
			set.Folder, strings.Join(missing, ", "), suite.Name)
	}
	if err := checkManifest(ctx, set.Folder, suite); err != nil {
		return nil, err
	}
	r := &readyMade{set, map[string]bool{}}
	for _, corruption := range suite.Corruptions {
		if r.published[corruption], err = set.Published(ctx, corruption); err != nil {
			return nil, err
		}
		if set.Paired && isSource(e.Corrupted) && !r.published[corruption] {
			return nil, fmt.Errorf("nbbnn: %s of %s isn't the published file: `nbbnn data verify %s` lists what differs; get it again, or name the folder instead of the source",
				corruption, set.Folder, set.Name)
		}
	}
	return r, nil
}

// images returns those of one cell, as many as there are clean ones, from the first on. Where the
// set corrupts the very test images, its labels have to be theirs.
func (r *readyMade) images(ctx context.Context, s score.Condition, clean dataset.Images, first int) (dataset.Images, error) {
	images, err := r.set.Images(ctx, s.Corruption, s.Severity, first+clean.Count())
	if err != nil {
		return dataset.Images{}, err
	}
	images = images.Slice(first, first+clean.Count())
	if images.Height != clean.Height || images.Width != clean.Width {
		return dataset.Images{}, fmt.Errorf("nbbnn: %s has images of %dx%d, the run's data set %dx%d: choose the corrupted version of that",
			r.set.Folder, images.Height, images.Width, clean.Height, clean.Width)
	}
	if r.set.Paired && !slices.Equal(images.Labels, clean.Labels) {
		return dataset.Images{}, fmt.Errorf("nbbnn: the labels in %s aren't those of the run's test images: choose the corrupted version of its data set", r.set.Folder)
	}
	return images, nil
}

// note says where the images come from, and which of them aren't known to be the published ones.
func (r *readyMade) note(corruptions []string) string {
	unknown := slices.DeleteFunc(slices.Clone(corruptions), func(name string) bool { return r.published[name] })
	text := fmt.Sprintf("corrupted images are ready-made, from %s", r.set.Name)
	switch {
	case len(unknown) == 0:
		return text + ", all with the published checksums"
	case len(unknown) == len(corruptions):
		return text + ", none with a published checksum"
	}
	return fmt.Sprintf("%s, with the published checksums but for %s", text, strings.Join(unknown, ", "))
}
