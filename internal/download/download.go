// Package download fetches large files over HTTP. Received bytes go to a file with the ending
// .part, which a later call continues by a range request. The file gets its name only when its size
// and checksums are the published ones. The error distinguishes servers that drop the connection,
// lie about lengths, ignore ranges or send other bytes.
//
//	published := files.Published{Size: 1 << 20, MD5: "0cc175b9c0f1b6a831c399e269772661"}
//	file := download.File{Published: published, Addresses: []string{"https://example.org/set.tar"}}
//	err := download.Fetch(ctx, file, "set.tar", nil)
package download

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
)

// File is a file that somebody publishes.
type File struct {
	files.Published
	Addresses []string // of the same bytes, the best first; at least one
}

// How patient a download is. Tests replace the variables.
const (
	leastBytes   = 64 << 10 // count as progress; fewer in an attempt are too little
	mostAttempts = 4        // in a row that bring too little
)

var (
	firstPause       = time.Second // before the second such attempt, doubled before each later one
	patience         = time.Minute // in which leastBytes must arrive
	mostBytes  int64 = 4 << 30     // of a file of unpublished size
)

// errUnreachable is wrapped by the error of a download whose server could not be reached at all.
var errUnreachable = errors.New("no connection")

// finalError is an error that another attempt at the same address can't cure.
type finalError struct{ error }

func (e finalError) Unwrap() error { return e.error }

// Fetch brings the file to path. Its addresses are tried in turn. After a cancellation or an error,
// the received bytes stay for the next call, unless they are wrong. progress is called as bytes
// arrive, with a total of 0 if that is unknown; it may be nil.
func Fetch(ctx context.Context, file File, path string,
	progress func(done, total int64)) (failed error) {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	for _, address := range file.Addresses {
		f := &fetcher{file: file, address: address, path: path, part: path + ".part",
			progress: progress}
		err := f.complete(ctx)
		// its parts may have been of different versions
		if errors.Is(err, files.ErrDiffers) && f.resumed {
			err = f.complete(ctx)
		}
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case failed == nil:
			failed = fmt.Errorf("%s: %w", address, err)
		default:
			failed = fmt.Errorf("%w; %s: %w", failed, address, err)
		}
	}
	return failed
}

// fetcher brings one file from one address.
type fetcher struct {
	file       File
	address    string
	path, part string // part holds the received bytes
	progress   func(done, total int64)
	resumed    bool // the file was put together from the answers to several requests
}

// complete fetches the missing bytes, checks the file and renames it.
func (f *fetcher) complete(ctx context.Context) error {
	if err := f.persist(ctx); err != nil {
		return err
	}
	if err := f.file.Check(ctx, f.part); err != nil {
		if errors.Is(err, files.ErrDiffers) {
			_ = os.Remove(f.part) // or the next call finds the same
		}
		return err
	}
	return os.Rename(f.part, f.path)
}

// persist repeats attempts until the file is complete. Only many bytes beyond the most received so
// far count as progress, so it gives up on a server that restarts the download repeatedly or sends
// single bytes. It doesn't wait for an unreachable server, unless it was reachable before.
func (f *fetcher) persist(ctx context.Context) error {
	began := f.have()
	pause, most := firstPause, began
	for idle := 0; ; {
		err := f.attempt(ctx)
		_, isFinal := errors.AsType[finalError](err)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("download of %s stopped: %w", f.path, ctx.Err())
		case isFinal, errors.Is(err, errUnreachable) && most == began:
			return err
		case f.have()-most >= leastBytes:
			idle, pause, most = 0, firstPause, f.have()
			continue
		}
		if idle++; idle >= mostAttempts {
			return fmt.Errorf("%d attempts brought too little: %w", idle, err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		pause *= 2
	}
}

// have returns the number of bytes that have arrived.
func (f *fetcher) have() int64 {
	info, err := os.Stat(f.part)
	if err != nil {
		return 0
	}
	return info.Size()
}

// attempt requests the missing bytes once and appends the received ones. Its error is nil if the
// file may be whole now.
func (f *fetcher) attempt(ctx context.Context) error {
	have := f.have()
	if f.file.Size > 0 && have == f.file.Size {
		f.resumed = true
		return nil
	}
	if f.file.Size > 0 && have > f.file.Size {
		have = 0
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	impatience := time.AfterFunc(patience, func() {
		cancel(fmt.Errorf("fewer than %d bytes arrived in %v", leastBytes, patience))
	})
	defer impatience.Stop()
	response, err := f.request(ctx, have)
	if err != nil {
		return explain(ctx, err)
	}
	defer response.Body.Close()
	if have, err = f.accept(response, have); err != nil {
		return err
	}
	if err := f.receive(response.Body, have, func() { impatience.Reset(patience) }); err != nil {
		return explain(ctx, err)
	}
	if have = f.have(); f.file.Size > 0 && have < f.file.Size {
		return fmt.Errorf("the answer ended after %d of %d bytes", have, f.file.Size)
	}
	return nil
}

// request asks for the bytes from have on, uncompressed: a compressed transfer has other lengths
// and ranges.
func (f *fetcher) request(ctx context.Context, have int64) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.address, nil)
	if err != nil {
		return nil, finalError{err}
	}
	request.Close = true
	request.Header.Set("User-Agent", "nbbnn")
	request.Header.Set("Accept-Encoding", "identity")
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	return http.DefaultClient.Do(request)
}

// accept checks the answer's status and returns how many existing bytes to keep. It doesn't trust
// the server's lengths: arriving bytes are counted and summed.
func (f *fetcher) accept(response *http.Response, have int64) (keep int64, err error) {
	answer := fmt.Errorf("the server answers %s", quantity.Printable(response.Status))
	isPage := strings.HasPrefix(strings.ToLower(response.Header.Get("Content-Type")), "text/html")
	isRest := strings.HasPrefix(response.Header.Get("Content-Range"),
		fmt.Sprintf("bytes %d-", have))
	switch status := response.StatusCode; {
	case isPage && status < http.StatusBadRequest: // which asks for a password or reports a failure
		return 0, finalError{errors.New("the server sends a page of text, not the file: it may " +
			"want a login; what had arrived stays")}
	case status == http.StatusOK:
		return 0, nil
	case status == http.StatusPartialContent && isRest:
		f.resumed = true
		return have, nil
	case status == http.StatusPartialContent, status == http.StatusRequestedRangeNotSatisfiable:
		_ = os.Remove(f.part) // or the next attempt fails in the same way
		return 0, fmt.Errorf("%w to a request from byte %d: the file is fetched again", answer,
			have)
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout,
		status >= http.StatusInternalServerError:
		return 0, answer
	}
	return 0, finalError{answer}
}

// receive appends the body to the first keep bytes of the part; alive is called whenever enough
// bytes have arrived to count as progress. More bytes than the file has are an error, and the part
// is discarded.
func (f *fetcher) receive(body io.Reader, keep int64, alive func()) error {
	part, err := os.OpenFile(f.part, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return finalError{err}
	}
	defer part.Close()
	if err := part.Truncate(keep); err != nil {
		return finalError{err}
	}
	limit := cmp.Or(f.file.Size, mostBytes)
	buffer := make([]byte, 1<<18)
	for at, counted := keep, keep; ; {
		n, err := body.Read(buffer)
		if at+int64(n) > limit {
			_ = os.Remove(f.part) // or the next call finds it too long
			return finalError{fmt.Errorf("the server sends more than %d bytes, the most for this "+
				"file: %w", limit, files.ErrDiffers)}
		}
		if _, err := part.WriteAt(buffer[:n], at); err != nil {
			return finalError{fmt.Errorf("%w: see that the disk has room", err)}
		}
		if at += int64(n); at-counted >= leastBytes {
			counted = at
			alive()
		}
		if n > 0 {
			f.progress(at, f.file.Size)
		}
		if errors.Is(err, io.EOF) {
			return part.Sync()
		}
		if err != nil {
			return err
		}
	}
}

// explain names impatience as the cause of a cancelled request, and marks errors of the connection,
// without the addresses of name servers that were asked in vain.
func explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if lookup, found := errors.AsType[*net.DNSError](err); found {
		return fmt.Errorf("%w: the address of %s can't be looked up", errUnreachable, lookup.Name)
	}
	if connection, found := errors.AsType[*net.OpError](err); found &&
		(connection.Op == "dial" || connection.Op == "proxyconnect") {
		return fmt.Errorf("%w: %w", errUnreachable, connection)
	}
	return err
}
