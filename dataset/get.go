package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/internal/archive"
	"github.com/nbbnn/workbench/internal/download"
	"github.com/nbbnn/workbench/internal/filelock"
)

// GetProgress is told what is being done to which file, and how far it is, in bytes; total is 0 where the size was not
// published.
type GetProgress func(step Step, file string, done, total int64)

// Step is what is being done to a file.
type Step string

// The steps of Get, in their order.
const (
	Fetching  Step = "fetch"
	Verifying Step = "verify"
	Unpacking Step = "unpack"
)

// Get brings the source's files to its folder below a directory: it downloads what is missing, going on where an earlier
// call stopped, compares it with the published size and checksums, and unpacks it. A file that somebody put into the
// directory by hand is used in place of a download. Downloaded archives are removed once they are unpacked, files that were
// there before are not. While one call is at work, another for the same source and directory fails with an error that wraps
// filelock.ErrLocked.
func (s Source) Get(ctx context.Context, directory string, progress GetProgress) error {
	if _, missing := s.Find(directory); len(missing) == 0 {
		return nil
	}
	if progress == nil {
		progress = func(Step, string, int64, int64) {}
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return fmt.Errorf("dataset: %w: set NBBNN_DATA to a folder that can be written", err)
	}
	unlock, err := filelock.Lock(filepath.Join(directory, "."+s.Name+".lock"))
	if err != nil {
		return fmt.Errorf("dataset: %s can't be fetched to %s: %w", s.Name, directory, err)
	}
	defer unlock()
	if _, missing := s.Find(directory); len(missing) == 0 { // another call was faster
		return nil
	}
	g := &getter{source: s, directory: directory, folder: filepath.Join(directory, s.Folder), progress: progress}
	for _, file := range s.Archives {
		if err := g.get(ctx, file); err != nil {
			return err
		}
	}
	if folder, missing := s.Find(directory); len(missing) > 0 {
		return fmt.Errorf("dataset: %s lacks %s after unpacking: remove the folder and get %s again", folder, strings.Join(missing, ", "), s.Name)
	}
	return nil
}

// getter is one call of Get at work.
type getter struct {
	source    Source
	directory string
	folder    string
	progress  GetProgress
}

// get brings one archive or file.
func (g *getter) get(ctx context.Context, file Archive) error {
	if !file.packed() {
		return g.getMember(ctx, file)
	}
	if _, err := os.Lstat(g.folder); err == nil {
		return fmt.Errorf("dataset: %s is there but lacks %s: remove or rename it and get %s again",
			g.folder, strings.Join(g.source.missing(g.folder), ", "), g.source.Name)
	}
	path := filepath.Join(g.directory, file.Name)
	fetched, err := g.obtain(ctx, file, path)
	if err != nil {
		return err
	}
	report := func(done, total int64) { g.progress(Unpacking, file.Name, done, total) }
	if err := archive.Unpack(ctx, path, g.folder, archive.Config{Progress: report}); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	if fetched {
		return os.Remove(path)
	}
	return nil
}

// getMember brings a file that needs no unpacking.
func (g *getter) getMember(ctx context.Context, file Archive) error {
	if err := os.MkdirAll(g.folder, 0o755); err != nil {
		return fmt.Errorf("dataset: %w: set NBBNN_DATA to a folder that can be written", err)
	}
	_, err := g.obtain(ctx, file, filepath.Join(g.folder, file.Name))
	return err
}

// obtain sees that the published file lies at path, and says whether it had to be downloaded.
func (g *getter) obtain(ctx context.Context, file Archive, path string) (fetched bool, err error) {
	if _, err := os.Stat(path); err == nil {
		g.progress(Verifying, file.Name, 0, file.Size)
	}
	switch err := download.Verify(ctx, file.file(), path); {
	case err == nil:
		return false, nil
	case !errors.Is(err, os.ErrNotExist):
		return false, fmt.Errorf("dataset: %w: remove %s and get %s again", err, path, g.source.Name)
	}
	config := download.Config{Progress: func(done, total int64) { g.progress(Fetching, file.Name, done, total) }}
	switch err := download.Fetch(ctx, file.file(), path, config); {
	case ctx.Err() != nil:
		return false, fmt.Errorf("dataset: getting %s stopped, the same call goes on from there: %w", g.source.Name, ctx.Err())
	case err != nil:
		return false, g.byHand(err)
	}
	return true, nil
}

// byHand says, after a download that failed, what a person can do: which files to bring, from where, and where to put them.
func (g *getter) byHand(cause error) error {
	place := g.source.HandFolder(g.directory)
	var wanted []Archive
	for _, file := range g.source.Archives {
		if _, err := os.Stat(filepath.Join(place, file.Name)); err != nil {
			wanted = append(wanted, file)
		}
	}
	return &ByHandError{Name: g.source.Name, Cause: cause, Place: place, Wanted: wanted}
}

// ByHandError is the error of Get where a download failed that a person can bring by hand.
type ByHandError struct {
	Name   string // of the source
	Cause  error
	Place  string    // the folder to put the files into
	Wanted []Archive // the files that aren't there
}

// Error says why the download failed, what to bring and where to put it.
func (e *ByHandError) Error() string {
	wanted := make([]string, len(e.Wanted))
	for i, file := range e.Wanted {
		wanted[i] = file.String()
	}
	return fmt.Sprintf("dataset: %s can't be fetched: %v: get it by hand, put it into %s and call again: %s",
		e.Name, e.Cause, e.Place, strings.Join(wanted, "; "))
}

// Unwrap returns the cause.
func (e *ByHandError) Unwrap() error { return e.Cause }

// packed says whether the file is an archive.
func (a Archive) packed() bool {
	return strings.HasSuffix(a.Name, ".tar") || strings.HasSuffix(a.Name, ".tar.gz") || strings.HasSuffix(a.Name, ".zip")
}
