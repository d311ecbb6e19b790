package download

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
)

// Verify compares the file at path with what was published about it: its size first, then its checksums.
func Verify(ctx context.Context, file File, path string) error {
	opened, err := os.Open(path)
	if err != nil {
		return err
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return err
	}
	if file.Size > 0 && info.Size() != file.Size {
		return fmt.Errorf("%s has %d bytes, the published file %d: %w", filepath.Base(path), info.Size(), file.Size, errDiffers)
	}
	return file.verifySums(ctx, opened, filepath.Base(path))
}

// verifySums reads once for all published checksums.
func (f File) verifySums(ctx context.Context, r io.Reader, name string) error {
	sums := []struct {
		kind, want string
		hash       hash.Hash
	}{{"md5", f.MD5, md5.New()}, {"sha256", f.SHA256, sha256.New()}}
	var writers []io.Writer
	for _, sum := range sums {
		if sum.want != "" {
			writers = append(writers, sum.hash)
		}
	}
	if len(writers) == 0 {
		return nil
	}
	if _, err := io.CopyBuffer(io.MultiWriter(writers...), &contextReader{ctx, r}, make([]byte, 1<<18)); err != nil {
		return err
	}
	for _, sum := range sums {
		if got := hex.EncodeToString(sum.hash.Sum(nil)); sum.want != "" && got != sum.want {
			return fmt.Errorf("%s has %s %s, the published file %s: %w", name, sum.kind, got, sum.want, errDiffers)
		}
	}
	return nil
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
