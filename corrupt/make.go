package corrupt

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/files"
)

// Source is a set of clean labelled images.
type Source struct {
	Name   string // of the data set
	Size   Size
	Pixels []uint8 // [count, height, width, 3] RGB
	Labels []uint8 // [count]
}

// Making holds the settings of Make.
type Making struct {
	Suite    Suite  // the corruptions; each gives a file
	Seed     uint64 // of the random draws; any number, 0 included
	Table    Table  // whose parameters; the zero value is CIFAR
	Textures string // folder with the reference's frost textures; "" means textures of our own
}

// MakeProgress tells how far Make is.
type MakeProgress struct {
	Corruption string // the current one
	Done       int    // corrupted images, including those of earlier calls
	Made       int    // corrupted images of this call
	Total      int
}

// ErrLocked is wrapped by the error of Make while another call, in this or another process, works
// on the same folder.
var ErrLocked = files.ErrLocked

// Make writes the corrupted versions of a set to a folder in the layout of CIFAR-10-C: for each
// corruption a file NAME.npy, uint8 [5 count, height, width, 3], severity 1 first, then 2 and so
// on, each in the source's order; labels.npy, the labels five times; and a manifest with checksums.
// The pixels are those that Apply makes of the whole source.
//
// Make skips files that the manifest lists if their checksums agree, so the same call continues
// after a stop or a kill. A stopped call leaves complete files only. While one call is running,
// another for the same folder fails with ErrLocked.
func Make(ctx context.Context, directory string, source Source, making Making, report func(MakeProgress)) (*Manifest, error) {
	m, err := newMaker(directory, source, making, report)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return nil, fmt.Errorf("corrupt: %w", err)
	}
	unlock, err := files.Lock(filepath.Join(directory, ".lock"))
	if err != nil {
		return nil, fmt.Errorf("corrupt: can't write to %s: %w", directory, err)
	}
	defer unlock()
	if err := m.manifest.adopt(directory, m.names()); err != nil {
		return nil, err
	}
	files.Sweep(directory)
	if err := m.begin(); err != nil {
		return nil, err
	}
	for _, corruption := range making.Suite.Corruptions {
		if err := m.ensure(ctx, corruption); err != nil {
			return nil, err
		}
	}
	return m.manifest, m.ensureLabels(ctx)
}

// maker is one call of Make.
type maker struct {
	directory string
	source    Source
	making    Making
	manifest  *Manifest
	report    func(MakeProgress)
	progress  MakeProgress
}

func newMaker(directory string, source Source, making Making, report func(MakeProgress)) (*maker, error) {
	count := len(source.Labels)
	switch {
	case count == 0:
		return nil, fmt.Errorf("corrupt: the set %q has no images: give at least one", source.Name)
	case len(making.Suite.Corruptions) == 0:
		return nil, fmt.Errorf("corrupt: the suite %q has no corruptions: see SuiteByName", making.Suite.Name)
	}
	for _, corruption := range making.Suite.Corruptions {
		if _, err := making.config(corruption, 1).validate(source.Size); err != nil {
			return nil, err
		}
	}
	if len(source.Pixels) != count*source.Size.Values() {
		return nil, fmt.Errorf("corrupt: %d labels and %d bytes of %v images: want %d bytes", count, len(source.Pixels), source.Size, count*source.Size.Values())
	}
	if report == nil {
		report = func(MakeProgress) {}
	}
	return &maker{
		directory: directory, source: source, making: making, report: report,
		manifest: &Manifest{
			Data: source.Name, SHA256: source.hash(), Images: count, Height: source.Size.Height, Width: source.Size.Width,
			Table: making.Table.String(), Seed: making.Seed,
		},
		progress: MakeProgress{Total: 5 * count * len(making.Suite.Corruptions)},
	}, nil
}

// begin writes the manifest if the folder has none, or one without a checksum. It's there before
// the first file, so that a repeated call doesn't take the files of a killed one for a stranger's.
func (m *maker) begin() error {
	if m.manifest.Checksum == m.manifest.Digest() {
		return nil
	}
	return m.manifest.write(m.directory)
}

// hash is the SHA-256 of the pixels and the labels.
func (s Source) hash() string {
	sum := sha256.New()
	sum.Write(s.Pixels)
	sum.Write(s.Labels)
	return hex.EncodeToString(sum.Sum(nil))
}

func (m Making) config(corruption string, severity int) Config {
	return Config{Corruption: corruption, Severity: severity, Seed: m.Seed, Table: m.Table, Textures: m.Textures}
}

// labelsName is the file of the labels.
const labelsName = "labels.npy"

// names lists the files to make.
func (m *maker) names() []string {
	names := []string{labelsName}
	for _, corruption := range m.making.Suite.Corruptions {
		names = append(names, corruption+".npy")
	}
	return names
}
