// Package download fetches large files over HTTP. What arrives goes to a file with the ending
// .part, from which a later call goes on by a range request; it gets its name only when its size
// and its checksums are those that were published. Servers that drop the connection, lie about
// lengths, ignore ranges or send other bytes are told apart and named in the error.
//
//	published := files.Published{Size: 1 << 20, MD5: "0cc175b9c0f1b6a831c399e269772661"}
//	file := download.File{Published: published, Addresses: []string{"https://example.org/set.tar"}}
//	err := download.Fetch(ctx, file, "set.tar", download.Config{})
package download

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/files"
)

// File is a file that somebody publishes.
type File struct {
	files.Published
	Addresses []string // of the same bytes, the best first; at least one
}

// Config says how patient a download is.
type Config struct {
	Attempts int                     // in a row that bring too little, for each address; 0 means 4
	Pause    time.Duration           // before the second such attempt, doubled before each later one; 0 means 1 s
	Bytes    int64                   // at most so many of a file whose size is unknown; 0 means 4 GiB
	Patience time.Duration           // in which leastBytes have to arrive, or an attempt is given up; 0 means 60 s
	Progress func(done, total int64) // called as bytes arrive, total 0 where it's unknown; nil means nobody wants to know
}

// leastBytes count as progress; fewer in an attempt are too little.
const leastBytes = 64 << 10

func (c Config) withDefaults() Config {
	c.Attempts = cmp.Or(c.Attempts, 4)
	c.Pause = cmp.Or(c.Pause, time.Second)
	c.Bytes = cmp.Or(c.Bytes, 4<<30)
	c.Patience = cmp.Or(c.Patience, time.Minute)
	if c.Progress == nil {
		c.Progress = func(int64, int64) {}
	}
	return c
}

// errUnreachable is wrapped by the error of a download whose server could not be reached at all.
var errUnreachable = errors.New("no connection")

// partOf is the path of what has arrived so far of the file at path.
func partOf(path string) string { return path + ".part" }

// Fetch brings the file to path. Its addresses are tried in turn. When the context is cancelled, or
// an error returned, what has arrived stays for the next call, unless it's wrong.
func Fetch(ctx context.Context, file File, path string, config Config) error {
	var problems problems
	for _, address := range file.Addresses {
		f := &fetcher{file: file, address: address, path: path, config: config.withDefaults(), client: newClient()}
		err := f.run(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		problems = append(problems, fmt.Errorf("%s: %w", host(address), err))
	}
	return problems
}

// host is the server of an address, or the address where that can't be read.
func host(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" {
		return address
	}
	return parsed.Host
}

// problems are the errors of all addresses, on one line.
type problems []error

func (p problems) Error() string {
	texts := make([]string, len(p))
	for i, problem := range p {
		texts[i] = problem.Error()
	}
	return strings.Join(texts, "; ")
}

func (p problems) Unwrap() []error { return p }

// newClient makes a client that asks for the bytes as they are: a compressed transfer has other
// lengths and ranges.
func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true
	transport.DisableKeepAlives = true
	return &http.Client{Transport: transport}
}

// fetcher brings one file from one address.
type fetcher struct {
	file    File
	address string
	path    string
	config  Config
	client  *http.Client
	resumed bool // the file was put together from the answers to several requests
}

// run makes attempts as long as they bring bytes, and some more; then the file is checked. A file
// that was resumed and turns out wrong is fetched once more from its beginning, because its parts
// may have been of different versions.
func (f *fetcher) run(ctx context.Context) error {
	err := f.complete(ctx)
	if errors.Is(err, files.ErrDiffers) && f.resumed {
		err = f.complete(ctx)
	}
	return err
}

// complete fetches what is missing, checks the whole and gives it its name.
func (f *fetcher) complete(ctx context.Context) error {
	if err := f.persist(ctx); err != nil {
		return err
	}
	part := partOf(f.path)
	if err := f.file.Check(ctx, part); err != nil {
		if errors.Is(err, files.ErrDiffers) {
			os.Remove(part)
		}
		return err
	}
	return os.Rename(part, f.path)
}

// persist repeats attempts until the file is complete. Only bytes beyond all that there have been
// count as progress, and only many of them, so that a server which makes the download start again
// and again, or sends a byte at a time, comes to an end. A server that can't be reached at all
// isn't waited for, unless it could be before.
func (f *fetcher) persist(ctx context.Context) error {
	began := f.have()
	pause, most := f.config.Pause, began
	for idle := 0; ; {
		whole, err := f.attempt(ctx)
		switch {
		case whole:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("download of %s stopped: %w", f.path, ctx.Err())
		case final(err), errors.Is(err, errUnreachable) && most == began:
			return err
		case f.have()-most >= leastBytes:
			idle, pause, most = 0, f.config.Pause, f.have()
			continue
		}
		if idle++; idle >= f.config.Attempts {
			return fmt.Errorf("%d attempts brought too little: %w", idle, err)
		}
		if !sleep(ctx, pause) {
			return fmt.Errorf("download of %s stopped: %w", f.path, ctx.Err())
		}
		pause *= 2
	}
}

// have is the number of bytes that have arrived.
func (f *fetcher) have() int64 {
	info, err := os.Stat(partOf(f.path))
	if err != nil {
		return 0
	}
	return info.Size()
}

// sleep waits, and says whether it did so to the end.
func sleep(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
