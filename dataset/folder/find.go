package folder

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/quantity"
)

// found is the content of a folder, before any picture is decoded.
type found struct {
	classes     []string
	train, test []item
	source      string   // where the pictures come from, in words
	notes       []string // skipped files

	alphabetical  bool
	others, inner []string // files and folders in class folders that aren't read
	skipped       int      // pictures among the files
}

// item is a picture: a file, or a row of an array.
type item struct {
	label uint8
	name  string // for errors
	load  func() (photo, error)
	at    float64 // of interleave: where in its class, 0 to 1
}

// find lists the pictures of both parts.
func find(path string, options Options) (*found, error) {
	f := &found{source: "pictures of " + base(path), alphabetical: options.Alphabetical}
	train, test, err := f.places(path, options)
	if err != nil {
		return nil, err
	}
	defer f.noteSkipped()
	if f.classes, f.train, err = f.list(train, nil); err != nil {
		return nil, err
	}
	if test != nil && options.Seed != 0 {
		return nil, fmt.Errorf("folder: seed %d chooses test pictures, and %s has them: leave the "+
			"seed out", options.Seed, test.folder)
	}
	if test != nil {
		if _, f.test, err = f.list(*test, f.classes); err != nil {
			return nil, err
		}
		f.train, f.test = interleave(f.train), interleave(f.test)
		return f, nil
	}
	share := cmp.Or(options.TestShare, defaultShare)
	f.source += fmt.Sprintf(", %g %% of each class for testing (seed %d)", 100*share, options.Seed)
	f.train, f.test, err = split(f.train, f.classes, share, options.Seed)
	return f, err
}

// place holds the pictures of a part: class folders, or arrays whose names have a prefix.
type place struct{ folder, prefix string }

// heldOut lists names of parts that aren't trained on; the first that exists is the test set.
var heldOut = strings.Fields("test val valid validation")

// places returns where the training pictures and the test pictures are. test is nil if a share of
// the training pictures is to be tested on.
func (f *found) places(path string, options Options) (train place, test *place, err error) {
	inside, _ := contentOf(path) // if it can't be read, list returns the error
	if len(inside.folders) == 0 && !isThere(filepath.Join(path, imagesFile)) {
		if archives, _ := filepath.Glob(filepath.Join(path, "*.npz")); len(archives) == 1 {
			path = archives[0]
		}
	}
	part, ending := func(name string) place {
		return place{folder: filepath.Join(path, inside.asSpelt(name))}
	}, ""
	if isThere(filepath.Join(path, "train_"+imagesFile)) {
		part, ending = func(name string) place { return place{path, name + "_"} }, "_"+imagesFile
	}
	train = part("train")
	there := slices.DeleteFunc(slices.Clone(heldOut), func(name string) bool {
		return !isThere(filepath.Join(path, inside.asSpelt(name+ending)))
	})
	isWhole := ending == "" && (!isThere(train.folder) || isClass(path, inside.asSpelt("train")))
	if isWhole {
		train, there = place{folder: path}, nil
	}
	switch {
	case options.TestFolder != "":
		return train, &place{folder: options.TestFolder}, nil
	case options.TestShare > 0 && slices.Contains(there, "test"):
		return train, nil, fmt.Errorf("folder: %s has test pictures: leave the test share of %g "+
			"out", path, options.TestShare)
	case options.TestShare == 0 && len(there) > 0:
		tested := part(there[0])
		if test = &tested; there[0] != "test" {
			f.notes = append(f.notes, fmt.Sprintf("%s is the test set, as there is no part "+
				"called test", there[0]))
		}
		there = there[1:]
	case options.TestShare == 0 && !isWhole:
		return train, nil, fmt.Errorf("folder: %s has no test pictures: put them into its part "+
			"test or val, or test on a share, for example `--test %g`", path, defaultShare)
	}
	if len(there) > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%s left out: the training set and the test set "+
			"are read", strings.Join(there, ", ")))
	}
	return train, test, nil
}

// isClass reports whether a folder named like a part is a class, as train is one of vehicles: it
// holds no folders and no arrays, and has classes next to it.
func isClass(path, name string) bool {
	inside, _ := contentOf(filepath.Join(path, name))
	around, _ := contentOf(path) // if it can't be read, listFolders returns the error
	others := slices.DeleteFunc(around.folders, func(other string) bool {
		other = strings.ToLower(other)
		return other == "train" || slices.Contains(heldOut, other)
	})
	return len(inside.folders) == 0 && !isThere(filepath.Join(path, name, imagesFile)) &&
		len(others) > 0
}

// asSpelt returns the folder's spelling of a part, for example Train for train.
func (c content) asSpelt(name string) string {
	for _, folder := range c.folders {
		if strings.EqualFold(folder, name) && !slices.Contains(c.folders, name) {
			return folder
		}
	}
	return name
}

// isThere reports whether there is a file, which may be in a .npz archive.
func isThere(path string) bool {
	if _, err := os.Stat(path); err == nil {
		return true
	}
	file, err := npy.OpenFile(path)
	if err == nil {
		_ = file.Close()
	}
	return err == nil
}

// list lists the pictures of a place, class by class. known limits the classes; nil takes the
// place's own.
func (f *found) list(p place, known []string) (classes []string, items []item, err error) {
	if npy.IsArchive(p.folder) || isThere(filepath.Join(p.folder, p.prefix+imagesFile)) {
		return f.listArrays(p, known)
	}
	return f.listFolders(p.folder, known)
}

// listFolders lists the pictures of a folder of class folders: in numerical order if all are
// numbers, or in alphabetical order.
func (f *found) listFolders(path string, known []string) (classes []string, items []item,
	err error) {
	inside, err := contentOf(path)
	if err != nil {
		return nil, nil, err
	}
	folders := inside.folders
	if len(folders) < dataset.MinClasses || len(folders) > dataset.MaxClasses {
		return nil, nil, inside.wrongCount()
	}
	if loose := len(inside.pictures); loose > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%s left out, outside of class folders: %s; move "+
			"them into those",
			quantity.Count(loose, "picture"), quantity.List(inside.in(inside.pictures),
				mostListed)))
	}
	f.noteForms(folders)
	if !f.alphabetical {
		slices.SortStableFunc(folders, numbersFirst)
	}
	if known == nil {
		known = folders
	}
	for _, class := range folders {
		label := slices.Index(known, class)
		if label < 0 {
			return nil, nil, fmt.Errorf("folder: %s has a class %q that has no training "+
				"pictures: the classes are %s", path, class, quantity.List(known, mostListed))
		}
		files, err := f.pictureFiles(filepath.Join(path, class))
		if err != nil {
			return nil, nil, err
		}
		for _, file := range files {
			items = append(items, item{label: uint8(label), name: file,
				load: func() (photo, error) { return openPicture(file) }})
		}
	}
	return known, items, nil
}

// wrongCount returns the error of a folder that has too few or too many classes.
func (c content) wrongCount() error {
	limit := "two classes or more are needed"
	if len(c.folders) > dataset.MaxClasses {
		limit = fmt.Sprintf("%d classes are the most", dataset.MaxClasses)
	}
	for _, folder := range c.in(c.folders) {
		if inside, _ := contentOf(folder); len(c.folders) == 1 &&
			len(inside.folders) >= dataset.MinClasses {
			return fmt.Errorf("folder: the class folders are in %s: give that folder", folder)
		}
	}
	if archives, _ := filepath.Glob(filepath.Join(c.path, "*.npz")); len(archives) > 0 {
		return fmt.Errorf("folder: %s holds %s: name the one to read instead of the folder", c.path,
			quantity.List(archives, mostListed))
	}
	return fmt.Errorf("folder: %s, and %s has %s and %s outside of class folders: put the "+
		"pictures of each class into a folder named after it, %d to %d classes",
		limit, c.path, quantity.Count(len(c.folders), "class folder"),
		quantity.Count(len(c.pictures), "picture"),
		dataset.MinClasses, dataset.MaxClasses)
}

// noteForms notes classes whose names look alike.
func (f *found) noteForms(classes []string) {
	first := map[string]string{}
	for _, class := range classes {
		form := norm.NFC.String(class)
		if other, known := first[form]; known {
			f.notes = append(f.notes, fmt.Sprintf("the classes %+q and %+q look alike, as their "+
				"names differ in the form of Unicode only: put their pictures into one folder if "+
				"they are one", other, class))
		}
		first[form] = class
	}
}

// numbersFirst orders "2" before "10", and numbers before words, whose order it keeps.
func numbersFirst(a, b string) int {
	number := func(name string) int {
		if n, err := strconv.Atoi(name); err == nil {
			return n
		}
		return math.MaxInt
	}
	return cmp.Compare(number(a), number(b))
}
