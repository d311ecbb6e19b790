package dataset

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/npy"
)

// openAdded reads as many of the images of an added set as the config asks for. If all are read, it
// compares them with the manifest's hash.
func openAdded(ctx context.Context, config Config) (*Dataset, error) {
	set, err := ReadManifest(config.Directory, config.Name)
	if err != nil {
		return nil, err
	}
	if want := cmp.Or(config.Content, set.Content()); want != set.Content() {
		return nil, fmt.Errorf("dataset: the set %q has content %s, want %s: its images were "+
			"replaced; "+
			"add the former images under this name, or start a new run", set.Name, set.Content(),
			want)
	}
	data := &Dataset{
		Name: set.Name, Classes: set.Classes, Mean: set.Mean, Std: set.Std, Source: set.Source,
	}
	if data.Train, err = set.read(ctx, trainPart, set.Train, config.TrainCount); err != nil {
		return nil, err
	}
	if data.Test, err = set.read(ctx, testPart, set.Test, config.TestCount); err != nil {
		return nil, err
	}
	data.Hash = data.addedHash()
	size := set.Size()
	if data.Train.Count() == size.Train && data.Test.Count() == size.Test && data.Hash != set.Hash {
		return nil, set.damaged(errors.New("the checksum of its images differs"))
	}
	return data, nil
}

// The parts of an added set, which begin the names of its files.
const (
	trainPart = "train"
	testPart  = "test"
)

func imagesFile(part string) string { return part + "_images.npy" }
func labelsOf(part string) string   { return part + "_labels.npy" }

// read returns the first count images of a part, or all of them if count is 0.
func (m Manifest) read(ctx context.Context, part string, counts []int, count int) (Images, error) {
	if err := stopped(ctx, m.Name); err != nil {
		return Images{}, err
	}
	all, size := total(counts), m.Size()
	count = cmp.Or(count, all)
	pixels, err := npy.ReadRows[uint8](filepath.Join(m.Folder, imagesFile(part)), 0, count, all,
		size.Height, size.Width, channels)
	if err != nil {
		return Images{}, m.damaged(err)
	}
	labels, err := npy.ReadRows[uint8](filepath.Join(m.Folder, labelsOf(part)), 0, count, all)
	if err != nil {
		return Images{}, m.damaged(err)
	}
	for i, label := range labels.Values {
		if int(label) >= len(m.Classes) {
			return Images{}, m.damaged(fmt.Errorf("%s has label %d at index %d, want 0 to %d",
				labelsOf(part), label, i, len(m.Classes)-1))
		}
	}
	return Images{Height: size.Height, Width: size.Width, Pixels: pixels.Values,
		Labels: labels.Values}, nil
}

// damaged returns the error of a set whose files don't match its manifest.
func (m Manifest) damaged(err error) error {
	return fmt.Errorf("dataset: the set %q is damaged: %w: `nbbnn data remove %s`, then add it "+
		"again", m.Name, err, m.Name)
}

// addedHash returns the SHA-256 of everything that a manifest describes: hash, and the classes,
// mean and standard deviation.
func (d *Dataset) addedHash() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%q\n%v\n%v\n", d.hash(), d.Classes, d.Mean, d.Std)
	return hex.EncodeToString(sum.Sum(nil))
}

// Content returns the identity of the content of the set with a name, in a directory of data sets
// ("" as in Config): Manifest.Content of an added set, "" for a built-in or unknown one.
func Content(directory, name string) string {
	if builtInSet(name).open != nil {
		return ""
	}
	m, err := ReadManifest(directory, name)
	if err != nil {
		return ""
	}
	return m.Content()
}

// isUnknown reports whether an error means that no set of a name was added.
func isUnknown(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errName) }
