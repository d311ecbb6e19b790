// Package archive unpacks .tar, .tar.gz and .zip files that came from elsewhere. A folder appears
// whole or not at all, and archives that try to write outside it, hold links or devices, or unpack
// to far more than they are, are refused.
//
//	err := archive.Unpack(ctx, "cifar-10-binary.tar.gz", "cifar-10-batches-bin", archive.Config{})
package archive

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
)

// Config limits what is unpacked, which is at most 20 times the archive and 1 MiB.
type Config struct {
	Files    int                     // at most so many files and folders; 0 means 2,000,000
	Progress func(done, total int64) // called as bytes of the archive are read; nil means nobody wants to know
}

// entry is one member of an archive.
type entry struct {
	name string
	mode fs.FileMode
	body io.Reader // nil for folders
}

// Unpack makes the folder target of the archive at path. Where the archive holds a single folder
// and nothing beside it, that folder becomes the target, whatever its name. A target that exists
// already is an error.
func Unpack(ctx context.Context, path, target string, config Config) (err error) {
	walk, err := walker(path)
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if _, err := os.Lstat(target); err == nil {
		return fmt.Errorf("archive: %s is there already: remove or rename it", target)
	}
	unlock, err := files.Lock(filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+".lock"))
	if err != nil {
		return fmt.Errorf("archive: %s can't be unpacked: %w", target, err)
	}
	defer unlock()
	if err := removeLeftovers(target); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(filepath.Dir(target), "."+filepath.Base(target)+".*.unpacking")
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	defer os.RemoveAll(temporary)
	u, err := newUnpacker(temporary, config, info.Size())
	if err != nil {
		return err
	}
	defer u.root.Close()
	source := &source{ctx: ctx, file: file, size: info.Size(), progress: config.Progress}
	if err := walk(source, u.add); err != nil {
		return fmt.Errorf("archive: %s: %w", filepath.Base(path), err)
	}
	return settle(temporary, target)
}

// removeLeftovers removes what unpackings to the same target left behind that were killed.
func removeLeftovers(target string) error {
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	for _, entry := range entries {
		random, begins := strings.CutPrefix(entry.Name(), "."+filepath.Base(target)+".")
		random, ends := strings.CutSuffix(random, ".unpacking")
		if !begins || !ends || strings.Contains(random, ".") {
			continue
		}
		if err := os.RemoveAll(filepath.Join(filepath.Dir(target), entry.Name())); err != nil {
			return fmt.Errorf("archive: %w", err)
		}
	}
	return nil
}

// walker returns what reads archives with the ending that path has.
func walker(path string) (func(*source, func(entry) error) error, error) {
	switch {
	case strings.HasSuffix(path, ".tar"):
		return walkTar, nil
	case strings.HasSuffix(path, ".tar.gz"), strings.HasSuffix(path, ".tgz"):
		return walkTarGzip, nil
	case strings.HasSuffix(path, ".zip"):
		return walkZip, nil
	}
	return nil, fmt.Errorf("archive: %s ends in neither .tar nor .tar.gz nor .zip: unpack it by hand", filepath.Base(path))
}

// settle gives the unpacked folder its name: the only folder in it, if it's alone there, else the
// whole. It's on the disk then, so that the archive may be removed.
func settle(temporary, target string) error {
	entries, err := os.ReadDir(temporary)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	from := temporary
	if len(entries) == 1 && entries[0].IsDir() {
		from = filepath.Join(temporary, entries[0].Name())
	}
	if err := os.Chmod(from, 0o755); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if err := syncTree(from); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if err := os.Rename(from, target); err != nil {
		return fmt.Errorf("archive: %w: see that %s is free", err, target)
	}
	if err := files.SyncDirectory(filepath.Dir(target)); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	return nil
}

// unpacker writes entries below a folder and counts what it writes.
type unpacker struct {
	root  *os.Root
	bytes int64 // left
	files int   // left
	limit int64
}

func newUnpacker(folder string, config Config, size int64) (*unpacker, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	limit := 20*size + 1<<20
	return &unpacker{root, limit, cmp.Or(config.Files, 2_000_000), limit}, nil
}

// add checks an entry and writes it.
func (u *unpacker) add(e entry) error {
	name := strings.TrimSuffix(strings.TrimPrefix(e.name, "./"), "/")
	switch {
	case name == "" || name == ".":
		return nil
	case strings.Contains(name, `\`) || !filepath.IsLocal(filepath.FromSlash(name)):
		return fmt.Errorf("%q lies outside the archive's folder: the archive isn't to be trusted", e.name)
	case !e.mode.IsDir() && !e.mode.IsRegular():
		return fmt.Errorf("%q is neither a file nor a folder (%v): the archive isn't to be trusted", e.name, e.mode.Type())
	}
	if u.files--; u.files < 0 {
		return fmt.Errorf("more files than allowed, up to %q: the archive isn't to be trusted", e.name)
	}
	if e.mode.IsDir() {
		return u.root.MkdirAll(name, 0o755)
	}
	return u.write(filepath.FromSlash(name), e.body)
}

// write makes a file, which must be new.
func (u *unpacker) write(name string, body io.Reader) error {
	if err := u.root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	file, err := u.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	n, err := io.Copy(file, io.LimitReader(body, u.bytes+1))
	if err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	if u.bytes -= n; u.bytes < 0 {
		return fmt.Errorf("%q: more than %d bytes come out: the archive isn't to be trusted", name, u.limit)
	}
	return file.Close()
}
