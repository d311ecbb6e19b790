package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/archive"
	"github.com/nbbnn/workbench/internal/testkit"
)

// member is what a test puts into an archive.
type member struct {
	name string
	body string
	kind byte // of tar; 0 is a file
	link string
}

func tarOf(t *testing.T, members ...member) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, m := range members {
		header := &tar.Header{Name: m.name, Mode: 0o644, Size: int64(len(m.body)), Typeflag: m.kind,
			Linkname: m.link}
		testkit.NoError(t, w.WriteHeader(header))
		testkit.Must(w.Write([]byte(m.body)))(t)
	}
	testkit.NoError(t, w.Close())
	return out.Bytes()
}

func gzipOf(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	testkit.Must(w.Write(data))(t)
	testkit.NoError(t, w.Close())
	return out.Bytes()
}

func zipOf(t *testing.T, members ...member) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range members {
		header := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		if m.kind == tar.TypeSymlink {
			header.SetMode(os.ModeSymlink | 0o777)
		}
		f := testkit.Must(w.CreateHeader(header))(t)
		testkit.Must(f.Write([]byte(m.body)))(t)
	}
	testkit.NoError(t, w.Close())
	return out.Bytes()
}

// unpack writes an archive into an empty folder and unpacks it to "target" beside it.
func unpack(t *testing.T, name string, data []byte,
	progress func(done, total int64)) (folder string, err error) {
	t.Helper()
	folder = t.TempDir()
	path := filepath.Join(folder, name)
	testkit.NoError(t, os.WriteFile(path, data, 0o600))
	return folder, archive.Unpack(t.Context(), path, filepath.Join(folder, "target"), progress)
}

var sound = []member{
	{name: "set/", kind: tar.TypeDir}, {name: "set/a.bin", body: "alpha"},
	{name: "./set/deep/er/b.bin", body: "beta"},
}

func TestUnpack(t *testing.T) {
	flat := []member{{name: "a.bin", body: "alpha"}, {name: "deep/er/b.bin", body: "beta"}}
	for name, test := range map[string]struct {
		file string
		data []byte
	}{
		"tar":                  {"x.tar", tarOf(t, sound...)},
		"compressed tar":       {"x.tar.gz", gzipOf(t, tarOf(t, sound...))},
		"tgz":                  {"x.tgz", gzipOf(t, tarOf(t, sound...))},
		"zip":                  {"x.zip", zipOf(t, sound...)},
		"no folder of its own": {"x.tar", tarOf(t, flat...)},
		"zip without folder":   {"x.zip", zipOf(t, flat...)},
	} {
		t.Run(name, func(t *testing.T) {
			var done, total int64
			folder := testkit.Must(unpack(t, test.file, test.data, func(d, n int64) {
				done, total = d, n
			}))(t)
			for path, want := range map[string]string{"a.bin": "alpha", "deep/er/b.bin": "beta"} {
				got, err := os.ReadFile(filepath.Join(folder, "target", path))
				if err != nil || string(got) != want {
					t.Errorf("%s holds %q, %v, want %q", path, got, err, want)
				}
			}
			if done == 0 || total != int64(len(test.data)) {
				t.Errorf("progress ended at %d of %d, want some of %d", done, total, len(test.data))
			}
			checkNames(t, folder, test.file, "target")
		})
	}
}

// checkNames checks that nothing else stands in a folder.
func checkNames(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries := testkit.Must(os.ReadDir(folder))(t)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("the folder holds %q, want %q", names, want)
	}
}

func TestUnpackRefuses(t *testing.T) {
	zeros := strings.Repeat("\x00", 4<<20)
	var many []member
	for i := range 1000 {
		many = append(many, member{name: strconv.Itoa(i)})
	}
	for _, test := range []struct {
		name, file string
		data       []byte
		want       string
	}{
		{"path upwards", "x.tar", tarOf(t, member{name: "../evil", body: "x"}),
			"outside the archive's folder"},
		{"path upwards inside", "x.tar", tarOf(t, member{name: "a/../../evil", body: "x"}),
			"outside the archive's folder"},
		{"path upwards in a zip", "x.zip", zipOf(t, member{name: "../evil", body: "x"}), "../evil"},
		{"absolute path", "x.tar", tarOf(t, member{name: "/tmp/evil", body: "x"}),
			"outside the archive's folder"},
		{"backslashes", "x.zip", zipOf(t, member{name: `..\evil`, body: "x"}), "evil"},
		{"symbolic link", "x.tar", tarOf(t, member{name: "l", kind: tar.TypeSymlink, link: "/etc"}),
			"neither a file nor a folder"},
		{"write through a link", "x.tar",
			tarOf(t, member{name: "l", kind: tar.TypeSymlink, link: ".."},
				member{name: "l/evil", body: "x"}), "neither a file nor a folder"},
		{"hard link", "x.tar", tarOf(t, member{name: "l", kind: tar.TypeLink, link: "/etc/passwd"}),
			"neither a file nor a folder"},
		{"symbolic link in a zip", "x.zip",
			zipOf(t, member{name: "l", kind: tar.TypeSymlink, body: "/etc"}),
			"neither a file nor a folder"},
		{"device", "x.tar", tarOf(t, member{name: "d", kind: tar.TypeChar}),
			"neither a file nor a folder"},
		{"pipe", "x.tar", tarOf(t, member{name: "p", kind: tar.TypeFifo}),
			"neither a file nor a folder"},
		{"the same file twice", "x.tar", tarOf(t, member{name: "a", body: "x"},
			member{name: "a", body: "y"}), "file exists"},
		{"bomb", "x.tar.gz", gzipOf(t, tarOf(t, member{name: "a", body: zeros})), "bytes come out"},
		{"bomb of many", "x.zip", zipOf(t, member{name: "a", body: zeros},
			member{name: "b", body: zeros}), "bytes come out"},
		{"many empty files", "x.tar.gz", gzipOf(t, tarOf(t, many...)), "bytes come out"},
		{"truncated", "x.tar", tarOf(t, sound...)[:700], "unexpected EOF"},
		{"truncated gzip", "x.tar.gz", gzipOf(t, tarOf(t, sound...))[:80], "unexpected EOF"},
		{"damaged gzip", "x.tar.gz", damage(gzipOf(t, tarOf(t, sound...))), "checksum"},
		{"truncated zip", "x.zip", zipOf(t, sound...)[:100], "not a valid zip file"},
		{"no archive", "x.tar.gz", []byte("<html>"), "x.tar.gz"},
		{"another ending", "x.rar", nil, "neither .tar nor .tar.gz nor .zip"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder, err := unpack(t, test.file, test.data, nil)
			testkit.Error(t, test.name, err, test.want)
			checkNames(t, folder, test.file)
			if _, err := os.Stat(filepath.Join(filepath.Dir(folder), "evil")); err == nil {
				t.Error("a file was written outside")
			}
		})
	}
}

// damage changes the checksum at the end of compressed data.
func damage(data []byte) []byte {
	data[len(data)-8]++
	return data
}

func TestUnpackLeavesAnExistingFolder(t *testing.T) {
	folder := t.TempDir()
	path, target := filepath.Join(folder, "x.tar"), filepath.Join(folder, "target")
	testkit.NoError(t, os.WriteFile(path, tarOf(t, sound...), 0o600))
	testkit.NoError(t, os.MkdirAll(filepath.Join(target, "mine"), 0o700))
	testkit.Error(t, "a folder that is there", archive.Unpack(t.Context(), path, target, nil),
		"see that "+target+" is free")
	checkNames(t, folder, "x.tar", "target")
	checkNames(t, target, "mine")
}

func TestUnpackRemovesWhatAKilledOneLeft(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x.tar")
	testkit.NoError(t, os.WriteFile(path, tarOf(t, sound...), 0o600))
	testkit.NoError(t, os.MkdirAll(filepath.Join(folder, ".target.unpacking", "old"), 0o700))
	testkit.NoError(t, archive.Unpack(t.Context(), path, filepath.Join(folder, "target"), nil))
	checkNames(t, folder, "x.tar", "target")
	checkNames(t, filepath.Join(folder, "target"), "a.bin", "deep")
}

func TestUnpackStops(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "x.tar")
	testkit.NoError(t, os.WriteFile(path, tarOf(t, sound...), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := archive.Unpack(ctx, path, filepath.Join(folder, "target"), nil); !errors.Is(err,
		context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	checkNames(t, folder, "x.tar")
}
