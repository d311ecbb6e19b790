package fetch

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/internal/testkit"
)

// packedFiles is a compressed archive of small files in a folder.
func packedFiles(t *testing.T, contents map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	for name, body := range contents {
		testkit.NoError(t, w.WriteHeader(&tar.Header{Name: "official/" + name, Mode: 0o644,
			Size: int64(len(body)), Typeflag: tar.TypeReg}))
		testkit.Must(w.Write([]byte(body)))(t)
	}
	testkit.NoError(t, errors.Join(w.Close(), zipped.Close()))
	return out.Bytes()
}

func md5Of(data []byte) string {
	sum := md5.Sum(data)
	return hex.EncodeToString(sum[:])
}

func write(t *testing.T, path string, bytes []byte) {
	t.Helper()
	testkit.NoError(t, os.WriteFile(path, bytes, 0o644))
}

// checkError wants a one-line error that begins with the name of its package and holds every one of
// the texts.
func checkError(t *testing.T, err error, of string, want ...string) {
	t.Helper()
	testkit.Error(t, "Get", err, want...)
	testkit.ErrorOf(t, "Get", err, "", of)
}

// littleSource is a source of two small files, and the server of its archive.
func littleSource(t *testing.T) (sources.Source, []byte, *int) {
	t.Helper()
	packed := packedFiles(t, map[string]string{"a.bin": "alpha", "b.bin": "beta"})
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		http.ServeContent(w, r, "little.tar.gz", time.Time{}, bytes.NewReader(packed))
	}))
	t.Cleanup(server.Close)
	return sources.Source{
		Name: "little", Folder: "little-files",
		Archives: []sources.Archive{{Name: "little.tar.gz", Addresses: []string{server.URL},
			Size: int64(len(packed)), MD5: md5Of(packed)}},
		Members: []sources.Member{{Path: "a.bin", MD5: md5Of([]byte("alpha"))}, {Path: "b.bin"}},
	}, packed, &requests
}

func TestGetFetchesVerifiesAndUnpacks(t *testing.T) {
	source, _, requests := littleSource(t)
	directory := filepath.Join(t.TempDir(), "new")
	var steps []string
	progress := func(step, file string, done, total int64) {
		steps = append(steps, string(step)+" "+file)
	}
	for range 2 {
		testkit.NoError(t, Get(t.Context(), source, directory, progress))
	}
	if *requests != 1 {
		t.Errorf("%d requests for two calls, want 1", *requests)
	}
	for _, want := range []string{"fetch little.tar.gz", "unpack little.tar.gz"} {
		if !strings.Contains(strings.Join(steps, "\n"), want) {
			t.Errorf("progress lacks %q: %q", want, steps)
		}
	}
	entries, err := os.ReadDir(directory)
	if err != nil || len(entries) != 1 || entries[0].Name() != "little-files" {
		t.Errorf("the directory holds %v, %v, want the folder alone", entries, err)
	}
	if agree, err := source.Verify(t.Context(), directory); agree != 1 || err != nil {
		t.Errorf("Verify() = %d, %v, want the 1 file whose checksum is published", agree, err)
	}
}

func TestGetUsesAFilePutThereByHand(t *testing.T) {
	source, packed, requests := littleSource(t)
	directory := t.TempDir()
	path := filepath.Join(directory, "little.tar.gz")
	write(t, path, packed)
	testkit.NoError(t, Get(t.Context(), source, directory, nil))
	if _, err := os.Stat(path); err != nil || *requests != 0 {
		t.Errorf("the file put there by hand: %v, after %d requests; want it to stay, and none",
			err, *requests)
	}
}

func TestGetRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(t *testing.T, source *sources.Source, directory string, packed []byte)
		want   []string
	}{
		{"a truncated file put there by hand", func(t *testing.T, s *sources.Source,
			directory string, packed []byte) {
			write(t, filepath.Join(directory, "little.tar.gz"), packed[:50])
		}, []string{"little.tar.gz has 50 bytes", "remove", "get little again"}},
		{"another file put there by hand", func(t *testing.T, s *sources.Source, directory string,
			packed []byte) {
			write(t, filepath.Join(directory, "little.tar.gz"), make([]byte, len(packed)))
		}, []string{"little.tar.gz has md5", "remove"}},
		{"a folder that isn't whole", func(t *testing.T, s *sources.Source, directory string,
			_ []byte) {
			testkit.NoError(t, os.Mkdir(filepath.Join(directory, "little-files"), 0o755))
		}, []string{"little-files exists but lacks a.bin, b.bin"}},
		{"an archive without a file", func(t *testing.T, s *sources.Source, _ string, _ []byte) {
			s.Members = append(s.Members, sources.Member{Path: "c.bin"})
		}, []string{"lacks c.bin after unpacking"}},
		{"no network", func(t *testing.T, s *sources.Source, _ string, _ []byte) {
			s.Archives[0].Addresses = []string{refusedAddress(t)}
		}, []string{"little can't be fetched", "no connection", "manually into",
			"little.tar.gz from http://127.0.0.1", "bytes, md5 "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			source, packed, _ := littleSource(t)
			directory := t.TempDir()
			test.change(t, &source, directory, packed)
			checkError(t, Get(t.Context(), source, directory, nil), "fetch", test.want...)
		})
	}
}

// refusedAddress is an address at which nothing listens.
func refusedAddress(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	return server.URL + "/little.tar.gz"
}

func TestGetOfSingleFiles(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("alpha"))
	}))
	t.Cleanup(server.Close)
	sum := md5Of([]byte("alpha"))
	source := sources.Source{
		Name: "single", Folder: "single",
		Archives: []sources.Archive{{Name: "a.png", Addresses: []string{server.URL}, Size: 5,
			MD5: sum}, {Name: "b.png", Addresses: []string{server.URL}, MD5: "0"}},
		Members: []sources.Member{{Path: "a.png", MD5: sum}, {Path: "b.png", MD5: sum}},
	}
	directory := t.TempDir()
	err := Get(t.Context(), source, directory, nil)
	checkError(t, err, "fetch", "single can't be fetched", "b.png", "(size unpublished, md5 0)",
		filepath.Join(directory, "single"))
	if strings.Contains(err.Error(), "a.png from") {
		t.Errorf("error asks for the file that is there: %v", err)
	}
	source.Archives[1].MD5 = ""
	testkit.NoError(t, Get(t.Context(), source, directory, nil))
	if agree, err := source.Verify(t.Context(), directory); agree != 2 || err != nil {
		t.Errorf("Verify() = %d, %v, want 2 files that agree", agree, err)
	}
	write(t, filepath.Join(directory, "single", "b.png"), []byte("beta!"))
	_, err = source.Verify(t.Context(), directory)
	checkError(t, err, "dataset", "b.png has md5", "`nbbnn data get single`")
}

// Two calls at once would write to the same part file.
func TestGetIsAlone(t *testing.T) {
	source, _, requests := littleSource(t)
	directory := t.TempDir()
	var second error
	progress := func(string, string, int64, int64) {
		second = Get(t.Context(), source, directory, nil)
	}
	testkit.NoError(t, Get(t.Context(), source, directory, progress))
	checkError(t, second, "fetch", "little can't be fetched", "is at work", "wait for it")
	if !errors.Is(second, files.ErrLocked) || *requests != 1 {
		t.Errorf("a second call at the same time: error %v after %d requests, want one that "+
			"wraps %v after 1", second, *requests, files.ErrLocked)
	}
}

func TestGetStops(t *testing.T) {
	source, _, _ := littleSource(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Get(ctx, source, t.TempDir(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}
