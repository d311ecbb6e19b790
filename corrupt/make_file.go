package corrupt

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/parallel"
)

// pieceBytes is about the number of bytes that are corrupted before they are written.
const pieceBytes = 1 << 20

// ensure makes one corruption's file unless a sound one is there.
func (m *maker) ensure(ctx context.Context, corruption string) error {
	m.progress.Corruption = corruption
	file, err := m.file(corruption)
	if err != nil {
		return err
	}
	if m.sound(ctx, file) {
		m.progress.Done += 5 * len(m.source.Labels)
		m.report(m.progress)
		return ctx.Err()
	}
	header := npy.Header{
		Type: npy.TypeOf[uint8](), Shape: []int{5 * len(m.source.Labels), m.source.Size.Height, m.source.Size.Width, 3},
	}
	return m.write(file, header, func(w io.Writer) error { return m.writeSeverities(ctx, corruption, w) })
}

// file is the manifest's entry of a corruption's file, without the sums.
func (m *maker) file(corruption string) (ManifestFile, error) {
	fingerprint, err := Fingerprint(corruption)
	label := m.making.config(corruption, 1).Label()
	return ManifestFile{Name: corruption + ".npy", Label: label, Fingerprint: fingerprint}, err
}

// ensureLabels makes the file of the labels unless a sound one is there.
func (m *maker) ensureLabels(ctx context.Context) error {
	file := ManifestFile{Name: labelsName}
	if m.sound(ctx, file) {
		return nil
	}
	header := npy.Header{Type: npy.TypeOf[uint8](), Shape: []int{5 * len(m.source.Labels)}}
	return m.write(file, header, func(w io.Writer) error {
		for range 5 {
			if _, err := w.Write(m.source.Labels); err != nil {
				return err
			}
		}
		return nil
	})
}

// write writes a file with its header and enters it in the manifest.
func (m *maker) write(file ManifestFile, header npy.Header, body func(io.Writer) error) error {
	sums := newSums()
	path := filepath.Join(m.directory, file.Name)
	err := files.Write(path, func(w io.Writer) error {
		w = io.MultiWriter(w, sums)
		if err := npy.WriteHeader(w, header); err != nil {
			return err
		}
		return body(w)
	})
	if err != nil {
		return fmt.Errorf("corrupt: can't write %s: %w", path, err)
	}
	m.manifest.put(sums.fill(file))
	return m.manifest.write(m.directory)
}

// writeSeverities writes the images of all severities in pieces, which are made on all cores.
func (m *maker) writeSeverities(ctx context.Context, corruption string, w io.Writer) error {
	for severity := 1; severity <= 5; severity++ {
		generator, err := NewGenerator(m.making.config(corruption, severity), m.source.Size)
		if err != nil {
			return err
		}
		if err := m.writeImages(ctx, generator, w); err != nil {
			return err
		}
	}
	return nil
}

// writeImages writes what a generator makes of the source.
func (m *maker) writeImages(ctx context.Context, generator *Generator, w io.Writer) error {
	type piece struct {
		pixels []uint8
		err    error
	}
	values, total := m.source.Size.Values(), len(m.source.Labels)
	count := max(1, pieceBytes/values)
	return parallel.InOrder((total+count-1)/count, func(i int) piece {
		first := i * count
		clean := m.source.Pixels[first*values : min(first+count, total)*values]
		pixels := make([]uint8, len(clean))
		return piece{pixels, generator.Generate(ctx, first, clean, pixels)}
	}, func(_ int, made piece) error {
		if made.err != nil {
			return made.err
		}
		if _, err := w.Write(made.pixels); err != nil {
			return err
		}
		m.progress.Done += len(made.pixels) / values
		m.progress.Made += len(made.pixels) / values
		m.report(m.progress)
		return nil
	})
}

// sound reports whether the manifest lists a file, made in the same way, and the file on disk has
// the sums that are listed.
func (m *maker) sound(ctx context.Context, want ManifestFile) bool {
	listed, found := m.manifest.File(want.Name)
	if !found || listed.Label != want.Label || listed.Fingerprint != want.Fingerprint {
		return false
	}
	published := files.Published{Size: listed.Bytes, MD5: listed.MD5, SHA256: listed.SHA256}
	return published.Check(ctx, filepath.Join(m.directory, want.Name)) == nil
}

// sums counts and sums up what is written to it.
type sums struct {
	bytes       int64
	md5, sha256 hash.Hash
}

func newSums() *sums { return &sums{md5: md5.New(), sha256: sha256.New()} }

func (s *sums) Write(data []byte) (int, error) {
	s.bytes += int64(len(data))
	s.md5.Write(data)
	return s.sha256.Write(data)
}

// fill returns the file's entry with the size and the sums of what was written.
func (s *sums) fill(file ManifestFile) ManifestFile {
	file.Bytes = s.bytes
	file.MD5, file.SHA256 = hex.EncodeToString(s.md5.Sum(nil)), hex.EncodeToString(s.sha256.Sum(nil))
	return file
}
