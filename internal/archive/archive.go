// Package archive unpacks .tar, .tar.gz and .zip files that came from elsewhere. A folder appears
// whole or not at all, and archives that try to write outside it, hold links or devices, or unpack
// to far more than they are, are refused.
//
//	err := archive.Unpack(ctx, "cifar-10-binary.tar.gz", "cifar-10-batches-bin", nil)
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

// Unpack makes the folder target of the archive at path. If the archive holds a single folder and
// nothing next to it, that folder becomes the target, whatever its name. progress gets the number
// of the archive's bytes read, and may be nil. The caller sees that the target is free and that no
// other call makes it.
func Unpack(ctx context.Context, path, target string,
	progress func(done, total int64)) (err error) {
	walk := walker(path)
	if walk == nil {
		return fmt.Errorf("archive: %s ends in neither .tar nor .tar.gz nor .zip: unpack it by "+
			"hand", filepath.Base(path))
	}
	file, err := files.Open(path)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	temporary := filepath.Join(filepath.Dir(target), "."+filepath.Base(target)+".unpacking")
	defer os.RemoveAll(temporary)
	// of a killed call
	if err := cmp.Or(os.RemoveAll(temporary), os.Mkdir(temporary, 0o755)); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	root, err := os.OpenRoot(temporary)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	defer root.Close()
	limit := 20*info.Size() + 1<<20
	u := &unpacker{ctx: ctx, file: file, size: info.Size(), progress: progress, root: root,
		left: limit, limit: limit}
	if err := walk(u); err != nil {
		return fmt.Errorf("archive: %s: %w", filepath.Base(path), err)
	}
	return settle(temporary, target)
}

// settle renames the unpacked folder, or the only entry in it if that's a folder, to its final
// name. On Linux it's then on disk, so the archive may be removed.
func settle(temporary, target string) error {
	entries, err := os.ReadDir(temporary)
	if err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	from := temporary
	if len(entries) == 1 && entries[0].IsDir() {
		from = filepath.Join(temporary, entries[0].Name())
	}
	if err := syncAll(from); err != nil {
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

// unpacker unpacks an archive below a folder, reports progress and stops with the context's error.
// It counts the disk space used: at most 20 times the archive's size and 1 MiB.
type unpacker struct {
	ctx        context.Context
	file       *os.File
	size, done int64 // bytes of the file
	progress   func(done, total int64)

	root        *os.Root
	left, limit int64 // bytes to write
}

// blockBytes is the least size counted for a file or folder, which bounds their number.
const blockBytes = 4096

// add checks a member of the archive and writes it.
func (u *unpacker) add(member string, mode fs.FileMode, body io.Reader) error {
	name := strings.TrimSuffix(strings.TrimPrefix(member, "./"), "/")
	switch {
	case name == "" || name == ".":
		return nil
	case strings.Contains(name, `\`) || !filepath.IsLocal(filepath.FromSlash(name)):
		return fmt.Errorf("%q lies outside the archive's folder: the archive isn't to be trusted",
			member)
	case !mode.IsDir() && !mode.IsRegular():
		return fmt.Errorf("%q is neither a file nor a folder (%v): the archive isn't to be trusted",
			member, mode.Type())
	case mode.IsDir():
		return cmp.Or(u.take(member, blockBytes), u.root.MkdirAll(name, 0o755))
	}
	return u.write(filepath.FromSlash(name), body)
}

// take counts bytes and refuses any beyond the limit.
func (u *unpacker) take(name string, bytes int64) error {
	if u.left -= bytes; u.left < 0 {
		return fmt.Errorf("%q: more than %d bytes come out: the archive isn't to be trusted", name,
			u.limit)
	}
	return nil
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
	n, err := io.Copy(file, io.LimitReader(body, u.left+1))
	if err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return cmp.Or(u.take(name, max(n, blockBytes)), file.Close())
}
