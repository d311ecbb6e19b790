package nbbnn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// readyMade is a set of downloaded corrupted images, used instead of generated ones.
type readyMade struct{ set *dataset.Corrupted }

// openReadyMade opens the images that an evaluation names; nil for one that names none. Every
// corruption of the suite has to be there.
func openReadyMade(e Evaluation, suite corrupt.Suite, data *dataset.Dataset) (*readyMade, error) {
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
	return &readyMade{set}, nil
}

// images returns those of one cell, as many as there are clean ones. Where the set corrupts the
// very test images, its labels have to be theirs.
func (r *readyMade) images(ctx context.Context, s score.Condition, clean dataset.Images) (dataset.Images, error) {
	images, err := r.set.Images(ctx, s.Corruption, s.Severity, clean.Count())
	if err != nil {
		return dataset.Images{}, err
	}
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
func (r *readyMade) note(ctx context.Context, corruptions []string) (string, error) {
	var unknown []string
	for _, corruption := range corruptions {
		published, err := r.set.Published(ctx, corruption)
		if err != nil {
			return "", err
		}
		if !published {
			unknown = append(unknown, corruption)
		}
	}
	text := fmt.Sprintf("corrupted images are ready-made, from %s", r.set.Name)
	switch {
	case len(unknown) == 0:
		return text + ", all with the published checksums", nil
	case len(unknown) == len(corruptions):
		return text + ", none with a published checksum", nil
	}
	return fmt.Sprintf("%s, with the published checksums but for %s", text, strings.Join(unknown, ", ")), nil
}

// public is the evaluation without the places of its images and textures on this machine. The
// textures are the reference's, wherever they are: their checksums are compared.
func (e Evaluation) public() Evaluation {
	if e.Corrupted != "" {
		e.Corrupted, e.identity = cmp.Or(e.identity, filepath.Base(e.Corrupted)), ""
	}
	if e.Textures != "" {
		e.Textures = frost
	}
	return e
}

// frost is the corruption that needs textures, and what the reference's are called on a card.
const frost = "frost"

// identified returns the evaluation with the identity of its ready-made images: the name of a
// source, or the name of a folder and the beginning of a checksum, so that folders with the same
// name, and one that was made again, have different cells. A name that is no folder stays as it is:
// a card's, which is an identity already, or one whose opening will fail.
func (e Evaluation) identified() (Evaluation, error) {
	if e.Corrupted == "" {
		return e, nil
	}
	e.identity = filepath.Base(e.Corrupted)
	if slices.Contains(dataset.SourceNames(), e.Corrupted) || !exists(e.Corrupted) {
		return e, nil
	}
	sum, err := folderChecksum(e.Corrupted)
	if err != nil {
		return e, unreadable(err)
	}
	e.identity += "-" + sum
	return e, nil
}

// folderChecksum returns eight hexadecimal digits of a SHA-256: of the manifest that `nbbnn corrupt
// make` writes, which has the checksums of all files, or else of the labels and the names and sizes
// of the files.
func folderChecksum(folder string) (string, error) {
	data, err := os.ReadFile(filepath.Join(folder, corrupt.ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		data, err = folderSummary(folder)
	}
	if err != nil {
		return "", err
	}
	return digest(data)[:8], nil
}

// folderSummary is the labels of a folder, if they're in a file, and the name and the size of every
// file.
func folderSummary(folder string) ([]byte, error) {
	summary, err := os.ReadFile(filepath.Join(folder, "labels.npy"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	files := os.DirFS(folder)
	err = fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := fs.Stat(files, path)
		if err != nil {
			return err
		}
		summary = fmt.Appendf(summary, "%s %d\n", path, info.Size())
		return nil
	})
	return summary, err
}
