// Package folder adds a user's own pictures as a data set: a folder with a folder of PNG, JPEG or
// WebP files for each class, or arrays with labels. They are decoded, scaled and packed once; from
// then on dataset.Open and every command take the set by its name. These are the layouts:
//
//	birds/wren/*.jpg, birds/robin/*.png, ...       a share of each class becomes the test set
//	birds/train/wren/*.jpg, birds/test/wren/*.jpg  both parts are given; val is read if there's no test
//	birds/images.npy, birds/labels.npy             arrays; classes.txt may name the classes
//	birds/train_images.npy, birds/train_labels.npy, birds/test_images.npy, birds/test_labels.npy
//
// Arrays may be in a .npz file instead of a folder. Images are [count, height, width, 3] or, if
// grey, [count, height, width], of bytes, or of floats of 0 to 1 or 0 to 255.
//
//	added, err := folder.Add(ctx, "birds", "/home/me/birds", folder.Options{Height: 48,
//		Width: 48})
package folder

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/semaphore"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/npy"
)

// Options select how pictures are read and which are tested on.
type Options struct {
	// pixels to which pictures are cropped and scaled; 0 and 0 keep their size, which must be one
	Height, Width int

	TestShare float64 // of each class to test on; 0 means 0.2, unless test pictures are given
	// test pictures, in the same layout; "" means those in the folder, or a share
	TestFolder string
	Seed       uint64 // of the choice of test pictures

	SkipBroken   bool // leave out files that can't be read, and note them
	Alphabetical bool // classes named by numbers too, as in torchvision's ImageFolder: 10 before 2

	// of data sets; "" means $NBBNN_DATA or the folder nbbnn of the user's cache
	Directory string
	Progress  dataset.Progress // gets pictures read and bytes written; nil for no reports
}

// Added is a set that was packed.
type Added struct {
	Manifest dataset.Manifest
	Notes    []string // conversions, skipped files and suspicions; a sentence each
}

// Add reads the pictures of a folder and packs them as a data set with a name. Adding the same
// pictures again does nothing. All files are read before the error that names the unreadable ones.
func Add(ctx context.Context, name, path string, options Options) (Added, error) {
	if err := dataset.CheckName(name); err != nil {
		return Added{}, err
	}
	if err := options.Check(path); err != nil {
		return Added{}, err
	}
	data, notes, err := read(ctx, path, options)
	if err != nil {
		return Added{}, err
	}
	data.Name = name
	manifest, err := dataset.Add(ctx, *data, dataset.AddOptions{Directory: options.Directory,
		Progress: options.Progress})
	if err != nil {
		return Added{}, err
	}
	return Added{manifest, notes}, nil
}

// defaultShare is the share of test pictures if none is given.
const defaultShare = 0.2

// Check returns an error if pictures of a path can't be read with the options. It opens none.
func (o Options) Check(path string) error {
	switch info, err := os.Stat(path); {
	case check.Path(path) != nil:
		return check.Path(path)
	case err != nil:
		return fmt.Errorf("folder: %w: give a folder with a folder for each class", err)
	case !info.IsDir() && !npy.IsArchive(path):
		return fmt.Errorf("folder: %s is a file: give a folder with a folder for each class", path)
	case !(o.TestShare >= 0 && o.TestShare < 1):
		return fmt.Errorf("folder: a test share of %g: give a number above 0 and below 1, for "+
			"example %g", o.TestShare, defaultShare)
	case o.TestShare > 0 && o.TestFolder != "":
		return fmt.Errorf("folder: a test share of %g and the test folder %s: give one of the two",
			o.TestShare, o.TestFolder)
	case o.Height == 0 && o.Width == 0:
		return nil
	}
	return check.Size(o.Height, o.Width)
}

// read decodes the pictures of both parts.
func read(ctx context.Context, path string, options Options) (*dataset.Dataset, []string, error) {
	found, err := find(path, options)
	if err != nil {
		return nil, nil, err
	}
	d := decoder{
		Options: options, keepsSize: options.Height == 0, skipped: found.skipped,
		total:  len(found.train) + len(found.test),
		folder: base(path), traits: map[string][]string{},
		memory: semaphore.NewWeighted(maxDecoding),
	}
	if err := d.findSize(found.train); err != nil {
		return nil, nil, err
	}
	if err := checkTotal(d.total, d.Height, d.Width); err != nil {
		return nil, nil, err
	}
	data := &dataset.Dataset{Classes: found.classes, Source: found.source}
	if !d.keepsSize {
		data.Source += fmt.Sprintf(", scaled to %dx%d", d.Height, d.Width)
	}
	if data.Train, found.train, err = d.decode(ctx, found.train); err != nil {
		return nil, nil, err
	}
	if data.Test, found.test, err = d.decode(ctx, found.test); err != nil {
		return nil, nil, err
	}
	if err := d.checkBroken(); err != nil {
		return nil, nil, err
	}
	return data, slices.Concat(found.notes, d.notes(data), duplicates(found, data)), nil
}

// maxBytes limits the images of both parts: a training holds them in memory.
const maxBytes = 8 << 30

// checkTotal checks that a number of images of a size fits in memory.
func checkTotal(count, height, width int) error {
	if bytes := count * height * width * 3; bytes > maxBytes {
		return fmt.Errorf("folder: %d images of %dx%d pixels take %.1f GB, at most %.1f are "+
			"packed, "+
			"because training holds them in memory: choose a smaller size or fewer pictures",
			count, height, width, float64(bytes)/1e9, float64(maxBytes)/1e9)
	}
	return nil
}

// base returns the last element of a path, also for "." and "..".
func base(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return filepath.Base(path)
}
