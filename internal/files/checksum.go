package files

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Published describes a file that isn't there yet.
type Published struct {
	Size   int64  // in bytes; 0 means unknown
	MD5    string // in lower-case hexadecimal; "" means unpublished
	SHA256 string // in lower-case hexadecimal; "" means unpublished
}

// ErrDiffers is wrapped by the error of a file that isn't the published one.
var ErrDiffers = errors.New("not the published file")

// Check compares the file at path with the published size, then its SHA-256 or, without one, its
// MD5.
func (p Published) Check(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if p.Size > 0 && info.Size() != p.Size {
		return fmt.Errorf("%s has %d bytes, the published file %d: %w", filepath.Base(path),
			info.Size(), p.Size, ErrDiffers)
	}
	kind, want, sum := "sha256", p.SHA256, sha256.New()
	if want == "" {
		kind, want, sum = "md5", p.MD5, md5.New()
	}
	if want == "" {
		return nil
	}
	got, err := sumFile(ctx, path, sum)
	if err == nil && got != want {
		err = fmt.Errorf("%s has %s %s, the published file %s: %w", filepath.Base(path), kind, got,
			want, ErrDiffers)
	}
	return err
}

// sumFile returns the sum of a file, in hexadecimal.
func sumFile(ctx context.Context, path string, sum hash.Hash) (string, error) {
	file, err := Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	_, err = io.CopyBuffer(sum, &contextReader{ctx, file}, make([]byte, 1<<18))
	return hex.EncodeToString(sum.Sum(nil)), err
}

// contextReader ends with the context's error when that is cancelled.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// SumFolder returns the SHA-256 of every file in a folder and its subfolders, in hexadecimal, by
// the path inside of the folder. memory is as in SumFiles.
func SumFolder(ctx context.Context, folder, memory string) (map[string]string, error) {
	var names []string
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return SumFiles(ctx, folder, names, memory)
}

// SumFiles returns the SHA-256 of the named files of a folder, in hexadecimal. memory is a file
// that remembers them: a file that still has the size and the time of change that it had then isn't
// read again. An empty path remembers nothing; a memory that can't be read or written only costs
// time.
func SumFiles(ctx context.Context, folder string, names []string, memory string) (map[string]string,
	error) {
	known := readMemory(memory)
	sums, learned := make(map[string]string, len(names)), false
	for _, name := range names {
		path := filepath.Join(folder, filepath.FromSlash(name))
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		now := remembered{Bytes: info.Size(), Changed: info.ModTime().UnixNano()}
		if old := known[name]; old.Bytes == now.Bytes && old.Changed == now.Changed {
			sums[name] = old.SHA256
			continue
		}
		if now.SHA256, err = sumFile(ctx, path, sha256.New()); err != nil {
			return nil, err
		}
		sums[name] = now.SHA256
		// A file may change once more within the tick of the file system's clock.
		if time.Since(info.ModTime()) > settled {
			known[name], learned = now, true
		}
	}
	if memory != "" && learned {
		writeMemory(memory, known)
	}
	return sums, nil
}

// settled is the age of a file from which new content gets a new time of change.
const settled = 2 * time.Second

// remembered is a file's entry in a memory.
type remembered struct {
	Bytes   int64  `json:"bytes"`
	Changed int64  `json:"changed"` // in nanoseconds since 1970
	SHA256  string `json:"sha256"`
}

// readMemory returns an empty memory for one that is missing or damaged.
func readMemory(path string) map[string]remembered {
	known := map[string]remembered{}
	if data, err := ReadFile(path); err == nil && json.Unmarshal(data, &known) != nil {
		return map[string]remembered{}
	}
	return known
}

// writeMemory ignores failed writes: the files are read again next time.
func writeMemory(path string, known map[string]remembered) {
	if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
		_ = Write(path, func(w io.Writer) error { return WriteJSON(w, known) })
	}
}
