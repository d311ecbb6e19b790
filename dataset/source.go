package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/quantity"
)

// Source is a published set of files that Open, OpenCorrupted or the corruption frost reads once it
// lies in its folder.
type Source struct {
	Name     string    // such as "cifar10-c", one of SourceNames
	Title    string    // for people, such as "CIFAR-10-C"
	Page     string    // address of the page that publishes it
	Folder   string    // where its files lie, below the directory of data sets
	Archives []Archive // what is downloaded
	Members  []Member  // the files in the folder that are looked for, not always all
	Note     string    // what a user should know before using it; "" where there is nothing
}

// Archive is a file to download: an archive that is unpacked to the source's folder, or, with
// another ending, one of the source's members.
type Archive struct {
	Name      string   `json:"name"`      // of the file
	Addresses []string `json:"addresses"` // the official one first, then those of the same bytes elsewhere
	Size      int64    `json:"bytes"`     // 0 where none was published
	MD5       string   `json:"md5"`       // as published; "" where none was
	SHA256    string   `json:"sha256"`    // as published; "" where none was
}

// Member is a file or folder in a source's folder.
type Member struct {
	Path string // below the folder, with slashes
	MD5  string // as published; "" where none was, or for a folder
}

// Sources returns everything that can be downloaded, in the order in which it's listed.
func Sources() []Source { return slices.Clone(sources) }

// SourceNames returns the names of the sources.
func SourceNames() []string {
	names := make([]string, len(sources))
	for i, source := range sources {
		names[i] = source.Name
	}
	return names
}

// SourceByName returns a source.
func SourceByName(name string) (Source, error) {
	for _, source := range sources {
		if source.Name == name {
			return source, nil
		}
	}
	return Source{}, fmt.Errorf("dataset: nothing to download is called %q%s: known are %s", name, nearest.Hint(name, SourceNames()), strings.Join(SourceNames(), ", "))
}

// Find returns the source's folder below a directory, or the directory itself where the files lie
// in it, and which members are missing there.
func (s Source) Find(directory string) (folder string, missing []string) {
	folder = filepath.Join(directory, s.Folder)
	missing = s.missing(folder)
	if len(missing) == 0 {
		return folder, nil
	}
	if len(s.missing(directory)) == 0 {
		return directory, nil
	}
	return folder, missing
}

// Folder returns the folder of a source in the directory of data sets ("" as in Config). Where not
// one of its files is there, the error says how to get them.
func Folder(name, directory string) (string, error) {
	directory, err := Directory(directory)
	if err != nil {
		return "", err
	}
	source, err := SourceByName(name)
	if err != nil {
		return "", err
	}
	folder, missing := source.Find(directory)
	if len(missing) == len(source.Members) {
		return "", missingSet(name, directory)
	}
	return folder, nil
}

// missing lists the members that aren't in a folder.
func (s Source) missing(folder string) (missing []string) {
	for _, member := range s.Members {
		if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(member.Path))); err != nil {
			missing = append(missing, member.Path)
		}
	}
	return missing
}

// HandFolder is the folder into which a person puts the downloads by hand.
func (s Source) HandFolder(directory string) string {
	if len(s.Archives) > 0 && !s.Archives[0].Packed() {
		return filepath.Join(directory, s.Folder)
	}
	return directory
}

// Packed says whether the file is an archive, which is unpacked; any other file is a member itself.
func (a Archive) Packed() bool {
	return strings.HasSuffix(a.Name, ".tar") || strings.HasSuffix(a.Name, ".tar.gz") || strings.HasSuffix(a.Name, ".zip")
}

// String names the file, its address, size and checksum, or says which of these weren't published.
func (a Archive) String() string {
	return fmt.Sprintf("%s from %s (%s, %s)", a.Name, a.Addresses[0], a.SizeText(), a.SumText())
}

// SizeText is the size in words.
func (a Archive) SizeText() string {
	if a.Size == 0 {
		return "size unpublished"
	}
	return quantity.Thousands(float64(a.Size)) + " bytes"
}

// SumText is the checksum in words, the MD5 sum if there is one.
func (a Archive) SumText() string {
	switch {
	case a.MD5 != "":
		return "md5 " + a.MD5
	case a.SHA256 != "":
		return "sha256 " + a.SHA256
	}
	return "checksum unpublished"
}
