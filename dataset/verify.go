package dataset

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
)

// Progress is told what is being done to which file, and how far it is, in bytes; total is 0 where
// the size was not published.
type Progress func(step Step, file string, done, total int64)

// Step is a kind of work on a file.
type Step string

// The steps of fetch.Get, in their order; Verify has one of them.
const (
	Fetching  Step = "fetch"
	Verifying Step = "verify"
	Unpacking Step = "unpack"

	Reading Step = "read" // of folder.Add: done and total count pictures
	Packing Step = "pack" // of Add
)

// Verify compares the files in the source's folder with their published MD5 sums. It returns how
// many of them were published and agree; an error names the first file that is missing or differs.
// A sound file without a published sum isn't counted.
func (s Source) Verify(ctx context.Context, directory string, progress Progress) (agree int, err error) {
	folder, missing := s.Find(directory)
	if len(missing) > 0 {
		return 0, fmt.Errorf("dataset: %s lacks %s: `nbbnn data get %s` brings it", folder, strings.Join(missing, ", "), s.Name)
	}
	for i, member := range s.Members {
		if member.MD5 == "" {
			continue
		}
		if progress != nil {
			progress(Verifying, member.Path, int64(i), int64(len(s.Members)))
		}
		path := filepath.Join(folder, filepath.FromSlash(member.Path))
		if err := (files.Published{MD5: member.MD5}).Check(ctx, path); err != nil {
			return agree, fmt.Errorf("dataset: %w: it's damaged or was made by somebody else; move %s away and `nbbnn data get %s` brings the published one",
				err, folder, s.Name)
		}
		agree++
	}
	return agree, nil
}
