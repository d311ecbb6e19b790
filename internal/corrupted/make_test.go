package corrupted

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/testkit"
)

// smallSource is three images and what is made of them.
func smallSource() (Source, Making) {
	size := corrupt.Size{Height: 16, Width: 12}
	source := Source{
		Name: "drawn", Size: size, Labels: []uint8{2, 0, 7},
		Pixels: slices.Concat(photograph(size, 1), photograph(size, 2), photograph(size, 3)),
	}
	return source,
		Making{Suite: corrupt.Suite{Name: "three", Corruptions: []string{"fog", "frost",
			"pixelate"}},
			Seed: 4}
}

// photograph returns random pixels of an image.
func photograph(size corrupt.Size, seed uint64) []uint8 {
	rng, pixels := rand.New(rand.NewPCG(seed, 0)), make([]uint8, size.Values())
	for i := range pixels {
		pixels[i] = uint8(rng.IntN(256))
	}
	return pixels
}

func apply(t *testing.T, config corrupt.Config, size corrupt.Size, images []uint8) []uint8 {
	t.Helper()
	return testkit.Must(corrupt.Apply(t.Context(), config, size, images))(t)
}

// makeSet makes a set and fails the test on any error. It returns the number of images that were
// made.
func makeSet(t *testing.T, directory string, source Source, making Making) (manifest *Manifest,
	made int) {
	t.Helper()
	manifest = testkit.Must(Make(t.Context(), directory, source, making, func(p MakeProgress) {
		made = p.Made
	}))(t)
	return manifest, made
}

func TestMakeWritesTheLayoutOfThePublishedSets(t *testing.T) {
	source, making := smallSource()
	directory := filepath.Join(t.TempDir(), "set")
	manifest, made := makeSet(t, directory, source, making)
	if made != 45 {
		t.Errorf("%d images were made, want 3 corruptions x 5 severities x 3 images", made)
	}
	labels, err := npy.ReadFile[uint8](filepath.Join(directory, "labels.npy"))
	if want := slices.Repeat(source.Labels, 5); err != nil || !slices.Equal(labels.Values, want) {
		t.Errorf("labels are %v, %v, want %v", labels.Values, err, want)
	}
	for _, corruption := range making.Suite.Corruptions {
		array, err := npy.ReadFile[uint8](filepath.Join(directory, corruption+".npy"))
		if err != nil || !slices.Equal(array.Shape, []int{15, 16, 12, 3}) {
			t.Fatalf("%s has shape %v, %v, want [15 16 12 3]", corruption, array.Shape, err)
		}
		for severity := 1; severity <= 5; severity++ {
			want := apply(t, corrupt.Config{Corruption: corruption, Severity: severity, Seed: 4},
				source.Size, source.Pixels)
			rows := len(want)
			if got := array.Values[(severity-1)*rows : severity*rows]; !bytes.Equal(got, want) {
				t.Errorf("%s at severity %d: the file has other pixels than Apply", corruption,
					severity)
			}
		}
	}
	checkManifest(t, directory, manifest)
}

// TestMakeInPieces makes a set that is too large for one piece: draws continue from one piece to
// the next.
func TestMakeInPieces(t *testing.T) {
	size := corrupt.Size{Height: 256, Width: 256}
	count := pieceBytes/size.Values() + 2
	source := Source{
		Name: "repeated", Size: size, Labels: make([]uint8, count),
		Pixels: slices.Repeat(photograph(size, 1), count),
	}
	directory := t.TempDir()
	makeSet(t, directory, source,
		Making{Suite: corrupt.Suite{Name: "one", Corruptions: []string{"impulse_noise"}}})
	array := testkit.Must(npy.ReadFile[uint8](filepath.Join(directory, "impulse_noise.npy")))(t)
	want := apply(t, corrupt.Config{Corruption: "impulse_noise", Severity: 2}, size, source.Pixels)
	if got := array.Values[len(want) : 2*len(want)]; !bytes.Equal(got, want) {
		t.Error("severity 2 has other pixels than Apply")
	}
}

// checkManifest compares the manifest with the files.
func checkManifest(t *testing.T, directory string, manifest *Manifest) {
	t.Helper()
	read, err := ReadManifest(directory)
	if err != nil || len(read.Files) != 4 || !slices.Equal(read.Files, manifest.Files) {
		t.Fatalf("the manifest lists %v, %v, want the four files of %v", read, err, manifest.Files)
	}
	for _, file := range read.Files {
		data := testkit.Must(os.ReadFile(filepath.Join(directory, file.Name)))(t)
		if sum := md5.Sum(data); int64(len(data)) != file.Bytes ||
			hex.EncodeToString(sum[:]) != file.MD5 {
			t.Errorf("%s has %d bytes and MD5 %x, the manifest says %d and %s", file.Name,
				len(data), sum, file.Bytes, file.MD5)
		}
	}
	if frost, _ := read.File("frost.npy"); frost.Label != "frost (procedural)" {
		t.Errorf("frost is labelled %q, want frost (procedural)", frost.Label)
	}
}

func TestMakeMakesOnlyWhatIsMissingOrDamaged(t *testing.T) {
	source, making := smallSource()
	directory := t.TempDir()
	makeSet(t, directory, source, making)
	path := filepath.Join(directory, "fog.npy")
	whole := testkit.Must(os.ReadFile(path))(t)
	tests := []struct {
		name   string
		change func() error
		made   int
	}{
		{"nothing changed", func() error { return nil }, 0},
		{"file removed", func() error { return os.Remove(path) }, 15},
		{"file cut off", func() error { return os.Truncate(path, 1000) }, 15},
		{"byte changed", func() error {
			damaged := slices.Clone(whole)
			damaged[500] ^= 1
			return os.WriteFile(path, damaged, 0o644)
		}, 15},
		{"killed while writing", func() error {
			return os.WriteFile(filepath.Join(directory, ".fog.npy.17.nbbnn.tmp"), whole[:99],
				0o600)
		}, 0},
		{"labels removed", func() error {
			return os.Remove(filepath.Join(directory, "labels.npy"))
		}, 0},
	}
	for _, test := range tests {
		testkit.NoError(t, test.change())
		if _, made := makeSet(t, directory, source, making); made != test.made {
			t.Errorf("%s: %d images were made, want %d", test.name, made, test.made)
		}
		if data, err := os.ReadFile(path); err != nil || !bytes.Equal(data, whole) {
			t.Errorf("%s: fog.npy isn't what it was, %v", test.name, err)
		}
		if files, _ := os.ReadDir(directory); len(files) != 5 {
			t.Errorf("%s: the folder holds %v, want 5 files", test.name, files)
		}
	}
}

// The file of a registered corruption is made again when the function has changed.
func TestMakeAgainAfterAChange(t *testing.T) {
	corruption := corrupt.Corruption{Name: "darker", Version: "1",
		Severities: [5]float64{0.9, 0.8, 0.7, 0.6, 0.5},
		Apply: func(image corrupt.Image, strength float64, _, out []float64) {
			for i := range out {
				out[i] *= strength
			}
		}}
	testkit.NoError(t, corrupt.Register(corruption))
	source, making := smallSource()
	making.Suite.Corruptions = []string{"darker", "contrast"}
	directory := t.TempDir()
	manifest, made := makeSet(t, directory, source, making)
	if made != 30 || manifest.Files[0].Fingerprint == "" || manifest.Files[1].Fingerprint != "" {
		t.Errorf("made %d images, files %+v, want 30, and a fingerprint of darker only", made,
			manifest.Files)
	}
	if _, made := makeSet(t, directory, source, making); made != 0 {
		t.Errorf("the second time made %d images, want 0", made)
	}
	manifest.Files[0].Fingerprint = "00000000" // of another version
	testkit.NoError(t, manifest.write(directory))
	if _, made := makeSet(t, directory, source, making); made != 15 {
		t.Errorf("another version made %d images, want 15", made)
	}
}

func TestMakeRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(directory string, source *Source, making *Making) error
		want   string
	}{
		{"another seed", func(_ string, _ *Source, m *Making) error {
			m.Seed = 5
			return nil
		}, "holds a set with seed 4, not 5: choose another directory"},
		{"another table", func(_ string, _ *Source, m *Making) error {
			m.Table = corrupt.Tiny
			return nil
		}, "table cifar, not tiny"},
		{"other images", func(_ string, s *Source, _ *Making) error {
			s.Pixels[3]++
			return nil
		}, "clean images with SHA-256"},
		{"a downloaded set", func(directory string, _ *Source, _ *Making) error {
			return os.Remove(filepath.Join(directory, ManifestName))
		}, "has labels.npy but no manifest.json"},
		{"damaged manifest", func(directory string, _ *Source, _ *Making) error {
			return os.WriteFile(filepath.Join(directory, ManifestName), []byte(`{"data": 3`), 0o644)
		}, "is damaged"},
		{"no images", func(_ string, s *Source, _ *Making) error {
			s.Pixels, s.Labels = nil, nil
			return nil
		}, `the set "drawn" has no images`},
		{"labels missing", func(_ string, s *Source, _ *Making) error {
			s.Labels = s.Labels[1:]
			return nil
		}, "2 labels and 1728 bytes of 16x12 images: want 1152"},
		{"unknown corruption", func(_ string, _ *Source, m *Making) error {
			m.Suite.Corruptions[0] = "fogg"
			return nil
		}, `did you mean "fog"?`},
		{"empty suite", func(_ string, _ *Source, m *Making) error {
			m.Suite = corrupt.Suite{}
			return nil
		}, "has no corruptions"},
	}
	for _, test := range tests {
		source, making := smallSource()
		directory := t.TempDir()
		makeSet(t, directory, source, making)
		testkit.NoError(t, test.change(directory, &source, &making))
		if _, err := Make(t.Context(), directory, source, making, nil); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want one with %q", test.name, err, test.want)
		}
	}
}

func TestMakeIsAloneInItsFolder(t *testing.T) {
	source, making := smallSource()
	directory := t.TempDir()
	var second error
	report := func(MakeProgress) { _, second = Make(t.Context(), directory, source, making, nil) }
	testkit.Must(Make(t.Context(), directory, source, making, report))(t)
	if !errors.Is(second, files.ErrLocked) {
		t.Errorf("a second call at the same time: error %v, want one that wraps %v", second,
			files.ErrLocked)
	}
}

func TestMakeStopsAndGoesOn(t *testing.T) {
	source, making := smallSource()
	directory := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Make(ctx, directory, source, making, func(p MakeProgress) {
		if p.Corruption == "frost" {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got error %v, want context.Canceled", err)
	}
	if _, err := os.Stat(filepath.Join(directory, "frost.npy")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file at work is there after the stop: %v", err)
	}
	if _, made := makeSet(t, directory, source, making); made != 30 {
		t.Errorf("%d images were made after the stop, want 30", made)
	}
}

// The manifest is there before the first file, so a call that is killed in between can be repeated.
func TestMakeBeginsWithTheManifest(t *testing.T) {
	source, making := smallSource()
	directory := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Make(ctx, directory, source, making, func(p MakeProgress) {
		t.Errorf("progress %+v of a file that failed, want none", p)
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got error %v, want context.Canceled", err)
	}
	if _, err := os.Stat(filepath.Join(directory, ManifestName)); err != nil {
		t.Errorf("a call that made no file left no manifest: %v", err)
	}
}

// A call that finds everything made leaves the manifest as it is.
func TestMakeWritesTheManifestOnlyIfItChanges(t *testing.T) {
	source, making := smallSource()
	directory := t.TempDir()
	manifest, _ := makeSet(t, directory, source, making)
	path := filepath.Join(directory, ManifestName)
	before := testkit.Must(os.Stat(path))(t)
	again, _ := makeSet(t, directory, source, making)
	checkManifest(t, directory, again)
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) ||
		again.Checksum != manifest.Checksum {
		t.Errorf("a complete set has a new manifest, with the checksum %q, want that of before, "+
			"%q (%v)", again.Checksum, manifest.Checksum, err)
	}
}

func FuzzReadManifest(f *testing.F) {
	f.Add(
		[]byte(
			`{"data":"cifar10","sha256":"00","images":10000,"height":32,"width":32,"table":"cifar","seed":1,` +
				`"files":[{"name":"fog.npy","label":"fog","bytes":153600128,"md5":"","sha256":""}]}`))
	f.Add([]byte(`{"images":-1,"files":null}`))
	f.Add([]byte(`{"seed":1e99}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, data []byte) { // without files, which take longer than reading
		if manifest, err := parseManifest(ManifestName, data); (manifest == nil) == (err == nil) {
			t.Errorf("got %v and %v, want one of them", manifest, err)
		}
	})
}

// A manifest whose content was changed is refused, whatever was changed, and so is one without its
// checksum.
func TestManifestKnowsItsContent(t *testing.T) {
	directory := t.TempDir()
	m := &Manifest{Data: "shapes10", SHA256: "00", Images: 7, Height: 8, Width: 8, Table: "cifar",
		Seed: 3, Files: []ManifestFile{{Name: "fog.npy", Bytes: 9, SHA256: "ab"}}}
	testkit.NoError(t, m.write(directory))
	path := filepath.Join(directory, ManifestName)
	sound := testkit.Must(os.ReadFile(path))(t)
	read, err := ReadManifest(directory)
	if err != nil || read.digest() != m.digest() {
		t.Fatalf("the manifest is read as %v, %v", read, err)
	}
	for at := range sound {
		damaged := slices.Clone(sound)
		damaged[at] ^= 1
		testkit.NoError(t, os.WriteFile(path, damaged, 0o644))
		if changed, err := ReadManifest(directory); err == nil && changed.digest() != m.digest() {
			t.Errorf("a flip of byte %d, %q, changes the manifest silently", at, sound[at])
		}
	}
	old := *m
	old.Checksum = ""
	testkit.NoError(t, files.Write(path, func(w io.Writer) error {
		return files.WriteJSON(w, old)
	}))
	if _, err := ReadManifest(directory); err == nil {
		t.Error("a manifest without its checksum is read, want an error")
	}
}
