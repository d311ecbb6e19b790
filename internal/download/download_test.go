package download

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
)

// Tests wait for nothing.
func init() { firstPause, patience = time.Nanosecond, 10*time.Second }

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
		Published: files.Published{Size: int64(len(content)), MD5: hex.EncodeToString(sum[:]),
			SHA256: hex.EncodeToString(long[:])},
		Addresses: addresses,
	}
}

// server answers a request, of which it knows the number, from 0 on.
type server func(w http.ResponseWriter, r *http.Request, request int)

// serve starts a server.
func serve(t *testing.T, handle server) string {
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

// answer sends a whole file with a length that may be a lie, and then drops the connection.
func answer(w http.ResponseWriter, announced int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(announced))
	w.Write(body)
	if announced > len(body) {
		panic(http.ErrAbortHandler)
	}
}

// partial sends a part that says where it begins.
func partial(w http.ResponseWriter, first int, body []byte) {
	w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, len(content)-1,
		len(content)))
	w.WriteHeader(http.StatusPartialContent)
	w.Write(body)
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

// then drops the connection after 200,000 bytes of the first request, answers the second as given
// and all others honestly.
func then(second server) server {
	return func(w http.ResponseWriter, r *http.Request, request int) {
		switch request {
		case 0:
			answer(w, len(content), content[:200_000])
		case 1:
			second(w, r, request)
		default:
			honest(w, r, request)
		}
	}
}

// fails answers with a status.
func fails(status int) server {
	return func(w http.ResponseWriter, _ *http.Request, _ int) { http.Error(w, "", status) }
}

// page answers as given, with a page.
func page(of server) server {
	return func(w http.ResponseWriter, r *http.Request, request int) {
		w.Header().Set("Content-Type", "Text/HTML; charset=utf-8")
		of(w, r, request)
	}
}

// The file arrives from these servers.
func TestFetchFromBadServers(t *testing.T) {
	for _, test := range []struct {
		name   string
		handle server
		want   int // requests
	}{
		{"honest", honest, 1},
		{"drops the connection", then(honest), 2},
		{"drops the connection twice", then(func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Length", "100000")
			partial(w, from(r), content[from(r):][:50_000])
			panic(http.ErrAbortHandler)
		}), 3},
		{"ignores ranges after a drop", then(func(w http.ResponseWriter, _ *http.Request, _ int) {
			answer(w, len(content), content)
		}), 2},
		{"announces too few bytes", func(w http.ResponseWriter, r *http.Request, request int) {
			if request == 0 {
				answer(w, 250_000, content[:250_000])
				return
			}
			honest(w, r, request)
		}, 2},
		{"announces too many bytes", func(w http.ResponseWriter, _ *http.Request, _ int) {
			answer(w, len(content)+9999, content)
		}, 1},
		{"answers with another range", then(func(w http.ResponseWriter, _ *http.Request, _ int) {
			partial(w, 100, content[100:])
		}), 3},
		{"answers with a range that it doesn't send",
			then(func(w http.ResponseWriter, r *http.Request, _ int) {
				partial(w, from(r), content[:100_000])
			}), 3},
		{"refuses ranges", then(fails(http.StatusRequestedRangeNotSatisfiable)), 3},
		{"sends too much after a drop", then(func(w http.ResponseWriter, r *http.Request, _ int) {
			partial(w, from(r), content)
		}), 3},
		{"is busy after a drop", then(fails(http.StatusServiceUnavailable)), 3},
		{"sends it elsewhere", func(w http.ResponseWriter, r *http.Request, request int) {
			if request == 0 {
				http.Redirect(w, r, "/elsewhere", http.StatusFound)
				return
			}
			honest(w, r, request)
		}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			requests := 0
			address := serve(t, func(w http.ResponseWriter, r *http.Request, request int) {
				requests = request + 1
				test.handle(w, r, request)
			})
			path := filepath.Join(t.TempDir(), "set.tar")
			testkit.NoError(t, Fetch(t.Context(), published(address), path, nil))
			checkFile(t, path)
			if requests != test.want {
				t.Errorf("%d requests, want %d", requests, test.want)
			}
		})
	}
}

// checkFile checks that the file is whole and nothing stands beside it.
func checkFile(t *testing.T, path string) {
	t.Helper()
	got := testkit.Must(os.ReadFile(path))(t)
	if !bytes.Equal(got, content) {
		t.Errorf("the file's %d bytes aren't the %d that were published", len(got), len(content))
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("%d files beside each other, want one (%v)", len(entries), err)
	}
}

func TestFetchRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		handle server
		want   string
		kept   int64 // bytes of the part that stay
	}{
		{"wrong bytes", func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Write(damaged())
		}, "has sha256", 0},
		{"more bytes", func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Write(append(damaged(), content...))
		},
			"sends more than 300000 bytes", 0},
		{"missing", fails(http.StatusNotFound), "404 Not Found", 0},
		{"a page that says missing", page(fails(http.StatusNotFound)), "404 Not Found", 0},
		{"always busy", fails(http.StatusTooManyRequests), "4 attempts brought too little: the " +
			"server answers 429", 0},
		{"a page", page(honest), "sends a page of text, not the file", 0},
		{"a page as a range", then(page(func(w http.ResponseWriter, r *http.Request, _ int) {
			partial(w, from(r), []byte("please log in"))
		})),
			"sends a page of text, not the file", 200_000},
		{"always drops at the same place", func(w http.ResponseWriter, _ *http.Request, _ int) {
			answer(w, len(content), content[:150_000])
		}, "4 attempts brought too little: unexpected EOF", 150_000},
		{"drops and shifts in turn", func(w http.ResponseWriter, r *http.Request, _ int) {
			if from(r) > 0 {
				partial(w, 7, nil)
				return
			}
			answer(w, len(content), content[:150_000])
		}, "attempts brought too little", -1},
		{"ends early, in order", func(w http.ResponseWriter, r *http.Request, _ int) {
			partial(w, from(r), nil)
		},
			"4 attempts brought too little: the answer ended after 0 of 300000 bytes", -1},
		{"a byte at a time", func(w http.ResponseWriter, r *http.Request, _ int) {
			partial(w, from(r), content[from(r):][:1])
		},
			"4 attempts brought too little: the answer ended after 4 of 300000 bytes", 4},
		{"a circle", func(w http.ResponseWriter, r *http.Request, _ int) {
			http.Redirect(w, r, "/again", http.StatusFound)
		},
			"stopped after 10 redirects", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "set.tar")
			testkit.Error(t, test.name, Fetch(t.Context(), published(serve(t, test.handle)), path,
				nil), test.want)
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Error("the file is there in spite of the error")
			}
			if got := partSize(path); test.kept >= 0 && got != test.kept {
				t.Errorf("%d bytes are kept, want %d", got, test.kept)
			}
		})
	}
}

// partSize is how much has arrived of a file.
func partSize(path string) int64 { return (&fetcher{part: path + ".part"}).have() }

func TestFetchGivesUpOnSilence(t *testing.T) {
	defer func(before time.Duration) { patience = before }(patience)
	patience = 20 * time.Millisecond
	address := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		w.Write(content[:1000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	err := Fetch(t.Context(), published(address), filepath.Join(t.TempDir(), "set.tar"), nil)
	testkit.Error(t, "a slow server", err, "fewer than 65536 bytes arrived in 20ms")
}

// A stopped download continues where it stopped, or from the beginning if that is another file's.
func TestFetchGoesOnWhereItStopped(t *testing.T) {
	for _, first := range [][]byte{content, damaged()} {
		var ranges []string
		address := serve(t, func(w http.ResponseWriter, r *http.Request, request int) {
			ranges = append(ranges, r.Header.Get("Range"))
			if request == 0 {
				answer(w, len(content), first[:200_000])
			}
			honest(w, r, request)
		})
		path := filepath.Join(t.TempDir(), "set.tar")
		ctx, cancel := context.WithCancel(t.Context())
		err := Fetch(ctx, published(address), path, func(done, _ int64) {
			if done == 200_000 {
				cancel()
			}
		})
		if got := partSize(path); !errors.Is(err, context.Canceled) || got != 200_000 {
			t.Fatalf("error %v after %d bytes, want %v after 200,000", err, got, context.Canceled)
		}
		testkit.NoError(t, Fetch(t.Context(), published(address), path, nil))
		checkFile(t, path)
		if ranges[1] != "bytes=200000-" || len(ranges) == 2 != bytes.Equal(first, content) {
			t.Errorf("ranges asked for are %q, want the second one from byte 200000", ranges)
		}
	}
}

func TestFetchTriesTheSecondAddress(t *testing.T) {
	gone := serve(t, fails(http.StatusGone))
	path := filepath.Join(t.TempDir(), "set.tar")
	testkit.NoError(t, Fetch(t.Context(), published(gone, serve(t, honest)), path, nil))
	checkFile(t, path)
	err := Fetch(t.Context(), published(gone, gone), path, nil)
	testkit.Error(t, "two that are gone", err, "410 Gone; http://127.0.0.1")
}

func TestFetchWithoutNetwork(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	err := Fetch(t.Context(), published(server.URL), filepath.Join(t.TempDir(), "set.tar"), nil)
	testkit.Error(t, "no server", err, "no connection: dial tcp")
	lookup := &net.OpError{Op: "dial", Err: &net.DNSError{Name: "example.org",
		Server: "192.0.2.1:53"}}
	err = explain(t.Context(), &url.Error{Op: "Get", URL: "https://example.org/set.tar",
		Err: lookup})
	if want := "no connection: the address of example.org can't be looked up"; err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestFetchOfUnknownSizeIsLimited(t *testing.T) {
	defer func(before int64) { mostBytes = before }(mostBytes)
	file := published(serve(t, honest))
	file.Size = 0
	for limit, want := range map[int64]string{300_000: "", 299_999: "more than 299999 bytes"} {
		path := filepath.Join(t.TempDir(), "set.tar")
		mostBytes = limit
		err := Fetch(t.Context(), file, path, nil)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) ||
			partSize(path) > 0 {
			t.Errorf("limit %d: error %v with a part of %d bytes, want %q", limit, err,
				partSize(path), want)
		}
	}
}

func TestFetchIntoMissingFolder(t *testing.T) {
	err := Fetch(t.Context(), published(serve(t, honest)), filepath.Join(t.TempDir(), "missing",
		"set.tar"), nil)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want one that wraps %v", err, os.ErrNotExist)
	}
}
