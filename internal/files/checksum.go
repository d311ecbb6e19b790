package files

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
)

// Published describes a file that isn't there yet.
type Published struct {
	Size   int64  // in bytes; 0 means unknown
	MD5    string // in lower-case hexadecimal; "" means unpublished
	SHA256 string // in lower-case hexadecimal; "" means unpublished
}

// ErrDiffers is wrapped by the error of a file that isn't the published one.
var ErrDiffers = errors.New("not the published file")

// Check compares the file at path with what was published: its size first, then its checksums.
func (p Published) Check(ctx context.Context, path string) error {
	opened, err := os.Open(path)
	if err != nil {
		return err
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return err
	}
	if p.Size > 0 && info.Size() != p.Size {
		return fmt.Errorf("%s has %d bytes, the published file %d: %w", filepath.Base(path), info.Size(), p.Size, ErrDiffers)
	}
	return p.checkSums(ctx, opened, filepath.Base(path))
}

// checkSums reads once for all published checksums.
func (p Published) checkSums(ctx context.Context, r io.Reader, name string) error {
	sums := []struct {
		kind, want string
		hash       hash.Hash
	}{{"md5", p.MD5, md5.New()}, {"sha256", p.SHA256, sha256.New()}}
	var writers []io.Writer
	for _, sum := range sums {
		if sum.want != "" {
			writers = append(writers, sum.hash)
		}
	}
	if len(writers) == 0 {
		return nil
	}
	if err := readInto(ctx, r, writers...); err != nil {
		return err
	}
	for _, sum := range sums {
		if got := hex.EncodeToString(sum.hash.Sum(nil)); sum.want != "" && got != sum.want {
			return fmt.Errorf("%s has %s %s, the published file %s: %w", name, sum.kind, got, sum.want, ErrDiffers)
		}
	}
	return nil
}

// readInto reads all of r into hashes, until the context ends.
func readInto(ctx context.Context, r io.Reader, hashes ...io.Writer) error {
	_, err := io.CopyBuffer(io.MultiWriter(hashes...), &contextReader{ctx, r}, make([]byte, 1<<18))
	return err
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
