package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nbbnn/workbench/internal/download"
	"github.com/nbbnn/workbench/internal/files"
)

// badServer answers requests for content in a way that some server does. random is its own.
type badServer struct {
	name   string
	answer func(w http.ResponseWriter, r *http.Request, content []byte, random *rand.Rand)
}

var badServers = []badServer{
	{"cut off", func(w http.ResponseWriter, r *http.Request, content []byte, random *rand.Rand) {
		rest := content[rangeOf(w, r, content):]
		w.Header().Set("Content-Length", strconv.Itoa(len(rest)))
		_, _ = w.Write(rest[:random.IntN(len(rest)+1)])
		panic(http.ErrAbortHandler)
	}},
	{"short, and ended in order", func(w http.ResponseWriter, r *http.Request, content []byte, random *rand.Rand) {
		rest := content[rangeOf(w, r, content):]
		_, _ = w.Write(rest[:random.IntN(len(rest)+1)])
	}},
	{"a redirection in a circle", func(w http.ResponseWriter, r *http.Request, _ []byte, _ *rand.Rand) {
		http.Redirect(w, r, r.URL.Path+"again", http.StatusFound)
	}},
	{"a byte now and then", func(w http.ResponseWriter, r *http.Request, content []byte, random *rand.Rand) {
		for _, b := range content[rangeOf(w, r, content):] {
			if _, err := w.Write([]byte{b}); err != nil || r.Context().Err() != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
			time.Sleep(time.Duration(1+random.IntN(20)) * time.Millisecond)
		}
	}},
	{"a wrong byte", func(w http.ResponseWriter, r *http.Request, content []byte, random *rand.Rand) {
		damaged := bytes.Clone(content)
		damaged[random.IntN(len(damaged))] ^= byte(1 + random.IntN(255))
		_, _ = w.Write(damaged[rangeOf(w, r, content):])
	}},
	{"more than the file", func(w http.ResponseWriter, r *http.Request, content []byte, random *rand.Rand) {
		_, _ = w.Write(content[rangeOf(w, r, content):])
		_, _ = w.Write(content[:1+random.IntN(1000)])
	}},
	{"another range than asked for", func(w http.ResponseWriter, r *http.Request, content []byte, random *rand.Rand) {
		from := min(len(content)-1, rangeOf(nil, r, content)+random.IntN(3))
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content)-1, len(content)))
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(content[from : from+random.IntN(len(content)-from)])
	}},
	{"a page of text, or a failure", func(w http.ResponseWriter, _ *http.Request, _ []byte, random *rand.Rand) {
		codes := []int{http.StatusOK, http.StatusForbidden, http.StatusNotFound, http.StatusInternalServerError, http.StatusTooManyRequests}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(codes[random.IntN(len(codes))])
		_, _ = w.Write([]byte("please log in"))
	}},
}

// rangeOf returns the first byte that a request asks for, and writes a partial answer's header.
func rangeOf(w http.ResponseWriter, r *http.Request, content []byte) int {
	text := strings.TrimSuffix(strings.TrimPrefix(r.Header.Get("Range"), "bytes="), "-")
	from, err := strconv.Atoi(text)
	if err != nil || from > len(content) {
		return 0
	}
	if w != nil && from > 0 {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content)-1, len(content)))
		w.WriteHeader(http.StatusPartialContent)
	}
	return from
}

// downloads fetches a file from servers on this machine that are bad for some requests, and then
// honest or not.
func (a *assault) downloads(ctx context.Context) error {
	content := make([]byte, 100_000)
	random := rand.New(rand.NewPCG(a.seed, 1))
	for i := range content {
		content[i] = byte(random.Uint32())
	}
	sum := sha256.Sum256(content)
	published := files.Published{Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
	for try := range a.tries {
		for index, server := range badServers {
			if a.over() {
				return nil
			}
			verdict, message := a.fetch(ctx, server, content, published, rand.New(rand.NewPCG(a.seed, uint64(try)<<8|uint64(index))))
			a.tally.add("download", server.name, verdict)
			if message != "" {
				fmt.Fprintf(a.out, "%-8s %s, try %d: %s\n", verdict, server.name, try, message)
			}
		}
	}
	return nil
}

// fetch downloads once. The server is bad for a random number of requests, or always.
func (a *assault) fetch(ctx context.Context, server badServer, content []byte, published files.Published, random *rand.Rand) (verdict, message string) {
	bad, seed := int64(random.IntN(6)), random.Uint64()
	if bad == 0 {
		bad = 1 << 40
	}
	var requests atomic.Int64
	listening := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if count := requests.Add(1); count <= bad {
			server.answer(w, r, content, rand.New(rand.NewPCG(seed, uint64(count))))
			return
		}
		http.ServeContent(w, r, "set.tar", time.Time{}, bytes.NewReader(content))
	}))
	defer listening.Close()
	path := filepath.Join(a.place, "set.tar")
	defer os.Remove(path)
	defer os.Remove(download.Part(path))
	config := download.Config{Attempts: 3, Pause: time.Millisecond, Patience: 300 * time.Millisecond, Least: 2000}
	const enough = 30 * time.Second
	limited, cancel := context.WithTimeout(ctx, enough)
	defer cancel()
	err := download.Fetch(limited, download.File{Published: published, Addresses: []string{listening.URL + "/set.tar"}}, path, config)
	got, missing := os.ReadFile(path)
	switch {
	case limited.Err() != nil:
		return crashed, "it doesn't end: " + err.Error()
	case err == nil && bytes.Equal(got, content):
		return harmless, ""
	case err == nil || missing == nil:
		return silent, "the file isn't the published one"
	case strings.Contains(err.Error(), "%!"):
		return unclear, err.Error()
	}
	return noticed, ""
}
