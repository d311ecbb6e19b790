package download

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nbbnn/workbench/internal/files"
)

// content is what honest servers send: 300 kB in which no part repeats.
var content = func() []byte {
	var all []byte
	for i := 0; len(all) < 300_000; i++ {
		sum := sha256.Sum256([]byte(strconv.Itoa(i)))
		all = append(all, sum[:]...)
	}
	return all[:300_000]
}()

// published is what was published about content.
func published(addresses ...string) File {
	sum, long := md5.Sum(content), sha256.Sum256(content)
	return File{
		Published: files.Published{Size: int64(len(content)), MD5: hex.EncodeToString(sum[:]), SHA256: hex.EncodeToString(long[:])},
		Addresses: addresses,
	}
}

// hasty waits for nothing.
var hasty = Config{Attempts: 3, Pause: time.Nanosecond, Patience: 10 * time.Second}

// serve starts a server; the handler is told which request it answers, from 0 on.
func serve(t *testing.T, handle func(w http.ResponseWriter, r *http.Request, request int)) string {
	t.Helper()
	var count atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handle(w, r, int(count.Add(1))-1)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/set.tar"
}

// honest serves content, ranges included.
func honest(w http.ResponseWriter, r *http.Request, _ int) {
	http.ServeContent(w, r, "set.tar", time.Time{}, bytes.NewReader(content))
}

// drop ends the connection in the midst of an answer.
func drop() { panic(http.ErrAbortHandler) }

// answer sends a whole file with a length that may be a lie.
func answer(w http.ResponseWriter, announced int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(announced))
	w.Write(body)
	if announced > len(body) {
		drop()
	}
}

// from is the first byte that a request asks for.
func from(r *http.Request) int {
	text := strings.TrimSuffix(strings.TrimPrefix(r.Header.Get("Range"), "bytes="), "-")
	first, _ := strconv.Atoi(text)
	return first
}

func damaged() []byte {
	wrong := bytes.Clone(content)
	wrong[123_456]++
	return wrong
}

// badServers are servers from which the file arrives in spite of them.
var badServers = []struct {
	name   string
	handle func(w http.ResponseWriter, r *http.Request, request int)
	want   int // requests
}{
	{"honest", honest, 1},
	{"drops the connection twice", func(w http.ResponseWriter, r *http.Request, request int) {
		if request < 2 {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from(r), len(content)-1, len(content)))
			w.Header().Set("Content-Length", strconv.Itoa(len(content)-from(r)))
			if from(r) > 0 {
				w.WriteHeader(http.StatusPartialContent)
			}
			w.Write(content[from(r) : from(r)+100_000])
			drop()
		}
		honest(w, r, request)
	}, 3},
	{"ignores ranges after a drop", func(w http.ResponseWriter, r *http.Request, request int) {
		if request == 0 {
			answer(w, len(content), content[:200_000])
		}
		answer(w, len(content), content)
	}, 2},
	{"announces too few bytes", func(w http.ResponseWriter, r *http.Request, request int) {
		if request == 0 {
			answer(w, 250_000, content[:250_000])
			return
		}
		honest(w, r, request)
	}, 2},
	{"announces too many bytes", func(w http.ResponseWriter, _ *http.Request, _ int) { answer(w, len(content)+9999, content) }, 1},
	{"answers with another range", func(w http.ResponseWriter, r *http.Request, request int) {
		switch request {
		case 0:
			answer(w, len(content), content[:200_000])
		case 1:
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 100-%d/%d", len(content)-1, len(content)))
			w.WriteHeader(http.StatusPartialContent)
			w.Write(content[100:])
		default:
			honest(w, r, request)
		}
	}, 3},
	{"answers with a range that it doesn't send", func(w http.ResponseWriter, r *http.Request, request int) {
		switch request {
		case 0:
			answer(w, len(content), content[:200_000])
		case 1:
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 200000-%d/%d", len(content)-1, len(content)))
			w.WriteHeader(http.StatusPartialContent)
			w.Write(content[:100_000])
		default:
			honest(w, r, request)
		}
	}, 3},
	{"refuses ranges", func(w http.ResponseWriter, r *http.Request, request int) {
		switch {
		case request == 0:
			answer(w, len(content), content[:200_000])
		case from(r) > 0:
			http.Error(w, "", http.StatusRequestedRangeNotSatisfiable)
		default:
			honest(w, r, request)
		}
	}, 3},
	{"sends too much after a drop", func(w http.ResponseWriter, r *http.Request, request int) {
		switch request {
		case 0:
			answer(w, len(content), content[:200_000])
		case 1:
			w.Header().Set("Content-Range", "bytes 200000-499999/500000")
			w.WriteHeader(http.StatusPartialContent)
			w.Write(content)
		default:
			if from(r) > 0 {
				http.Error(w, "not from the beginning", http.StatusNotFound)
				return
			}
			honest(w, r, request)
		}
	}, 3},
	{"is busy at first", func(w http.ResponseWriter, r *http.Request, request int) {
		if request < 2 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		honest(w, r, request)
	}, 3},
	{"sends another file's beginning first", func(w http.ResponseWriter, r *http.Request, request int) {
		if request == 0 {
			answer(w, len(content), damaged()[:200_000])
		}
		honest(w, r, request)
	}, 2},
	{"sends it elsewhere", func(w http.ResponseWriter, r *http.Request, request int) {
		if request == 0 {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
			return
		}
		honest(w, r, request)
	}, 2},
}
