// Package corrupted makes folders of corrupted images in the layout of CIFAR-10-C, and reads what
// their manifests say.
package corrupted

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/npy"
)

// Source is a set of clean labelled images.
type Source struct {
	Name   string // of the data set
	Size   corrupt.Size
	Pixels []uint8 // [count, height, width, 3] RGB
	Labels []uint8 // [count]
}

// Making holds the settings of Make.
type Making struct {
	Suite    corrupt.Suite // the corruptions; each gives a file
	Seed     uint64        // of the random draws; any number, 0 included
	Table    corrupt.Table // whose parameters; the zero value is CIFAR
	Textures string        // folder with the reference's frost textures; "" means our own
}

// MakeProgress is the progress of Make.
type MakeProgress struct {
	Corruption string // the current one
	Done       int    // corrupted images, earlier calls' included
	Made       int    // corrupted images of this call
	Total      int
}

// Make writes the corrupted versions of a set to a folder in the layout of CIFAR-10-C: for each
// corruption a file NAME.npy, uint8 [5 count, height, width, 3], severity 1 first, then 2 and so
// on, each in the source's order; labels.npy, the labels five times; and a manifest with checksums.
// The pixels equal what corrupt.Apply returns for the source.
//
// Make skips files that the manifest lists if their checksums agree, so the same call continues
// after a stop or a kill. A stopped call leaves complete files only. While one call is running,
// another for the same folder fails.
func Make(ctx context.Context, directory string, source Source, making Making,
	report func(MakeProgress)) (*Manifest, error) {
	m, err := newMaker(ctx, directory, source, making, report)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return nil, fmt.Errorf("corrupted: %w", err)
	}
	unlock, err := files.Lock(filepath.Join(directory, ".lock"))
	if err != nil {
		return nil, fmt.Errorf("corrupted: can't write to %s: %w", directory, err)
	}
	defer unlock()
	if err := m.manifest.adopt(directory, m.names()); err != nil {
		return nil, err
	}
	files.Sweep(filepath.Join(directory, "*"))
	if err := m.begin(); err != nil {
		return nil, err
	}
	for _, corruption := range making.Suite.Corruptions {
		if err := m.makeImages(ctx, corruption); err != nil {
			return nil, err
		}
	}
	labels := slices.Repeat(source.Labels, 5)
	return m.manifest, m.ensure(ctx, ManifestFile{Name: labelsName}, []int{len(labels)},
		func(w io.Writer) error {
			_, err := w.Write(labels)
			return err
		})
}

type maker struct {
	directory string
	source    Source
	making    Making
	manifest  *Manifest
	report    func(MakeProgress)
	progress  MakeProgress
}

func newMaker(ctx context.Context, directory string, source Source, making Making,
	report func(MakeProgress)) (*maker, error) {
	count := len(source.Labels)
	switch {
	case count == 0:
		return nil, fmt.Errorf("corrupted: the set %q has no images: give at least one",
			source.Name)
	case len(making.Suite.Corruptions) == 0:
		return nil, fmt.Errorf("corrupted: the suite %q has no corruptions: see "+
			"corrupt.SuiteByName", making.Suite.Name)
	}
	for _, corruption := range making.Suite.Corruptions { // nothing is written for wrong settings
		if _, err := corrupt.Apply(ctx, making.config(corruption, 1), source.Size,
			nil); err != nil {
			return nil, err
		}
	}
	if len(source.Pixels) != count*source.Size.Values() {
		return nil, fmt.Errorf("corrupted: %d labels and %d bytes of %v images: want %d bytes",
			count, len(source.Pixels), source.Size, count*source.Size.Values())
	}
	if report == nil {
		report = func(MakeProgress) {}
	}
	return &maker{
		directory: directory, source: source, making: making, report: report,
		manifest: &Manifest{
			Data: source.Name, SHA256: source.hash(), Images: count, Height: source.Size.Height,
			Width: source.Size.Width,
			Table: making.Table.String(), Seed: making.Seed,
		},
		progress: MakeProgress{Total: 5 * count * len(making.Suite.Corruptions)},
	}, nil
}

// begin writes the manifest if the folder has none, or one without a checksum. It's there before
// the first file, so that a repeated call doesn't take the files of a killed one for a stranger's.
func (m *maker) begin() error {
	if m.manifest.Checksum == m.manifest.digest() {
		return nil
	}
	return m.manifest.write(m.directory)
}

// hash returns the SHA-256 of the pixels and the labels.
func (s Source) hash() string {
	sum := sha256.New()
	sum.Write(s.Pixels)
	sum.Write(s.Labels)
	return hex.EncodeToString(sum.Sum(nil))
}

func (m Making) config(corruption string, severity int) corrupt.Config {
	return corrupt.Config{Corruption: corruption, Severity: severity, Seed: m.Seed, Table: m.Table,
		Textures: m.Textures}
}

const labelsName = "labels.npy"

// names lists the files to make.
func (m *maker) names() []string {
	names := []string{labelsName}
	for _, corruption := range m.making.Suite.Corruptions {
		names = append(names, corruption+".npy")
	}
	return names
}

// makeImages makes one corruption's file unless a valid one exists.
func (m *maker) makeImages(ctx context.Context, corruption string) error {
	fingerprint, err := corrupt.Fingerprint(corruption)
	if err != nil {
		return err
	}
	made := m.progress.Made
	m.progress.Corruption = corruption
	file := ManifestFile{Name: corruption + ".npy", Label: m.making.config(corruption, 1).Label(),
		Fingerprint: fingerprint}
	shape := []int{5 * len(m.source.Labels), m.source.Size.Height, m.source.Size.Width, 3}
	err = m.ensure(ctx, file, shape, func(w io.Writer) error {
		for severity := 1; severity <= 5; severity++ {
			config := m.making.config(corruption, severity)
			if err := m.writeImages(ctx, config, w); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && m.progress.Made == made { // a valid file exists
		m.progress.Done += shape[0]
		m.report(m.progress)
	}
	return err
}

// ensure writes an array of bytes and lists the file in the manifest, unless a valid one exists.
func (m *maker) ensure(ctx context.Context, file ManifestFile, shape []int,
	body func(io.Writer) error) error {
	if m.sound(ctx, file) {
		return nil
	}
	short, long := md5.New(), sha256.New()
	path := filepath.Join(m.directory, file.Name)
	err := files.Write(path, func(w io.Writer) error {
		w = io.MultiWriter(w, short, long)
		if err := npy.WriteHeader(w, npy.Header{Type: npy.TypeOf[uint8](),
			Shape: shape}); err != nil {
			return err
		}
		return body(w)
	})
	if err != nil {
		return fmt.Errorf("corrupted: can't write %s: %w", path, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("corrupted: %w", err)
	}
	file.Bytes, file.MD5, file.SHA256 = info.Size(), hex.EncodeToString(short.Sum(nil)),
		hex.EncodeToString(long.Sum(nil))
	m.manifest.put(file)
	return m.manifest.write(m.directory)
}

// pieceBytes is about the number of bytes that all cores corrupt before they are written.
const pieceBytes = 4 << 20

// writeImages writes the source's corrupted images.
func (m *maker) writeImages(ctx context.Context, config corrupt.Config, w io.Writer) error {
	values, total := m.source.Size.Values(), len(m.source.Labels)
	for count := max(1, pieceBytes/values); config.First < total; config.First += count {
		made := min(count, total-config.First)
		pixels, err := corrupt.Apply(ctx, config, m.source.Size,
			m.source.Pixels[config.First*values:][:made*values])
		if err != nil {
			return err
		}
		if _, err := w.Write(pixels); err != nil {
			return err
		}
		m.progress.Done += made
		m.progress.Made += made
		m.report(m.progress)
	}
	return nil
}

// sound reports whether the manifest lists a file, made in the same way, and the file on disk has
// the listed sums.
func (m *maker) sound(ctx context.Context, want ManifestFile) bool {
	listed, found := m.manifest.File(want.Name)
	if !found || listed.Label != want.Label || listed.Fingerprint != want.Fingerprint {
		return false
	}
	published := files.Published{Size: listed.Bytes, MD5: listed.MD5, SHA256: listed.SHA256}
	return published.Check(ctx, filepath.Join(m.directory, want.Name)) == nil
}
