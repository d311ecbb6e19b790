package nbbnn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/corrupted"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// readyMade is a set of corrupted images from files, used instead of generated ones.
type readyMade struct {
	set *dataset.Corrupted
	// the images' origin, and which of them may not be the published ones
	note string
}

// openReadyMade opens the images that an evaluation names; nil for one that names none. Every
// corruption of the suite has to be there, as its manifest or the source describes it.
func openReadyMade(ctx context.Context, e Evaluation, suite corrupt.Suite,
	data *dataset.Dataset) (*readyMade, error) {
	if e.Corrupted == "" {
		return nil, nil
	}
	set, err := dataset.OpenCorrupted(e.Corrupted, "", data.ClassIDs)
	if err != nil {
		return nil, err
	}
	have := set.Corruptions()
	missing := slices.DeleteFunc(slices.Clone(suite.Corruptions), func(name string) bool {
		return slices.Contains(have, name)
	})
	if len(missing) > 0 {
		return nil, fmt.Errorf("nbbnn: %s lacks %s of suite %s: choose a suite that it has "+
			"complete, for example main15 for the 15 of Tiny-ImageNet-C",
			set.Folder, strings.Join(missing, ", "), suite.Name)
	}
	if err := checkManifest(ctx, set.Folder, suite); err != nil {
		return nil, err
	}
	var unknown []string
	for _, corruption := range suite.Corruptions {
		published, err := set.Published(ctx, corruption)
		if err != nil {
			return nil, err
		}
		if set.Paired && isSource(e.Corrupted) && !published {
			return nil, fmt.Errorf("nbbnn: %s of %s isn't the published file: `nbbnn data verify "+
				"%s` lists what differs; get it again, or name the folder instead of the source",
				corruption, set.Folder, set.Name)
		}
		if !published {
			unknown = append(unknown, corruption)
		}
	}
	note := fmt.Sprintf("corrupted images are ready-made, from %s, ", set.Name)
	switch len(unknown) {
	case 0:
		note += "all with the published checksums"
	case len(suite.Corruptions):
		note += "none with a published checksum"
	default:
		note += "with the published checksums but for " + strings.Join(unknown, ", ")
	}
	return &readyMade{set, note}, nil
}

// images returns one cell's, as many as the clean ones, from the first on. If the set corrupts the
// very test images, its labels have to equal theirs.
func (r *readyMade) images(ctx context.Context, s score.Condition, clean dataset.Images,
	first int) (dataset.Images, error) {
	images, err := r.set.Images(ctx, s.Corruption, s.Severity, first+clean.Count())
	if err != nil {
		return dataset.Images{}, err
	}
	images = images.Slice(first, first+clean.Count())
	if images.Height != clean.Height || images.Width != clean.Width {
		return dataset.Images{}, fmt.Errorf("nbbnn: %s has images of %dx%d, the run's data set "+
			"%dx%d: choose the corrupted version of that",
			r.set.Folder, images.Height, images.Width, clean.Height, clean.Width)
	}
	if r.set.Paired && !slices.Equal(images.Labels, clean.Labels) {
		return dataset.Images{}, fmt.Errorf("nbbnn: the labels in %s differ from the run's test "+
			"images': choose the corrupted version of its data set", r.set.Folder)
	}
	return images, nil
}

// frost is the corruption that needs textures, and the name of the reference's textures on a card.
const frost = "frost"

// public returns the evaluation as cells and cards name it, without the places of its images and
// textures on this machine. Ready-made images are named by their source, whose files have to be the
// published ones, or by their folder and the beginning of a checksum of what is in it. A name that
// is no folder stays as it is: a card's, or one whose opening will fail. The textures are the
// reference's, wherever they are: their checksums are compared. Another data set that a user added
// is named with the beginning of its checksum, too.
func (e Evaluation) public(ctx context.Context) (Evaluation, error) {
	if e.Textures != "" {
		e.Textures = frost
	}
	if content := dataset.Content("", e.Test); content != "" {
		e.Test += sources.ContentMark + content[:8]
	}
	if e.Corrupted == "" {
		return e, nil
	}
	sum, err := "", error(nil)
	if !isSource(e.Corrupted) && exists(e.Corrupted) {
		sum, err = folderChecksum(ctx, e.Corrupted)
		sum = "-" + sum
	}
	e.Corrupted = filepath.Base(e.Corrupted) + sum
	return e, err
}

// isSource reports whether a name belongs to a published set.
func isSource(name string) bool { return slices.Contains(sources.Names(), name) }

// folderChecksum returns eight hexadecimal digits of a SHA-256: of the manifest that `nbbnn corrupt
// make` writes, which has the checksums of all files, or of the contents of all files.
func folderChecksum(ctx context.Context, folder string) (string, error) {
	manifest, err := corrupted.ReadManifest(folder)
	if err == nil {
		return manifest.Checksum[:8], nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	sums, err := files.SumFolder(ctx, folder, checksumMemory(folder))
	if err != nil {
		return "", unreadable(err)
	}
	var all []byte
	for _, path := range slices.Sorted(maps.Keys(sums)) {
		all = fmt.Appendf(all, "%s  %s\n", sums[path], path)
	}
	return records.Digest(all)[:8], nil
}

// checkManifest compares the files of a suite with the manifest of their folder, if it has one.
func checkManifest(ctx context.Context, folder string, suite corrupt.Suite) error {
	manifest, err := corrupted.ReadManifest(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	names := []string{"labels.npy"}
	for _, corruption := range suite.Corruptions {
		names = append(names, corruption+".npy")
	}
	sums, err := files.SumFiles(ctx, folder, names, checksumMemory(folder))
	if err != nil {
		return unreadable(err)
	}
	for _, name := range names {
		file, listed := manifest.File(name)
		switch {
		case !listed:
			return fmt.Errorf("nbbnn: %s doesn't list %s: remove the manifest if you added that "+
				"file, or make the set again with nbbnn corrupt make",
				filepath.Join(folder, corrupted.ManifestName), name)
		case file.SHA256 != sums[name]:
			return fmt.Errorf("nbbnn: %s isn't the file that %s lists: repeat nbbnn corrupt "+
				"make, which replaces damaged files",
				filepath.Join(folder, name), corrupted.ManifestName)
		}
	}
	return nil
}

// checksumMemory returns the file that remembers the checksums of a folder of images. It lies with
// the data sets, since the folder may be read-only; there is none if the data sets have no
// directory.
func checksumMemory(folder string) string {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	directory, err := sources.Directory("")
	if err != nil {
		return ""
	}
	return filepath.Join(directory, "checksums", records.Digest([]byte(absolute))[:16]+".json")
}
