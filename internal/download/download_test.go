package download

import (
	"bytes"
	"context"
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
	"testing"
	"time"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestFetchFromBadServers(t *testing.T) {
	for _, test := range badServers {
		t.Run(test.name, func(t *testing.T) {
			requests := 0
			address := serve(t, func(w http.ResponseWriter, r *http.Request, request int) {
				requests = request + 1
				test.handle(w, r, request)
			})
			path := filepath.Join(t.TempDir(), "set.tar")
			if test.name == "sends another file's beginning first" {
				fetchAndStop(t, address, path)
			}
			testkit.NoError(t, Fetch(t.Context(), published(address), path, hasty))
			checkFile(t, path)
			if test.name != "sends another file's beginning first" && requests != test.want {
				t.Errorf("%d requests, want %d", requests, test.want)
			}
		})
	}
}

// fetchAndStop makes a download that ends after the first bytes.
func fetchAndStop(t *testing.T, address, path string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	config := hasty
	config.Progress = func(done, _ int64) {
		if done == 200_000 {
			cancel()
		}
	}
	if err := Fetch(ctx, published(address), path, config); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want %v", err, context.Canceled)
	}
	if info, err := os.Stat(partOf(path)); err != nil || info.Size() != 200_000 {
		t.Fatalf("the part is %v, %v, want 200,000 bytes", info, err)
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
		handle func(w http.ResponseWriter, r *http.Request, request int)
		want   string
		kept   int64 // bytes of the part that stay
	}{
		{"wrong bytes", func(w http.ResponseWriter, _ *http.Request, _ int) { w.Write(damaged()) }, "has md5", 0},
		{"more bytes", func(w http.ResponseWriter, _ *http.Request, _ int) { w.Write(append(damaged(), content...)) },
			"sends more than the 300000 bytes", 0},
		{"missing", func(w http.ResponseWriter, _ *http.Request, _ int) { http.Error(w, "", http.StatusNotFound) }, "404 Not Found", 0},
		{"forbidden", func(w http.ResponseWriter, _ *http.Request, _ int) { http.Error(w, "", http.StatusForbidden) }, "403 Forbidden", 0},
		{"always busy", func(w http.ResponseWriter, _ *http.Request, _ int) { http.Error(w, "", http.StatusTooManyRequests) },
			"3 attempts brought too little: the server answers 429", 0},
		{"a page", func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			answer(w, 12, []byte("please log in"[:12]))
		}, "sends a page of text, not the file", 0},
		{"a page of unknown length", func(w http.ResponseWriter, _ *http.Request, _ int) {
			w.Header().Set("Content-Type", "Text/HTML; charset=utf-8")
			w.(http.Flusher).Flush()
			w.Write([]byte("please log in"))
		}, "sends a page of text, not the file", 0},
		{"a page in answer to a range", func(w http.ResponseWriter, r *http.Request, _ int) {
			if from(r) == 0 {
				answer(w, len(content), content[:150_000])
			}
			w.Header().Set("Content-Type", "text/html")
			w.(http.Flusher).Flush()
			w.Write([]byte("please log in"))
		}, "sends a page of text, not the file", 150_000},
		{"a page as a range", func(w http.ResponseWriter, r *http.Request, _ int) {
			if from(r) == 0 {
				answer(w, len(content), content[:150_000])
			}
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Range", "bytes 150000-299999/300000")
			w.WriteHeader(http.StatusPartialContent)
			w.Write([]byte("please log in"))
		}, "sends a page of text, not the file", 150_000},
		{"always drops at the same place", func(w http.ResponseWriter, _ *http.Request, _ int) {
			answer(w, len(content), content[:150_000])
		}, "3 attempts brought too little: unexpected EOF", 150_000},
		{"drops and shifts in turn", func(w http.ResponseWriter, r *http.Request, _ int) {
			if from(r) > 0 {
				w.Header().Set("Content-Range", "bytes 7-8/9")
				w.WriteHeader(http.StatusPartialContent)
				return
			}
			answer(w, len(content), content[:150_000])
		}, "attempts brought too little", -1},
		{"ends early, in order", func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/300000", from(r), from(r)))
			w.Header().Set("Content-Length", "0")
			w.WriteHeader(http.StatusPartialContent)
		}, "3 attempts brought too little: the answer ended after 0 of 300000 bytes", -1},
		{"a byte at a time", func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/300000", from(r), from(r)))
			w.WriteHeader(http.StatusPartialContent)
			w.Write(content[from(r):][:1])
		}, "3 attempts brought too little: the answer ended after 3 of 300000 bytes", 3},
		{"a circle", func(w http.ResponseWriter, r *http.Request, _ int) { http.Redirect(w, r, "/again", http.StatusFound) },
			"stopped after 10 redirects", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "set.tar")
			err := Fetch(t.Context(), published(serve(t, test.handle)), path, hasty)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %v, want one line with %q", err, test.want)
			}
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Error("the file is there in spite of the error")
			}
			info, err := os.Stat(partOf(path))
			if got := size(info, err); test.kept >= 0 && got != test.kept {
				t.Errorf("%d bytes are kept, want %d", got, test.kept)
			}
		})
	}
}

func size(info os.FileInfo, err error) int64 {
	if err != nil {
		return 0
	}
	return info.Size()
}

func TestFetchGivesUpOnSilence(t *testing.T) {
	release := make(chan struct{})
	address := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		w.Write(content[:1000])
		w.(http.Flusher).Flush()
		<-release
	})
	defer close(release)
	config := hasty
	config.Patience, config.Attempts = 20*time.Millisecond, 1
	err := Fetch(t.Context(), published(address), filepath.Join(t.TempDir(), "set.tar"), config)
	testkit.Error(t, "a slow server", err, "fewer than 65536 bytes arrived in 20ms")
}

func TestFetchGoesOnWhereItStopped(t *testing.T) {
	var ranges []string
	address := serve(t, func(w http.ResponseWriter, r *http.Request, request int) {
		ranges = append(ranges, r.Header.Get("Range"))
		if request == 0 {
			answer(w, len(content), content[:200_000])
		}
		honest(w, r, request)
	})
	path := filepath.Join(t.TempDir(), "set.tar")
	fetchAndStop(t, address, path)
	testkit.NoError(t, Fetch(t.Context(), published(address), path, hasty))
	checkFile(t, path)
	if len(ranges) != 2 || ranges[1] != "bytes=200000-" {
		t.Errorf("ranges asked for are %q, want the second one from byte 200000", ranges)
	}
}

func TestFetchTriesTheSecondAddress(t *testing.T) {
	gone := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { http.Error(w, "", http.StatusGone) })
	path := filepath.Join(t.TempDir(), "set.tar")
	testkit.NoError(t, Fetch(t.Context(), published(gone, serve(t, honest)), path, hasty))
	checkFile(t, path)
}

func TestFetchWithoutNetwork(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	err := Fetch(t.Context(), published(server.URL), filepath.Join(t.TempDir(), "set.tar"), hasty)
	if !errors.Is(err, errUnreachable) {
		t.Errorf("error %v, want one that wraps %v", err, errUnreachable)
	}
}

func TestFetchOfUnknownSizeIsLimited(t *testing.T) {
	address := serve(t, honest)
	for _, test := range []struct {
		limit int64
		want  string
	}{{int64(len(content)), ""}, {int64(len(content)) - 1, "more than 299999 bytes, too many for a file of unpublished size"}} {
		file, config, path := published(address), hasty, filepath.Join(t.TempDir(), "set.tar")
		file.Size, config.Bytes = 0, test.limit
		err := Fetch(t.Context(), file, path, config)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("limit %d: error %v, want %q", test.limit, err, test.want)
		}
		if _, err := os.Stat(partOf(path)); !os.IsNotExist(err) {
			t.Errorf("limit %d: a part stays (%v)", test.limit, err)
		}
	}
}

func TestFetchIntoMissingFolder(t *testing.T) {
	err := Fetch(t.Context(), published(serve(t, honest)), filepath.Join(t.TempDir(), "missing", "set.tar"), hasty)
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want one that wraps %v", err, os.ErrNotExist)
	}
}

// A name that can't be looked up is named once, without the servers that were asked for it; other
// causes stay as they are.
func TestExplain(t *testing.T) {
	lookup := &net.DNSError{Err: "server misbehaving", Name: "example.org", Server: "192.0.2.1:53"}
	for _, test := range []struct {
		connection *net.OpError
		want       string
	}{
		{&net.OpError{Op: "dial", Net: "tcp", Err: lookup}, "no connection: the address of example.org can't be looked up"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}, "no connection: dial tcp: connection refused"},
	} {
		err := explain(t.Context(), &url.Error{Op: "Get", URL: "https://example.org/set.tar", Err: test.connection})
		if err.Error() != test.want || !errors.Is(err, errUnreachable) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}
