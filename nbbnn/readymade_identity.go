package nbbnn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/files"
)

// public is the evaluation without the places of its images and textures on this machine. The
// textures are the reference's, wherever they are: their checksums are compared.
func (e Evaluation) public() Evaluation {
	if e.Corrupted != "" {
		e.Corrupted, e.identity = cmp.Or(e.identity, filepath.Base(e.Corrupted)), ""
	}
	if e.Textures != "" {
		e.Textures = frost
	}
	return e
}

// frost is the corruption that needs textures, and what the reference's are called on a card.
const frost = "frost"

// identified returns the evaluation with the identity of its ready-made images: the name of a
// source, whose files have to be the published ones, or the name of a folder and the beginning of a
// checksum of what is in it. A name that is no folder stays as it is: a card's, which is an
// identity already, or one whose opening will fail.
func (e Evaluation) identified(ctx context.Context) (Evaluation, error) {
	if e.Corrupted == "" {
		return e, nil
	}
	e.identity = filepath.Base(e.Corrupted)
	if isSource(e.Corrupted) || !exists(e.Corrupted) {
		return e, nil
	}
	sum, err := folderChecksum(ctx, e.Corrupted)
	if err != nil {
		return e, err
	}
	e.identity += "-" + sum
	return e, nil
}

// isSource reports whether a name is that of a published set.
func isSource(name string) bool { return slices.Contains(dataset.SourceNames(), name) }

// folderChecksum returns eight hexadecimal digits of a SHA-256: of the manifest that `nbbnn corrupt
// make` writes, which has the checksums of all files, or else of the contents of all files.
func folderChecksum(ctx context.Context, folder string) (string, error) {
	manifest, err := corrupt.ReadManifest(folder)
	if err == nil {
		return manifest.Digest()[:8], nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	sums, err := files.SumFolder(ctx, folder, checksumMemory(folder))
	if err != nil {
		return "", unreadable(err)
	}
	var all []byte
	for _, path := range slices.Sorted(maps.Keys(sums)) {
		all = fmt.Appendf(all, "%s  %s\n", sums[path], path)
	}
	return digest(all)[:8], nil
}

// checkManifest compares the files of a suite with the manifest of their folder, if it has one.
func checkManifest(ctx context.Context, folder string, suite corrupt.Suite) error {
	manifest, err := corrupt.ReadManifest(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	names := []string{"labels.npy"}
	for _, corruption := range suite.Corruptions {
		names = append(names, corruption+".npy")
	}
	sums, err := files.SumFiles(ctx, folder, names, checksumMemory(folder))
	if err != nil {
		return unreadable(err)
	}
	for _, name := range names {
		file, listed := manifest.File(name)
		switch {
		case !listed:
			return fmt.Errorf("nbbnn: %s doesn't list %s: remove the manifest if you added that file, or make the set again with nbbnn corrupt make",
				filepath.Join(folder, corrupt.ManifestName), name)
		case file.SHA256 != sums[name]:
			return fmt.Errorf("nbbnn: %s isn't the file that %s lists: repeat nbbnn corrupt make, which replaces damaged files",
				filepath.Join(folder, name), corrupt.ManifestName)
		}
	}
	return nil
}

// checksumMemory is the file that remembers the checksums of a folder of images. It lies with the
// data sets, since the folder may be read-only; there is none where the data sets have no
// directory.
func checksumMemory(folder string) string {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	directory, err := dataset.Directory("")
	if err != nil {
		return ""
	}
	return filepath.Join(directory, "checksums", digest([]byte(absolute))[:16]+".json")
}
