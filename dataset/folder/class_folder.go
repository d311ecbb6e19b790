package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/picture"
	"github.com/nbbnn/workbench/internal/quantity"
)

// content lists a folder without junk, in alphabetical order.
type content struct {
	path     string
	pictures []string
	folders  []string
	others   []string // other files
	skipped  int      // pictures among them
}

// contentOf lists what isn't junk.
func contentOf(path string) (c content, err error) {
	c.path = path
	entries, err := os.ReadDir(path)
	if err != nil {
		cure := "make the folder readable"
		if os.IsNotExist(err) {
			cure = "give an existing folder"
		}
		return c, fmt.Errorf("folder: %w: %s", err, cure)
	}
	for _, entry := range entries {
		switch name := entry.Name(); {
		case isJunk(name):
		case isFolder(path, entry):
			c.folders = append(c.folders, name)
		case hasEnding(name, pictureEndings):
			c.pictures = append(c.pictures, name)
		default:
			c.others = append(c.others, name)
			if hasEnding(name, otherEndings) {
				c.skipped++
			}
		}
	}
	return c, nil
}

// in returns the paths of names in the folder.
func (c content) in(names []string) (paths []string) {
	for _, name := range names {
		paths = append(paths, filepath.Join(c.path, name))
	}
	return paths
}

// pictureFiles lists the pictures of a class, and records the other entries.
func (f *found) pictureFiles(path string) ([]string, error) {
	class, err := contentOf(path)
	if err != nil {
		return nil, err
	}
	if len(class.pictures) == 0 {
		return nil, class.withoutPictures()
	}
	f.others, f.inner = append(f.others, class.in(class.others)...),
		append(f.inner, class.in(class.folders)...)
	f.skipped += class.skipped
	return class.in(class.pictures), nil
}

// noteSkipped notes what isn't read in the folders of classes.
func (f *found) noteSkipped() {
	if count := len(f.others); count > 0 {
		cure := ""
		if f.skipped > 0 {
			cure = "; convert pictures of other kinds to PNG"
		}
		f.notes = append(f.notes, fmt.Sprintf("%s left out, not named like %s files: %s%s",
			quantity.Count(count, "file"), picture.Kinds, quantity.List(f.others, mostListed),
			cure))
	}
	if count := len(f.inner); count > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%s in folders of classes left out: %s; to have "+
			"the pictures, move them up into the class's folder",
			quantity.Count(count, "folder"), quantity.List(f.inner, mostListed)))
	}
}

func (c content) withoutPictures() error {
	missing, cure := fmt.Sprintf("folder: class folder %s has no %s file", c.path,
		strings.Replace(picture.Kinds, "and", "or", 1)), ": add some, or remove the folder"
	switch {
	case c.skipped > 0:
		cure = fmt.Sprintf(", but other pictures (%s): convert them to PNG",
			quantity.List(c.in(c.others), mostListed))
	case len(c.folders) > 0:
		cure = fmt.Sprintf(", and folders in a class's folder aren't read (%s): move their "+
			"pictures up into it, or make each of them a class folder",
			quantity.List(c.in(c.folders), mostListed))
	}
	return errors.New(missing + cure)
}

func isFolder(path string, entry os.DirEntry) bool {
	if entry.Type()&os.ModeSymlink == 0 {
		return entry.IsDir()
	}
	info, err := os.Stat(filepath.Join(path, entry.Name()))
	return err == nil && info.IsDir()
}

// isJunk reports whether a name is hidden, or left behind by a system or an archive.
func isJunk(name string) bool {
	switch strings.ToLower(name) {
	case "__macosx", "__pycache__", "@eadir", "#recycle", "$recycle.bin",
		"system volume information", "lost+found",
		"thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r":
		return true
	}
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, ":Zone.Identifier")
}

// Endings of the names of pictures that are read, and of others.
const (
	pictureEndings = ".png .jpg .jpeg .jpe .jfif .webp"
	otherEndings   = ".gif .bmp .tif .tiff .heic .heif .avif .jxl .jp2 .psd .svg .dng .cr2 .nef " +
		".arw"
)

// hasEnding reports whether a file's name ends in one of some ways, in any case.
func hasEnding(name, endings string) bool {
	return slices.Contains(strings.Fields(endings), strings.ToLower(filepath.Ext(name)))
}

// mostListed is the most names in an error.
const mostListed = 5
