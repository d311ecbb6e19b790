package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/sources"
)

// AddOptions select where a set is added, and report progress.
type AddOptions struct {
	Directory string   // of data sets; "" as in Config
	Progress  Progress // gets each file, with bytes; nil for no reports
}

// Add packs images that a program made into the directory of data sets, from where Open, the
// command and every notebook take them by their name. data needs Name, Classes, Train and Test, and
// may have a Source; Add computes the rest. There are 2 to 256 classes, each with a training image,
// and images of one size, of 8 to 512 pixels in height and width; their order is kept.
//
//	manifest, err := dataset.Add(ctx, dataset.Dataset{
//		Name: "dots", Classes: []string{"red", "blue"}, Train: train, Test: test,
//	}, dataset.AddOptions{})
//
// Adding the same content again under the same name checks the set. Other content under a name that
// is taken is an error: remove the old set first. A stopped or killed call leaves no set behind,
// and the next one removes its files. The package dataset/folder adds folders of pictures.
func Add(ctx context.Context, data Dataset, options AddOptions) (Manifest, error) {
	if err := CheckName(data.Name); err != nil {
		return Manifest{}, err
	}
	if err := data.check(); err != nil {
		return Manifest{}, err
	}
	directory, err := sources.Directory(options.Directory)
	if err != nil {
		return Manifest{}, err
	}
	manifest := data.describe()
	p := packer{data, filepath.Join(directory, addedFolder)}
	unlock, err := p.lock()
	if err != nil {
		return Manifest{}, err
	}
	defer unlock()
	if isThere(p.folder()) {
		return manifest, p.compare(ctx, options.Directory)
	}
	if err := p.write(ctx, manifest, options.Progress); err != nil {
		_ = os.RemoveAll(p.partial()) // or the next call does
		if ctx.Err() != nil {
			return Manifest{}, fmt.Errorf("dataset: stopped packing %s: %w", data.Name, err)
		}
		return Manifest{}, p.unwritable(err)
	}
	return manifest, nil
}

// Remove removes an added set from a directory of data sets ("" as in Config), also a damaged one.
// Runs that were trained on it keep their results.
func Remove(directory, name string) error {
	directory, err := sources.Directory(directory)
	if err != nil {
		return err
	}
	p := packer{Dataset{Name: name}, filepath.Join(directory, addedFolder)}
	if CheckName(name) != nil || !isThere(p.folder()) {
		return fmt.Errorf("dataset: %.80q isn't among the added sets in %s: %w: `nbbnn data list` "+
			"lists them", name, p.sets, fs.ErrNotExist)
	}
	unlock, err := p.lock()
	if err != nil {
		return err
	}
	defer unlock()
	// The set disappears at once, then its files are deleted.
	if err := cmp.Or(os.Rename(p.folder(), p.partial()), os.RemoveAll(p.partial())); err != nil {
		return p.unwritable(err)
	}
	return nil
}

// packer writes one set into the folder of added sets, of which it holds the lock.
type packer struct {
	data Dataset
	sets string
}

func (p packer) folder() string { return filepath.Join(p.sets, p.data.Name) }

// partialPrefix begins the names of folders that are being written or removed.
const partialPrefix = ".partial-"

// partial returns the folder in which the set is written and removed.
func (p packer) partial() string { return filepath.Join(p.sets, partialPrefix+p.data.Name) }

// lock lets one process at a time add or remove sets, and sweeps up what killed ones left behind.
func (p packer) lock() (unlock func(), err error) {
	if err := os.MkdirAll(p.sets, 0o755); err != nil {
		return nil, p.unwritable(err)
	}
	unlock, err = files.Lock(filepath.Join(p.sets, ".lock"))
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	// the pattern is correct
	leftovers, _ := filepath.Glob(filepath.Join(p.sets, partialPrefix+"*"))
	for _, folder := range leftovers {
		if err := os.RemoveAll(folder); err != nil {
			unlock()
			return nil, p.unwritable(err)
		}
	}
	return unlock, nil
}

// compare checks that the set that has the name already has the same content, undamaged.
func (p packer) compare(ctx context.Context, directory string) error {
	old, err := readManifest(p.folder())
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("dataset: %s is no data set: move it away, or choose another name",
			p.folder())
	}
	if err == nil && old.Hash == p.data.Hash {
		_, err = Open(ctx, Config{Name: p.data.Name, Directory: directory})
		return err
	}
	if err != nil {
		return err
	}
	return fmt.Errorf("dataset: the name %q is taken by a set with other images (%s): choose "+
		"another name, or remove that set first with `nbbnn data remove %s`",
		p.data.Name, old.Source, p.data.Name)
}

// write writes the images and labels, and the manifest last, and gives the folder its name.
func (p packer) write(ctx context.Context, manifest Manifest, progress Progress) error {
	if err := os.Mkdir(p.partial(), 0o755); err != nil {
		return err
	}
	train, test := p.data.Train, p.data.Test
	for _, file := range []struct {
		name   string
		shape  []int
		values []uint8
	}{
		{imagesFile(trainPart), train.shape(), train.Pixels},
		{labelsOf(trainPart), train.shape()[:1], train.Labels},
		{imagesFile(testPart), test.shape(), test.Pixels}, {labelsOf(testPart), test.shape()[:1],
			test.Labels},
	} {
		if err := p.writeArray(ctx, file.name, file.shape, file.values, progress); err != nil {
			return err
		}
	}
	if err := manifest.write(p.partial()); err != nil {
		return err
	}
	return os.Rename(p.partial(), p.folder())
}

// packBytes is the number of bytes between two reports of progress.
const packBytes = 4 << 20

// writeArray writes a .npy file to the disk.
func (p packer) writeArray(ctx context.Context, name string, shape []int, values []uint8,
	progress Progress) error {
	return files.Write(filepath.Join(p.partial(), name), func(w io.Writer) error {
		if err := npy.WriteHeader(w, npy.Header{Type: npy.TypeOf[uint8](),
			Shape: shape}); err != nil {
			return err
		}
		done := 0
		for part := range slices.Chunk(values, packBytes) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if _, err := w.Write(part); err != nil {
				return err
			}
			if done += len(part); progress != nil {
				progress(packing, name, int64(done), int64(len(values)))
			}
		}
		return nil
	})
}

// unwritable returns the error of a set that can't be written, with how much room it needs.
func (p packer) unwritable(err error) error {
	megabytes := float64(len(p.data.Train.Pixels)+len(p.data.Test.Pixels)) / 1e6
	return fmt.Errorf("dataset: %w: the set %q needs %.1f MB: free space and allow "+
		"writing, or set NBBNN_DATA to another directory", err, p.data.Name, megabytes)
}

// Progress receives the current step, the file and its progress in bytes; total is 0 if the size
// wasn't published.
type Progress func(step, file string, done, total int64)

// The steps that a Progress receives. Those of Get in cmd/fetch come first, in their order.
const (
	Fetching  = "fetch"
	Verifying = "verify"
	Unpacking = "unpack"

	Reading = "read" // of package folder's Add: done and total count pictures
	packing = "pack" // of Add
)
