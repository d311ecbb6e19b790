// Package sources lists the published sets of files that data sets and corruptions are read from:
// their addresses, content, and places on this machine.
package sources

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/quantity"
)

// ContentMark parts the name of an added data set from the beginning of its checksum.
const ContentMark = "@"

// SetOf returns the name of the data set of nbbnn.Evaluation.Test, which may end in its content.
func SetOf(test string) string {
	name, _, _ := strings.Cut(test, ContentMark)
	return name
}

// Source is a published set of files that dataset.Open, dataset.OpenCorrupted or the corruption
// frost reads once it lies in its folder.
type Source struct {
	Name     string    // one of Names, for example "cifar10-c"
	Title    string    // for people, for example "CIFAR-10-C"
	Page     string    // address of the page that publishes it
	Folder   string    // where its files lie, below the directory of data sets
	Archives []Archive // what is downloaded
	Members  []Member  // the files in the folder that are looked for, not always all
	Note     string    // what a user should know before using it; may be ""
}

// Archive is a file to download: an archive that is unpacked to the source's folder, or, with
// another ending, one of the source's members.
type Archive struct {
	Name      string   `json:"name"`      // of the file
	Addresses []string `json:"addresses"` // the official one first, then mirrors of the same bytes
	Size      int64    `json:"bytes"`     // 0 if none was published
	MD5       string   `json:"md5"`       // as published; "" if none was
	SHA256    string   `json:"sha256"`    // as published; "" if none was
}

// Member is a file or folder in a source's folder.
type Member struct {
	Path string // below the folder, with slashes
	MD5  string // as published; "" if none was, or for a folder
}

// All returns everything that can be downloaded, in the order in which it's listed.
func All() []Source { return slices.Clone(all) }

// Names returns the names of the sources.
func Names() []string {
	return quantity.Texts(all, func(source Source) string { return source.Name })
}

// ByName returns a source.
func ByName(name string) (Source, error) {
	for _, source := range all {
		if source.Name == name {
			return source, nil
		}
	}
	return Source{}, fmt.Errorf("dataset: nothing to download is called %q%s: known are %s", name,
		nearest.Hint(name, Names()), strings.Join(Names(), ", "))
}

// Find returns the source's folder below a directory, or the directory itself if the files lie
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

// Folder returns the folder of a source, or of its version for Python, in the directory of data
// sets ("" as in dataset.Config). If it has no file of either, the error explains how to get them.
func Folder(name, directory string) (string, error) {
	directory, err := Directory(directory)
	if err != nil {
		return "", err
	}
	source, err := ByName(name)
	if err != nil {
		return "", err
	}
	folder, missing := source.Find(directory)
	if len(missing) < len(source.Members) {
		return folder, nil
	}
	if folder, err = Folder(name+"-python", directory); err != nil {
		return "", Missing(name, directory)
	}
	return folder, nil
}

// Missing returns the error for a missing set, with how to get it.
func Missing(name, directory string) error {
	source, err := ByName(name)
	if err != nil {
		return err
	}
	return fmt.Errorf("dataset: no folder %s in %s: %w: `nbbnn data get %s` fetches it, or unpack "+
		"%s there, or set NBBNN_DATA to where the folder is",
		source.Folder, directory, fs.ErrNotExist, name, source.Archives[0])
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

// HandFolder returns the folder for downloads that a person brings.
func (s Source) HandFolder(directory string) string {
	if len(s.Archives) > 0 && !s.Archives[0].Packed() {
		return filepath.Join(directory, s.Folder)
	}
	return directory
}

// Packed reports whether the file is an archive to be unpacked; any other file is a member itself.
func (a Archive) Packed() bool {
	return strings.HasSuffix(a.Name, ".tar") || strings.HasSuffix(a.Name, ".tar.gz") ||
		strings.HasSuffix(a.Name, ".zip")
}

// String names the file, its address, size and checksum, or which of these weren't published.
func (a Archive) String() string {
	return fmt.Sprintf("%s from %s (%s, %s)", a.Name, a.Addresses[0], a.SizeText(), a.SumText())
}

// SizeText returns the size in words.
func (a Archive) SizeText() string {
	if a.Size == 0 {
		return "size unpublished"
	}
	return quantity.Thousands(a.Size) + " bytes"
}

// SumText returns the checksum in words, the MD5 sum if there is one.
func (a Archive) SumText() string {
	switch {
	case a.MD5 != "":
		return "md5 " + a.MD5
	case a.SHA256 != "":
		return "sha256 " + a.SHA256
	}
	return "checksum unpublished"
}

// Directory returns the directory of downloaded data: the given one, or NBBNN_DATA, or nbbnn in
// the user's cache.
func Directory(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	if directory := os.Getenv("NBBNN_DATA"); directory != "" {
		return files.Home(directory), check.Path(directory)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("dataset: no cache directory (%w): set NBBNN_DATA to the directory "+
			"of the data sets", err)
	}
	return filepath.Join(cache, "nbbnn"), nil
}

// Textures returns the folder of textures for the corruption frost. "frost" means the reference's
// textures in the directory of data sets, "" stays "" for drawn textures, and other texts are paths
// of folders.
func Textures(nameOrFolder string) (string, error) {
	if nameOrFolder == "frost" {
		return Folder(nameOrFolder, "")
	}
	if nameOrFolder == "" {
		return "", nil
	}
	reference, err := ByName("frost")
	if err == nil {
		_, err = os.Stat(filepath.Join(nameOrFolder, reference.Members[0].Path))
	}
	if err != nil {
		return "", fmt.Errorf("dataset: textures: %w: give the folder of the reference's, frost "+
			"for the downloaded ones, or nothing for our own", err)
	}
	return nameOrFolder, nil
}

// Verify compares the files in the source's folder with their published MD5 sums. It counts the
// published sums that agree; an error names the first file that is missing or differs. A valid file
// without a published sum isn't counted.
func (s Source) Verify(ctx context.Context, directory string) (agree int, err error) {
	folder, missing := s.Find(directory)
	if len(missing) > 0 {
		return 0, fmt.Errorf("dataset: %s lacks %s: `nbbnn data get %s` fetches it", folder,
			strings.Join(missing, ", "), s.Name)
	}
	for _, member := range s.Members {
		if member.MD5 == "" {
			continue
		}
		path := filepath.Join(folder, filepath.FromSlash(member.Path))
		if err := (files.Published{MD5: member.MD5}).Check(ctx, path); err != nil {
			return agree, fmt.Errorf("dataset: %w: it's damaged or was made by somebody else; "+
				"move %s away and `nbbnn data get %s` fetches the published one",
				err, folder, s.Name)
		}
		agree++
	}
	return agree, nil
}
