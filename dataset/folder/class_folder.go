package folder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/internal/picture"
	"github.com/nbbnn/workbench/internal/quantity"
)

// classFolder is the content of the folder of one class, in alphabetical order.
type classFolder struct {
	path     string
	pictures []string // paths
	folders  []string // paths; nothing in them is read
	others   []string // paths of other files
	skipped  int      // pictures among them
}

// readClassFolder lists what isn't junk.
func readClassFolder(path string) (c classFolder, err error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return c, fmt.Errorf("folder: %w: make the folder readable", err)
	}
	c.path = path
	for _, entry := range entries {
		switch name := entry.Name(); {
		case isJunk(name):
		case isFolder(path, entry):
			c.folders = append(c.folders, filepath.Join(path, name))
		case isPicture(name):
			c.pictures = append(c.pictures, filepath.Join(path, name))
		default:
			c.others = append(c.others, filepath.Join(path, name))
			if isOtherPicture(name) {
				c.skipped++
			}
		}
	}
	return c, nil
}

// pictureFiles lists the pictures of a class in alphabetical order, and keeps what isn't read.
func (f *found) pictureFiles(path string) ([]string, error) {
	class, err := readClassFolder(path)
	if err != nil {
		return nil, err
	}
	if len(class.pictures) == 0 {
		return nil, class.withoutPictures()
	}
	f.others, f.inner = append(f.others, class.others...), append(f.inner, class.folders...)
	f.skipped += class.skipped
	return class.pictures, nil
}

// noteSkipped notes what isn't read in the folders of classes.
func (f *found) noteSkipped() {
	if count := len(f.others); count > 0 {
		cure := ""
		if f.skipped > 0 {
			cure = "; convert pictures of other kinds to PNG"
		}
		f.notes = append(f.notes, fmt.Sprintf("%s left out, as the names don't end as those of %s files: %s%s",
			quantity.Count(count, "file"), picture.Kinds, quantity.List(f.others, mostListed), cure))
	}
	if count := len(f.inner); count > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%s in folders of classes left out: %s; to have the pictures, move them up into the class's folder",
			quantity.Count(count, "folder"), quantity.List(f.inner, mostListed)))
	}
}

func (c classFolder) withoutPictures() error {
	missing, cure := fmt.Sprintf("folder: class folder %s has no %s file", c.path, strings.Replace(picture.Kinds, "and", "or", 1)), ": add some, or remove the folder"
	switch {
	case c.skipped > 0:
		cure = fmt.Sprintf(", but other pictures (%s): convert them to PNG", quantity.List(c.others, mostListed))
	case len(c.folders) > 0:
		cure = fmt.Sprintf(", and folders in a class's folder aren't read (%s): move their pictures up into it, or make each of them a class folder",
			quantity.List(c.folders, mostListed))
	}
	return errors.New(missing + cure)
}

// isJunk reports whether a name is hidden, or one that a system or an archive leaves behind.
func isJunk(name string) bool {
	switch strings.ToLower(name) {
	case "__macosx", "__pycache__", "@eadir", "#recycle", "$recycle.bin", "system volume information", "lost+found",
		"thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r":
		return true
	}
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, ":Zone.Identifier")
}

// isPicture reports whether a file's name ends like that of a picture.
func isPicture(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".webp":
		return true
	}
	return false
}

// isOtherPicture reports whether a file's name ends like that of a picture that isn't read.
func isOtherPicture(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".gif", ".bmp", ".tif", ".tiff", ".heic", ".heif", ".avif", ".jxl", ".jp2", ".psd", ".svg", ".dng", ".cr2", ".nef", ".arw":
		return true
	}
	return false
}

// mostListed is how many names an error lists.
const mostListed = 5
