package archive

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
)

// source is the archive's file; reading it reports progress and ends with the context's error when
// that is cancelled.
type source struct {
	ctx      context.Context
	file     *os.File
	size     int64
	done     int64
	progress func(done, total int64)
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.file.Read(p)
	return s.count(n, err)
}

func (s *source) ReadAt(p []byte, at int64) (int, error) {
	n, err := s.file.ReadAt(p, at)
	return s.count(n, err)
}

func (s *source) count(n int, err error) (int, error) {
	if stop := s.ctx.Err(); stop != nil {
		return 0, stop
	}
	if s.done += int64(n); s.progress != nil && n > 0 {
		s.progress(min(s.done, s.size), s.size)
	}
	return n, err
}

// walkTar calls add for each entry.
func walkTar(s *source, add func(entry) error) error {
	return walkTarStream(bufio.NewReaderSize(s, 1<<18), add)
}

// walkTarGzip reads to the end of the compressed data, whose checksum is checked there.
func walkTarGzip(s *source, add func(entry) error) error {
	unzipped, err := gzip.NewReader(bufio.NewReaderSize(s, 1<<18))
	if err != nil {
		return err
	}
	if err := walkTarStream(unzipped, add); err != nil {
		return err
	}
	const slack = 1 << 20 // blocks of zeros after the end of the archive
	switch _, err := io.CopyN(io.Discard, unzipped, slack); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	}
	return errors.New("it goes on after its end")
}

func walkTarStream(r io.Reader, add func(entry) error) error {
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
		if header.Typeflag == tar.TypeLink { // whose mode is that of a file
			mode |= os.ModeIrregular
		}
		if err := add(entry{header.Name, mode, archive}); err != nil {
			return err
		}
	}
}

// walkZip calls add for each entry, in the order of the table of contents.
func walkZip(s *source, add func(entry) error) error {
	archive, err := zip.NewReader(s, s.size)
	if err != nil {
		return err
	}
	for _, file := range archive.File {
		if err := addZipped(file, add); err != nil {
			return err
		}
	}
	return nil
}

func addZipped(file *zip.File, add func(entry) error) error {
	body, err := file.Open()
	if err != nil {
		return err
	}
	defer body.Close()
	return add(entry{file.Name, file.Mode(), body})
}
