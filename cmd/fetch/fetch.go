// Package fetch downloads what package sources lists. It's a separate package because only it needs
// the network: a notebook cell that reads a data set on disk doesn't link it.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/archive"
	"github.com/nbbnn/workbench/internal/download"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/sources"
)

// Get brings a source's files to its folder below a directory: it downloads missing files,
// continuing an earlier call, compares them with the published sizes and checksums, and unpacks
// them. A file that a person put into the directory is used instead of a download. Downloaded
// archives are removed after unpacking; files that were there before are kept. While one call is at
// work, another for the same source and directory fails.
func Get(ctx context.Context, source sources.Source, directory string,
	progress dataset.Progress) error {
	if _, missing := source.Find(directory); len(missing) == 0 {
		return nil
	}
	if progress == nil {
		progress = func(string, string, int64, int64) {}
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return fmt.Errorf("fetch: %w: set NBBNN_DATA to a folder that can be written", err)
	}
	unlock, err := files.Lock(filepath.Join(directory, "."+source.Name+".lock"))
	if err != nil {
		return fmt.Errorf("fetch: %s can't be fetched to %s: %w", source.Name, directory, err)
	}
	defer unlock()
	if _, missing := source.Find(directory); len(missing) == 0 { // another call was faster
		return nil
	}
	g := &getter{source: source, directory: directory, folder: filepath.Join(directory,
		source.Folder), progress: progress}
	for _, file := range source.Archives {
		if err := g.get(ctx, file); err != nil {
			return err
		}
	}
	if folder, missing := source.Find(directory); len(missing) > 0 {
		return fmt.Errorf("fetch: %s lacks %s after unpacking: remove the folder and get %s again",
			folder, strings.Join(missing, ", "), source.Name)
	}
	return nil
}

// getter is one call of Get at work.
type getter struct {
	source    sources.Source
	directory string
	folder    string
	progress  dataset.Progress
}

// get brings a file: a member unchanged, or an archive that it unpacks.
func (g *getter) get(ctx context.Context, file sources.Archive) error {
	if !file.Packed() {
		if err := os.MkdirAll(g.folder, 0o755); err != nil {
			return fmt.Errorf("fetch: %w: set NBBNN_DATA to a folder that can be written", err)
		}
		_, err := g.obtain(ctx, file, filepath.Join(g.folder, file.Name))
		return err
	}
	if _, err := os.Lstat(g.folder); err == nil {
		_, missing := g.source.Find(g.directory)
		return fmt.Errorf("fetch: %s exists but lacks %s: remove or rename it and get %s again",
			g.folder, strings.Join(missing, ", "), g.source.Name)
	}
	path := filepath.Join(g.directory, file.Name)
	fetched, err := g.obtain(ctx, file, path)
	if err != nil {
		return err
	}
	report := func(done, total int64) { g.progress(dataset.Unpacking, file.Name, done, total) }
	if err := archive.Unpack(ctx, path, g.folder, report); err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	if fetched {
		return os.Remove(path)
	}
	return nil
}

// obtain makes sure that the published file is at path, and reports whether it had to be
// downloaded.
func (g *getter) obtain(ctx context.Context, file sources.Archive, path string) (fetched bool,
	err error) {
	if _, err := os.Stat(path); err == nil {
		g.progress(dataset.Verifying, file.Name, 0, file.Size)
	}
	published := files.Published{Size: file.Size, MD5: file.MD5, SHA256: file.SHA256}
	switch err := published.Check(ctx, path); {
	case err == nil:
		return false, nil
	case !errors.Is(err, os.ErrNotExist):
		return false, fmt.Errorf("fetch: %w: remove %s and get %s again", err, path, g.source.Name)
	}
	report := func(done, total int64) { g.progress(dataset.Fetching, file.Name, done, total) }
	switch err := download.Fetch(ctx, download.File{Published: published,
		Addresses: file.Addresses}, path, report); {
	case ctx.Err() != nil:
		return false, fmt.Errorf("fetch: getting %s stopped, the same call continues there: %w",
			g.source.Name, ctx.Err())
	case err != nil:
		return false, g.byHand(err)
	}
	return true, nil
}

// byHand explains, after a failed download, which files to download manually and where to put them.
func (g *getter) byHand(cause error) error {
	place := g.source.HandFolder(g.directory)
	var wanted []sources.Archive
	for _, file := range g.source.Archives {
		if _, err := os.Stat(filepath.Join(place, file.Name)); err != nil {
			wanted = append(wanted, file)
		}
	}
	return &ByHandError{Name: g.source.Name, Cause: cause, Place: place, Wanted: wanted}
}

// ByHandError is the error of Get if a download failed that a person can repeat manually.
type ByHandError struct {
	Name   string // of the source
	Cause  error
	Place  string            // the folder to put the files into
	Wanted []sources.Archive // the files that aren't there
}

// Error explains why the download failed, what to download manually and where to put it.
func (e *ByHandError) Error() string {
	wanted := make([]string, len(e.Wanted))
	for i, file := range e.Wanted {
		wanted[i] = file.String()
	}
	return fmt.Sprintf("fetch: %s can't be fetched: %v: download it manually into %s and call "+
		"again: %s",
		e.Name, e.Cause, e.Place, strings.Join(wanted, "; "))
}

// Unwrap returns the cause.
func (e *ByHandError) Unwrap() error { return e.Cause }
