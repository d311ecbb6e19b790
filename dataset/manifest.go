package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/sources"
)

// Manifest describes a data set that a user added. Add writes it last, so a set that has one is
// complete.
type Manifest struct {
	Name    string     `json:"name"`
	Source  string     `json:"source"`          // where the images came from, for people
	Height  int        `json:"side"`            // of the images, in pixels
	Width   int        `json:"width,omitempty"` // 0 means Height
	Classes []string   `json:"classes"`         // name of each class, by label
	Train   []int      `json:"train"`           // training images of each class
	Test    []int      `json:"test"`            // test images of each class
	Mean    [3]float64 `json:"mean"`            // of each channel in training, of values in 0..1
	Std     [3]float64 `json:"std"`             // standard deviation of the same
	Hash    string     `json:"sha256"`          // Dataset.Hash of all images
	Folder  string     `json:"-"`               // of a manifest that was read
}

// Content identifies the set's images, labels and classes: the first 16 digits of Hash.
func (m Manifest) Content() string { return m.Hash[:contentLength] }

const contentLength = 16

// Size returns the size of the set.
func (m Manifest) Size() Size {
	return Size{total(m.Train), total(m.Test), m.Height, cmp.Or(m.Width, m.Height), len(m.Classes)}
}

func total(counts []int) (sum int) {
	for _, count := range counts {
		sum += count
	}
	return sum
}

// manifestName is the file that holds the manifest in the folder of an added set.
const manifestName = "manifest.json"

// manifestFile is a manifest with its checksum, so that a damaged one isn't used.
type manifestFile struct {
	Format int `json:"format"`
	Manifest
	Sum string `json:"manifest_sha256"` // of this file with an empty manifest_sha256
}

// manifestFormat counts the versions of the files of an added set.
const manifestFormat = 1

func (m Manifest) sealed() manifestFile {
	file := manifestFile{Format: manifestFormat, Manifest: m}
	data, err := json.Marshal(file)
	if err != nil {
		panic(err) // strings and finite numbers always have a JSON form
	}
	sum := sha256.Sum256(data)
	file.Sum = hex.EncodeToString(sum[:])
	return file
}

func (m Manifest) write(folder string) error {
	return files.Write(filepath.Join(folder, manifestName), func(w io.Writer) error {
		return files.WriteJSON(w, m.sealed())
	})
}

// addedFolder is the folder of all added sets in the directory of data sets.
const addedFolder = "sets"

// ReadManifest reads the manifest of the added set with a name, in a directory of data sets ("" as
// in Config). The error wraps fs.ErrNotExist if there is no such set.
func ReadManifest(directory, name string) (Manifest, error) {
	if err := CheckName(name); err != nil {
		return Manifest{}, err
	}
	directory, err := sources.Directory(directory)
	if err != nil {
		return Manifest{}, err
	}
	return readManifest(filepath.Join(directory, addedFolder, name))
}

func readManifest(folder string) (Manifest, error) {
	path := filepath.Join(folder, manifestName)
	data, err := readAtMost(path, 16<<20, nil)
	if err != nil {
		return Manifest{}, fmt.Errorf("dataset: %w", err)
	}
	var file manifestFile
	if err = files.ParseJSON(data, &file); err == nil {
		err = file.check(filepath.Base(folder))
	}
	if err != nil {
		return Manifest{}, fmt.Errorf("dataset: %s is damaged: %w: `nbbnn data remove %s`, then "+
			"add the set again", path, err, filepath.Base(folder))
	}
	file.Folder = folder
	return file.Manifest, nil
}

// check compares the manifest with its checksum and with the name of its folder.
func (f manifestFile) check(name string) error {
	switch {
	case f.Format != manifestFormat:
		return fmt.Errorf("format %d, want %d", f.Format, manifestFormat)
	case f.Sum != f.sealed().Sum:
		return errors.New("its checksum differs")
	case f.Name != name:
		return fmt.Errorf("it describes the set %q", f.Name)
	}
	return nil
}

// Added lists the sets that users added to a directory of data sets ("" as in Config), by name. It
// leaves out damaged ones, whose fault ReadManifest returns.
func Added(directory string) ([]Manifest, error) {
	directory, err := sources.Directory(directory)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(directory, addedFolder)
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("dataset: %w: make the folder readable", err)
	}
	var manifests []Manifest
	for _, entry := range entries {
		if m, err := readManifest(filepath.Join(folder, entry.Name())); err == nil &&
			!strings.HasPrefix(entry.Name(), ".") {
			manifests = append(manifests, m)
		}
	}
	return manifests, nil
}
