package archive

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"strings"
)

func (u *unpacker) Read(p []byte) (int, error) { return u.count(u.file.Read(p)) }

func (u *unpacker) ReadAt(p []byte, at int64) (int, error) { return u.count(u.file.ReadAt(p, at)) }

func (u *unpacker) count(n int, err error) (int, error) {
	if stop := u.ctx.Err(); stop != nil {
		return 0, stop
	}
	if u.done += int64(n); u.progress != nil && n > 0 {
		u.progress(min(u.done, u.size), u.size)
	}
	return n, err
}

// walker returns what adds the members of archives with the ending that path has, nil for another
// one.
func walker(path string) func(*unpacker) error {
	switch {
	case strings.HasSuffix(path, ".tar"):
		return func(u *unpacker) error { return u.walkTar(bufio.NewReaderSize(u, 1<<18)) }
	case strings.HasSuffix(path, ".tar.gz"), strings.HasSuffix(path, ".tgz"):
		return (*unpacker).walkTarGzip
	case strings.HasSuffix(path, ".zip"):
		return (*unpacker).walkZip
	}
	return nil
}

// walkTarGzip reads to the end of the compressed data, whose checksum is checked there.
func (u *unpacker) walkTarGzip() error {
	unzipped, err := gzip.NewReader(bufio.NewReaderSize(u, 1<<18))
	if err != nil {
		return err
	}
	if err := u.walkTar(unzipped); err != nil {
		return err
	}
	const slack = 1 << 20 // blocks of zeros after the end of the archive
	switch _, err := io.CopyN(io.Discard, unzipped, slack); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return errors.New("data follows its end")
}

func (u *unpacker) walkTar(r io.Reader) error {
	archive := tar.NewReader(r)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		mode := header.FileInfo().Mode()
		if header.Typeflag == tar.TypeLink { // its mode is a file's
			mode |= os.ModeIrregular
		}
		if err := u.add(header.Name, mode, archive); err != nil {
			return err
		}
	}
}

// walkZip adds the members in the order of the table of contents.
func (u *unpacker) walkZip() error {
	archive, err := zip.NewReader(u, u.size)
	if err != nil {
		return err
	}
	for _, file := range archive.File {
		body, err := file.Open()
		if err != nil {
			return err
		}
		if err := cmp.Or(u.add(file.Name, file.Mode(), body), body.Close()); err != nil {
			return err
		}
	}
	return nil
}
