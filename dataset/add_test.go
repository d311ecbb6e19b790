package dataset

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// dots returns a set of three classes of images of side x side pixels, each in a colour of its own.
func dots(name string, side, perClass int) Dataset {
	paint := func(count, shift int) Images {
		images := newImages(count, side, side)
		for i := range count {
			images.Labels[i] = uint8(i % 3)
			pixels := images.Slice(i, i+1).Pixels
			for j := range pixels {
				pixels[j] = uint8(40*(i%3) + (i*7+j*13+shift)%90)
			}
		}
		return images
	}
	return Dataset{
		Name: name, Classes: []string{"red", "green", "blue"}, Train: paint(3*perClass, 0),
		Test: paint(6, 5),
	}
}

func add(t *testing.T, directory string, data Dataset) Manifest {
	t.Helper()
	return testkit.Must(Add(t.Context(), data, AddOptions{Directory: directory}))(t)
}

func TestAddedSetIsWhatWasGiven(t *testing.T) {
	directory, data := t.TempDir(), dots("dots", 24, 7)
	m := add(t, directory, data)
	got := testkit.Must(Open(t.Context(), Config{Name: "dots", Directory: directory,
		Content: m.Content()}))(t)
	for _, part := range []struct {
		got, want Images
	}{{got.Train, data.Train}, {got.Test, data.Test}} {
		if !bytes.Equal(part.got.Pixels, part.want.Pixels) ||
			!bytes.Equal(part.got.Labels, part.want.Labels) || part.got.Height != 24 {
			t.Error("the images differ from those that were added")
		}
	}
	if got.Hash != m.Hash || !slices.Equal(got.Classes, data.Classes) || got.Name != "dots" {
		t.Errorf("got %s %v with hash %s, want dots %v with %s",
			got.Name, got.Classes, got.Hash, data.Classes, m.Hash)
	}
	checkMoments(t, got, 1e-12)
	if size := (Config{Name: "dots", Directory: directory, TrainCount: 5}).Size(); size != (Size{
		5, 6, 24, 24, 3}) {
		t.Errorf("size is %+v, want 5 training and 6 test images of 24 pixels in 3 classes", size)
	}
}

// A part is the first images, and as balanced as they are.
func TestPartOfAnAddedSet(t *testing.T) {
	directory, data := t.TempDir(), dots("dots", 8, 7)
	add(t, directory, data)
	got, err := Open(t.Context(), Config{Name: "dots", Directory: directory, TrainCount: 4,
		TestCount: 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := data.Train.Slice(0, 4); !bytes.Equal(got.Train.Pixels, want.Pixels) ||
		got.Test.Count() != 1 {
		t.Error("4 training images and 1 test image aren't the first that were added")
	}
	config := Config{Name: "dots", Directory: directory, TrainFirst: 17}
	last := testkit.Must(Open(t.Context(), config))(t)
	if want := data.Train.Slice(17, 21); !bytes.Equal(last.Train.Pixels, want.Pixels) ||
		last.Hash == got.Hash || config.Size().Train != 4 {
		t.Error("the images from place 17 aren't the last 4 that were added")
	}
	_, err = Open(t.Context(), Config{Name: "dots", Directory: directory, TrainCount: 22})
	checkError(t, err, "22 training", "at most 21", "ask for fewer")
}

func TestAddingTheSameAgainDoesNothing(t *testing.T) {
	directory := t.TempDir()
	first := add(t, directory, dots("dots", 8, 2))
	if again := add(t, directory, dots("dots", 8, 2)); again.Hash != first.Hash {
		t.Errorf("hash is %s, want %s", again.Hash, first.Hash)
	}
	_, err := Add(t.Context(), dots("dots", 8, 3), AddOptions{Directory: directory})
	checkError(t, err, `the name "dots" is taken`, "nbbnn data remove dots")
	if got := Content(directory, "dots"); got != first.Content() {
		t.Errorf("content is %s after a refused set, want %s", got, first.Content())
	}
	testkit.NoError(t, os.Remove(filepath.Join(directory, addedFolder, "dots", "train_images.npy")))
	_, err = Add(t.Context(), dots("dots", 8, 2), AddOptions{Directory: directory})
	checkError(t, err, `"dots" is damaged`, "nbbnn data remove dots", "add it again")
}

// Every change of a pixel, a label or a class is another content.
func TestContentTellsSetsApart(t *testing.T) {
	seen := map[string]string{}
	for name, change := range map[string]func(*Dataset){
		"unchanged":     func(*Dataset) {},
		"a train pixel": func(d *Dataset) { d.Train.Pixels[9]++ },
		"a test pixel":  func(d *Dataset) { d.Test.Pixels[9]++ },
		"a label":       func(d *Dataset) { d.Test.Labels[0] = 2 },
		"a class":       func(d *Dataset) { d.Classes[0] = "pink" },
	} {
		data := dots("dots", 8, 2)
		change(&data)
		content := add(t, t.TempDir(), data).Content()
		if twin, ok := seen[content]; ok {
			t.Errorf("%s has the content of %s", name, twin)
		}
		seen[content] = name
	}
}

func TestAnotherContentIsRefused(t *testing.T) {
	directory := t.TempDir()
	old := add(t, directory, dots("dots", 8, 2)).Content()
	testkit.NoError(t, Remove(directory, "dots"))
	_, err := Open(t.Context(), Config{Name: "dots", Directory: directory})
	checkError(t, err, `unknown data set "dots"`, "nbbnn data add")
	add(t, directory, dots("dots", 8, 3))
	_, err = Open(t.Context(), Config{Name: "dots", Directory: directory, Content: old})
	checkError(t, err, "want "+old, "start a new run")
	if size := (Config{Name: "dots", Directory: directory, Content: old}).Size(); size != (Size{}) {
		t.Errorf("size of a content that isn't there is %+v, want none", size)
	}
}

func TestAddRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Dataset)
		want   []string
	}{
		{"a slash", func(d *Dataset) {
			d.Name = "my/Dots"
		}, []string{`"my/Dots"`, "for example my-dots"}},
		{"a parent", func(d *Dataset) { d.Name = ".." }, []string{`".."`, "lower-case"}},
		{"no name", func(d *Dataset) { d.Name = "" }, []string{"choose another name"}},
		{"a long name", func(d *Dataset) { d.Name = strings.Repeat("a", 65) }, []string{"64"}},
		{"a built-in name", func(d *Dataset) {
			d.Name = "cifar10"
		}, []string{"cifar10", "my-cifar10"}},
		{"the name of a source", func(d *Dataset) { d.Name = "frost" }, []string{"my-frost"}},
		{"one class", func(d *Dataset) {
			d.Classes = d.Classes[:1]
		}, []string{"1 classes", "2 to 256"}},
		{"30,000 classes", func(d *Dataset) {
			d.Classes = make([]string, 30_000)
		}, []string{"30,000 classes", "labels are bytes"}},
		{"equal classes", func(d *Dataset) {
			d.Classes[2] = "red"
		}, []string{`class 2 is named "red"`}},
		{"an escape sequence in a class", func(d *Dataset) {
			d.Classes[2] = "\x1b[31mred\n"
		}, []string{`class 2 is named "\x1b[31mred\n"`, "control characters"}},
		{"a class in another encoding", func(d *Dataset) {
			d.Classes[1] = "gr\xfcn"
		}, []string{"class 1", "UTF-8"}},
		{"a class without images", func(d *Dataset) {
			d.Classes = append(d.Classes, "none")
		}, []string{`class "none" has no training image`}},
		{"a label outside", func(d *Dataset) {
			d.Train.Labels[4] = 3
		}, []string{"label 3 of training image 4", "0 to 2"}},
		{"a test label outside", func(d *Dataset) {
			d.Test.Labels[5] = 255
		}, []string{"label 255 of test image 5"}},
		{"no test images", func(d *Dataset) {
			d.Test = newImages(0, 8, 8)
		}, []string{"no test images"}},
		{"no training images", func(d *Dataset) {
			d.Train = newImages(0, 8, 8)
		}, []string{"no training images"}},
		{"too few pixels", func(d *Dataset) {
			d.Train.Pixels = d.Train.Pixels[1:]
		}, []string{"1151 bytes", "6 images of 8 x 8"}},
		{"small images", func(d *Dataset) { *d = dots("dots", 7, 2) }, []string{"7x7", "8 to 512"}},
		{"large images", func(d *Dataset) {
			d.Train = newImages(1, 513, 513)
		}, []string{"513x513"}},
		{"narrow images", func(d *Dataset) { d.Train.Width = 4 }, []string{"8x4", "8 to 512"}},
		{"two sizes", func(d *Dataset) {
			d.Test = newImages(2, 9, 9)
		}, []string{"test images of 9x9", "8x8"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			directory, data := t.TempDir(), dots("dots", 8, 2)
			test.change(&data)
			_, err := Add(t.Context(), data, AddOptions{Directory: directory})
			checkError(t, err, test.want...)
			if left, _ := filepath.Glob(filepath.Join(directory, addedFolder, "*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestAddStopsWhenCancelled(t *testing.T) {
	directory := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	progress := func(string, string, int64, int64) { cancel() }
	_, err := Add(ctx, dots("dots", 8, 2), AddOptions{Directory: directory, Progress: progress})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want one that wraps context.Canceled", err)
	}
	checkNothingLeft(t, directory)
}

// checkNothingLeft wants no complete and no partial set, and no lock.
func checkNothingLeft(t *testing.T, directory string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(directory, addedFolder))
	if err != nil || len(entries) > 0 {
		t.Errorf("the folder of added sets has %v (error %v), want nothing", entries, err)
	}
}

// A damaged file of a set is noticed, whichever byte it is: pixels and labels when all is read.
func TestDamageIsNoticed(t *testing.T) {
	for _, name := range []string{"train_images.npy", "train_labels.npy", "test_images.npy",
		"test_labels.npy", manifestName} {
		directory := t.TempDir()
		add(t, directory, dots("dots", 8, 2))
		path := filepath.Join(directory, addedFolder, "dots", name)
		sound := testkit.Must(os.ReadFile(path))(t)
		for at := 0; at < len(sound); at += max(1, len(sound)/40) {
			damaged := bytes.Clone(sound)
			damaged[at] ^= 4
			write(t, path, damaged)
			if data, err := Open(t.Context(),
				Config{Name: "dots", Directory: directory}); err == nil {
				t.Errorf("%s with byte %d of %d flipped opens as %s", name, at, len(sound),
					data.Name)
			}
		}
		write(t, path, sound[:len(sound)-1])
		_, err := Open(t.Context(), Config{Name: "dots", Directory: directory})
		if name != manifestName { // which ends with a line break
			checkError(t, err, "damaged", "nbbnn data remove dots")
		}
	}
}

func TestRemove(t *testing.T) {
	directory := t.TempDir()
	add(t, directory, dots("dots", 8, 2))
	write(t, filepath.Join(directory, addedFolder, "dots", manifestName), []byte("{"))
	_, err := Open(t.Context(), Config{Name: "dots", Directory: directory})
	checkError(t, err, "damaged")
	testkit.NoError(t, Remove(directory, "dots"))
	checkNothingLeft(t, directory)
	if err := Remove(directory, "dots"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, want one that wraps fs.ErrNotExist", err)
	}
	if err := Remove(directory, "../dots"); err == nil {
		t.Error("a path is removed")
	}
}

func TestAddedListsCompleteSets(t *testing.T) {
	directory := t.TempDir()
	if sets, err := Added(directory); err != nil || len(sets) > 0 {
		t.Errorf("an empty directory has %v, error %v", sets, err)
	}
	add(t, directory, dots("b", 8, 2))
	add(t, directory, dots("a", 8, 2))
	partial := filepath.Join(directory, addedFolder, partialPrefix+"c")
	testkit.NoError(t, os.CopyFS(partial, os.DirFS(filepath.Join(directory, addedFolder, "a"))))
	if sets, err := Added(directory); err != nil || len(sets) != 2 || sets[0].Name != "a" ||
		sets[1].Name != "b" {
		t.Errorf("added sets are %v (%v), want a and b", sets, err)
	}
	add(t, directory, dots("d", 8, 2))
	if isThere(partial) {
		t.Error("the next call doesn't remove what a killed one left behind")
	}
	_, err := Open(t.Context(), Config{Name: "dd", Directory: directory})
	checkError(t, err, `unknown data set "dd"`, "shapes10", ", a, b, d")
}

func TestConstantChannelsHaveDeviationOne(t *testing.T) {
	data := dots("dots", 8, 2)
	for i := 2; i < len(data.Train.Pixels); i += channels {
		data.Train.Pixels[i] = 51
	}
	m := add(t, t.TempDir(), data)
	if math.Abs(m.Mean[2]-0.2) > 1e-12 || m.Std[2] != 1 || m.Std[0] == 1 {
		t.Errorf("mean %v and deviation %v of a constant third channel, want 0.2 and 1 there",
			m.Mean, m.Std)
	}
}
