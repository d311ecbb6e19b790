package folder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// classFolder is the content of the folder of one class, in alphabetical order.
type classFolder struct {
	path     string
	pictures []string // paths
	folders  []string // names; nothing in them is read
	others   []string // names of other files
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
			c.folders = append(c.folders, name)
		case isPicture(name):
			c.pictures = append(c.pictures, filepath.Join(path, name))
		default:
			c.others = append(c.others, name)
		}
	}
	return c, nil
}

// pictureFiles lists the pictures of a class in alphabetical order, and notes what isn't read.
func (f *found) pictureFiles(path string) ([]string, error) {
	class, err := readClassFolder(path)
	if err != nil {
		return nil, err
	}
	if len(class.pictures) == 0 {
		return nil, class.withoutPictures()
	}
	if len(class.others) > 0 {
		f.notes = append(f.notes, fmt.Sprintf("skipped in %s, which are neither PNG nor JPEG "+
			"files: %s",
			path, shortList(class.others)))
	}
	if len(class.folders) > 0 {
		f.notes = append(f.notes, fmt.Sprintf("skipped in %s, because folders in a class's folder "+
			"aren't read: %s; to have their pictures, move them up into %[1]s and add the set again",
			path, shortList(class.folders)))
	}
	return class.pictures, nil
}

// withoutPictures is the error of a class without a picture.
func (c classFolder) withoutPictures() error {
	if len(c.folders) > 0 {
		return fmt.Errorf("folder: class folder %s has no PNG or JPEG file, and folders in a class's "+
			"folder aren't read (%s): move their pictures up into it, or make each of them a class folder",
			c.path, shortList(c.folders))
	}
	return fmt.Errorf("folder: class folder %s has no PNG or JPEG file: add some, or remove the folder",
		c.path)
}

// isJunk reports whether a name is hidden, or one that a system or an archive leaves behind.
func isJunk(name string) bool {
	switch name {
	case "__MACOSX", "__pycache__", "@eaDir", "#recycle", "$RECYCLE.BIN", "System Volume Information", "lost+found", "Thumbs.db", "desktop.ini":
		return true
	}
	return strings.HasPrefix(name, ".")
}

// isPicture reports whether a file's name ends like that of a picture.
func isPicture(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".jpe", ".jfif":
		return true
	}
	return false
}

// shortList joins the first few names.
func shortList(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
