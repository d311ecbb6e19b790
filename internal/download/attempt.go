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

// finalError is an error that another attempt at the same address can't cure.
type finalError struct{ error }

func (e finalError) Unwrap() error { return e.error }

func final(err error) bool {
	var f finalError
	return errors.As(err, &f)
}

// attempt asks once for what is missing and appends what arrives. It says whether the file is whole
// now.
func (f *fetcher) attempt(ctx context.Context) (whole bool, err error) {
	have := f.have()
	if f.file.Size > 0 && have > f.file.Size {
		return false, f.startAgain()
	}
	if f.file.Size > 0 && have == f.file.Size {
		f.resumed = true
		return true, nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	impatience := time.AfterFunc(f.config.Patience, func() {
		cancel(fmt.Errorf("fewer than %d bytes arrived in %v", leastBytes, f.config.Patience))
	})
	defer impatience.Stop()
	response, err := f.request(ctx, have)
	if err != nil {
		return false, explain(ctx, err)
	}
	defer response.Body.Close()
	if have, err = f.accept(response, have); err != nil {
		return false, err
	}
	if err := f.receive(response, have, func() { impatience.Reset(f.config.Patience) }); err != nil {
		return false, explain(ctx, err)
	}
	if have = f.have(); f.file.Size > 0 && have < f.file.Size {
		return false, fmt.Errorf("the answer ended after %d of %d bytes", have, f.file.Size)
	}
	return true, nil
}

// request asks for the bytes from have on.
func (f *fetcher) request(ctx context.Context, have int64) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.address, nil)
	if err != nil {
		return nil, finalError{err}
	}
	request.Header.Set("User-Agent", "nbbnn")
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	return f.client.Do(request)
}

// accept looks at the answer's status and returns how many of the bytes at hand stay. What the
// server says about lengths is not relied on: the bytes that arrive are counted and their checksums
// taken.
func (f *fetcher) accept(response *http.Response, have int64) (int64, error) {
	switch status := response.StatusCode; {
	case (status == http.StatusOK || status == http.StatusPartialContent) && f.isPage(response):
		return 0, finalError{errors.New("the server sends a page of text, not the file: it may want a login; what had arrived stays")}
	case status == http.StatusOK:
		return 0, nil
	case status == http.StatusPartialContent:
		f.resumed = true
		return have, f.checkRange(response, have)
	case status == http.StatusRequestedRangeNotSatisfiable && have > 0:
		return 0, f.startAgain()
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500:
		return 0, fmt.Errorf("the server answers %s", quantity.Printable(response.Status))
	default:
		return 0, finalError{fmt.Errorf("the server answers %s", quantity.Printable(response.Status))}
	}
}

// isPage tells pages that ask for a password or report a failure from the file, whatever length
// they have.
func (f *fetcher) isPage(response *http.Response) bool {
	kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(kind), "text/html") && !strings.HasSuffix(f.path, ".html")
}

// checkRange checks that a partial answer starts where the file ends.
func (f *fetcher) checkRange(response *http.Response, have int64) error {
	var from int64
	text := response.Header.Get("Content-Range")
	if _, err := fmt.Sscanf(text, "bytes %d-", &from); err == nil && from == have {
		return nil
	}
	return fmt.Errorf("the server answers a request from byte %d with the range %q: %w", have, text, f.startAgain())
}

// startAgain throws away what has arrived.
func (f *fetcher) startAgain() error {
	if err := os.Remove(partOf(f.path)); err != nil && !os.IsNotExist(err) {
		return finalError{err}
	}
	return errors.New("what had arrived doesn't fit the file and is fetched again")
}

// receive appends the body to the first keep bytes of the part; alive is called whenever enough
// bytes have arrived to count as progress.
func (f *fetcher) receive(response *http.Response, keep int64, alive func()) error {
	part, err := os.OpenFile(partOf(f.path), os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return finalError{err}
	}
	defer part.Close()
	if err := part.Truncate(keep); err != nil {
		return finalError{err}
	}
	sink := &sink{file: part, at: keep, counted: keep, fetcher: f, alive: alive}
	if _, err := io.CopyBuffer(sink, response.Body, make([]byte, 1<<18)); err != nil {
		return err
	}
	return part.Sync()
}

// sink writes what arrives and refuses to write more than the file has.
type sink struct {
	file    *os.File
	at      int64
	counted int64 // where progress was last counted
	fetcher *fetcher
	alive   func()
}

func (s *sink) Write(data []byte) (int, error) {
	size := s.fetcher.file.Size
	if s.at+int64(len(data)) > cmp.Or(size, s.fetcher.config.Bytes) {
		return 0, finalError{s.fetcher.tooMuch()}
	}
	n, err := s.file.WriteAt(data, s.at)
	s.at += int64(n)
	if s.at-s.counted >= leastBytes {
		s.counted = s.at
		s.alive()
	}
	s.fetcher.config.Progress(s.at, size)
	if err != nil {
		return n, finalError{fmt.Errorf("%w: see that the disk has room", err)}
	}
	return n, nil
}

// tooMuch is the error of a server that sends more than the file has. What has arrived is thrown
// away, so that another try begins anew.
func (f *fetcher) tooMuch() error {
	if err := os.Remove(partOf(f.path)); err != nil && !os.IsNotExist(err) {
		return err
	}
	if f.file.Size == 0 {
		return fmt.Errorf("the server sends more than %d bytes, too many for a file of unpublished size: %w", f.config.Bytes, files.ErrDiffers)
	}
	return fmt.Errorf("the server sends more than the %d bytes of the published file: %w", f.file.Size, files.ErrDiffers)
}

// explain names impatience as the cause of a cancelled request, and marks errors of the connection.
func explain(ctx context.Context, err error) error {
	var connection *net.OpError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &connection) && (connection.Op == "dial" || connection.Op == "proxyconnect"):
		return fmt.Errorf("%w: %w", errUnreachable, brief(connection))
	}
	return err
}

// brief is why a connection can't be made, without the addresses of name servers that were asked in
// vain.
func brief(connection *net.OpError) error {
	var lookup *net.DNSError
	if errors.As(connection, &lookup) {
		return fmt.Errorf("the address of %s can't be looked up", lookup.Name)
	}
	return connection
}
