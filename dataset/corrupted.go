package dataset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/sources"
)

// severities is the number of severities of each corruption.
const severities = 5

// Corrupted is a folder of ready-made corrupted test images: CIFAR-10-C or CIFAR-100-C, a file for
// each corruption, or Tiny-ImageNet-C, a picture file for each image; or one that was made in the
// same layout.
type Corrupted struct {
	Name   string // of the source, or the folder's own name
	Folder string
	// image i is test image i of the uncorrupted set; not so in Tiny-ImageNet-C, which has other
	// pictures
	Paired bool

	layout corruptedLayout
}

// corruptedLayout is one of the two ways in which the images are stored.
type corruptedLayout interface {
	// corruptions lists the corruptions in the folder.
	corruptions() []string
	// read returns the first count images of a corruption at a severity, all when count is 0.
	read(ctx context.Context, corruption string, severity, count int) (Images, error)
}

// OpenCorrupted opens a folder of ready-made corrupted images: a source by name, for example
// "cifar10-c", in the directory of data sets ("" as in Config), or the path of a folder. classIDs
// gives the labels of folders that are named after classes (Dataset.ClassIDs); nil takes their
// names in alphabetical order.
func OpenCorrupted(nameOrFolder, directory string, classIDs []string) (*Corrupted, error) {
	folder, err := nameOrFolder, error(nil)
	if slices.Contains(sources.Names(), nameOrFolder) {
		if folder, err = sources.Folder(nameOrFolder, directory); err != nil {
			return nil, err
		}
	}
	c := &Corrupted{Name: filepath.Base(nameOrFolder), Folder: folder}
	switch {
	case isThere(filepath.Join(folder, labelsFile)):
		c.Paired = true
		c.layout, err = newArrayLayout(folder)
	case isThere(folder):
		c.layout = newPictureLayout(folder, classIDs)
	default:
		err = fmt.Errorf("dataset: %s: %w: give a folder in the layout of CIFAR-10-C or "+
			"Tiny-ImageNet-C", folder, os.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	if len(c.layout.corruptions()) == 0 {
		return nil, fmt.Errorf("dataset: %s holds neither .npy files with %s nor folders named "+
			"like fog%c1: give a folder in the layout of CIFAR-10-C or Tiny-ImageNet-C",
			folder, labelsFile, filepath.Separator)
	}
	return c, nil
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Corruptions lists the corruptions that the folder holds, in alphabetical order.
func (c *Corrupted) Corruptions() []string { return c.layout.corruptions() }

// Images returns the first count test images under a corruption at a severity of 1 to 5, or all of
// them when count is 0.
func (c *Corrupted) Images(ctx context.Context, corruption string, severity, count int) (Images,
	error) {
	if err := c.check(corruption); err != nil {
		return Images{}, err
	}
	if severity < 1 || severity > severities || count < 0 {
		return Images{}, fmt.Errorf("dataset: severity %d and %d images asked for: give a "+
			"severity of 1 to %d, and 0 for all images", severity, count, severities)
	}
	if err := stopped(ctx, c.Name); err != nil {
		return Images{}, err
	}
	return c.layout.read(ctx, corruption, severity, count)
}

// published lists the sets with checksums; a test has its own.
var published = sources.All

// Published reports whether the images of a corruption are the published ones, by the MD5 sums of
// their file and of the labels. It's false if no sums were published.
func (c *Corrupted) Published(ctx context.Context, corruption string) (bool, error) {
	if err := c.check(corruption); err != nil {
		return false, err
	}
	for _, source := range published() {
		if c.agrees(ctx, source, labelsFile) && c.agrees(ctx, source, corruption+".npy") {
			return true, nil
		}
	}
	return false, ctx.Err()
}

// agrees reports whether a file equals the published one.
func (c *Corrupted) agrees(ctx context.Context, source sources.Source, name string) bool {
	i := slices.IndexFunc(source.Members, func(m sources.Member) bool { return m.Path == name })
	return i >= 0 && files.Published{MD5: source.Members[i].MD5}.Check(ctx,
		filepath.Join(c.Folder, name)) == nil
}

// check returns an error for a corruption that isn't there.
func (c *Corrupted) check(corruption string) error {
	if have := c.Corruptions(); !slices.Contains(have, corruption) {
		return fmt.Errorf("dataset: %s holds no corruption %q: it has %s; choose a suite of these",
			c.Folder, corruption, strings.Join(have, ", "))
	}
	return nil
}
