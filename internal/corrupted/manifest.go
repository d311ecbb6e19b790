package corrupted

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/internal/files"
)

// ManifestName is the file that describes a folder of corrupted images.
const ManifestName = "manifest.json"

// Manifest describes a folder of corrupted images. A later call can add to the folder if everything
// except the files agrees.
type Manifest struct {
	Data   string         `json:"data"`   // name of the clean set
	SHA256 string         `json:"sha256"` // of the clean images and their labels, in hexadecimal
	Images int            `json:"images"` // clean ones; each file has five times as many
	Height int            `json:"height"` // in pixels
	Width  int            `json:"width"`
	Table  string         `json:"table"` // of the parameters: cifar, tiny or imagenet
	Seed   uint64         `json:"seed"`
	Files  []ManifestFile `json:"files"`

	Checksum string `json:"checksum,omitempty"` // of all else, when it was written
}

// ManifestFile is one file of the folder.
type ManifestFile struct {
	Name string `json:"name"` // for example fog.npy
	// the corruption's name in tables, see corrupt.Config.Label; "" for the labels
	Label  string `json:"label,omitempty"`
	Bytes  int64  `json:"bytes"`
	MD5    string `json:"md5"` // in hexadecimal, as published sets list it
	SHA256 string `json:"sha256"`

	Fingerprint string `json:"fingerprint,omitempty"` // of a registered corruption
}

// ReadManifest reads the manifest of a folder. Without one the error is fs.ErrNotExist.
func ReadManifest(directory string) (*Manifest, error) {
	data, err := files.ReadFile(filepath.Join(directory, ManifestName))
	if err != nil {
		return nil, fmt.Errorf("corrupted: %w", err)
	}
	return parseManifest(filepath.Join(directory, ManifestName), data)
}

// parseManifest reads the content of a manifest and compares it with its checksum.
func parseManifest(path string, data []byte) (*Manifest, error) {
	m := &Manifest{}
	if err := files.ParseJSON(data, m); err != nil {
		return nil, fmt.Errorf("corrupted: %s is damaged (%w): choose another folder, or "+
			"remove it and the set's other files", path, err)
	}
	if m.Checksum != m.digest() {
		return nil, fmt.Errorf("corrupted: %s has another checksum than its content, so one of "+
			"the two was changed: take it from a copy, or make the set again in another folder",
			path)
	}
	return m, nil
}

// digest returns the SHA-256, in hexadecimal, of the manifest without its checksum. It identifies
// the images, since the manifest lists the checksums of their files.
func (m *Manifest) digest() string {
	content := *m
	content.Checksum = ""
	sum := sha256.New()
	if err := files.WriteJSON(sum, content); err != nil {
		panic(err) // strings and numbers always have a JSON form, and a hash takes all of it
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func (m *Manifest) write(directory string) error {
	m.Checksum = m.digest()
	return files.Write(filepath.Join(directory, ManifestName), func(w io.Writer) error {
		return files.WriteJSON(w, m)
	})
}

// File finds a file by its name.
func (m *Manifest) File(name string) (ManifestFile, bool) {
	if i := m.index(name); i >= 0 {
		return m.Files[i], true
	}
	return ManifestFile{}, false
}

func (m *Manifest) index(name string) int {
	return slices.IndexFunc(m.Files, func(file ManifestFile) bool { return file.Name == name })
}

// put adds a file, replacing any of its name.
func (m *Manifest) put(file ManifestFile) {
	if i := m.index(file.Name); i >= 0 {
		m.Files[i] = file
		return
	}
	m.Files = append(m.Files, file)
}

// adopt takes over the files and the checksum of a folder's manifest, which has to describe the
// same images. Without a manifest it adopts nothing.
func (m *Manifest) adopt(directory string, names []string) error {
	old, err := ReadManifest(directory)
	if errors.Is(err, fs.ErrNotExist) {
		return refuseStrangers(directory, names)
	}
	if err != nil {
		return err
	}
	for _, field := range []struct {
		name      string
		old, want any
	}{
		{"data set", old.Data, m.Data}, {"number of images", old.Images, m.Images},
		{"height", old.Height, m.Height},
		{"width", old.Width, m.Width}, {"clean images with SHA-256", old.SHA256, m.SHA256},
		{"table", old.Table, m.Table}, {"seed", old.Seed, m.Seed},
	} {
		if field.old != field.want {
			return fmt.Errorf("corrupted: %s holds a set with %s %v, not %v: choose another "+
				"directory", directory, field.name, field.old, field.want)
		}
	}
	m.Files, m.Checksum = old.Files, old.Checksum
	return nil
}

// refuseStrangers returns an error if the folder has files that would be overwritten, for example a
// downloaded set.
func refuseStrangers(directory string, names []string) error {
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(directory, name)); err == nil {
			return fmt.Errorf("corrupted: %s has %s but no %s, so this program didn't make it: "+
				"choose another directory", directory, name, ManifestName)
		}
	}
	return nil
}
