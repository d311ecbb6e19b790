package corrupt

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/atomicfile"
	"github.com/nbbnn/workbench/internal/npy"
)

// pieceBytes is about how much is corrupted before it's written.
const pieceBytes = 4 << 20

// ensure makes one corruption's file unless it's there.
func (m *maker) ensure(ctx context.Context, corruption string) error {
	m.progress.Corruption = corruption
	label := m.making.config(corruption, 1).Label()
	if m.sound(corruption+".npy", label) {
		m.progress.Done += 5 * len(m.source.Labels)
		m.report(m.progress)
		return ctx.Err()
	}
	header := npy.Header{
		Type: npy.TypeOf[uint8](), Shape: []int{5 * len(m.source.Labels), m.source.Size.Height, m.source.Size.Width, 3},
	}
	return m.write(corruption+".npy", label, header, func(w io.Writer) error { return m.writeSeverities(ctx, corruption, w) })
}

// ensureLabels makes the file of the labels unless it's there.
func (m *maker) ensureLabels() error {
	if m.sound(labelsName, "") {
		return nil
	}
	header := npy.Header{Type: npy.TypeOf[uint8](), Shape: []int{5 * len(m.source.Labels)}}
	return m.write(labelsName, "", header, func(w io.Writer) error {
		for range 5 {
			if _, err := w.Write(m.source.Labels); err != nil {
				return err
			}
		}
		return nil
	})
}

// write writes a file with its header and enters it in the manifest.
func (m *maker) write(name, label string, header npy.Header, body func(io.Writer) error) error {
	sums := newSums()
	err := atomicfile.Write(filepath.Join(m.directory, name), func(w io.Writer) error {
		w = io.MultiWriter(w, sums)
		if err := npy.WriteHeader(w, header); err != nil {
			return err
		}
		return body(w)
	})
	if err != nil {
		return fmt.Errorf("corrupt: %s isn't written: %w", filepath.Join(m.directory, name), err)
	}
	m.manifest.put(sums.file(name, label))
	return m.manifest.write(m.directory)
}

// writeSeverities writes the images of all severities, a piece at a time: while one is written the next is made.
func (m *maker) writeSeverities(ctx context.Context, corruption string, w io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	pieces, free := make(chan []uint8), make(chan []uint8, 2)
	free <- nil
	free <- nil
	failed := make(chan error, 1)
	go func() {
		defer close(pieces)
		failed <- m.makeSeverities(ctx, corruption, pieces, free)
	}()
	for piece := range pieces {
		if _, err := w.Write(piece); err != nil {
			return err
		}
		m.advance(len(piece) / m.source.Size.Values())
		free <- piece
	}
	return <-failed
}

// advance reports so many images more.
func (m *maker) advance(count int) {
	m.progress.Done += count
	m.progress.Made += count
	m.report(m.progress)
}

// makeSeverities corrupts the source at each severity and sends it in pieces, whose memory comes back through free.
func (m *maker) makeSeverities(ctx context.Context, corruption string, pieces chan<- []uint8, free <-chan []uint8) error {
	values := m.source.Size.Values()
	count := max(1, pieceBytes/values)
	for severity := 1; severity <= 5; severity++ {
		generator, err := NewGenerator(m.making.config(corruption, severity), m.source.Size)
		if err != nil {
			return err
		}
		for first := 0; first < len(m.source.Labels); first += count {
			clean := m.source.Pixels[first*values : min(first+count, len(m.source.Labels))*values]
			piece := resize(<-free, len(clean))
			if err := generator.Generate(ctx, first, clean, piece); err != nil {
				return err
			}
			select {
			case pieces <- piece:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// sound tells whether the manifest lists a file, for the same label, and the file is what the manifest says.
func (m *maker) sound(name, label string) bool {
	listed, found := m.manifest.file(name)
	if !found || listed.Label != label {
		return false
	}
	file, err := os.Open(filepath.Join(m.directory, name))
	if err != nil {
		return false
	}
	defer file.Close()
	sums := newSums()
	if _, err := io.Copy(sums, file); err != nil {
		return false
	}
	return sums.file(name, label) == listed
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

// file is the manifest's entry of what was written.
func (s *sums) file(name, label string) ManifestFile {
	return ManifestFile{
		Name: name, Label: label, Bytes: s.bytes,
		MD5: hex.EncodeToString(s.md5.Sum(nil)), SHA256: hex.EncodeToString(s.sha256.Sum(nil)),
	}
}
