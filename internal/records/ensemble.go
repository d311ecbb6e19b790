package records

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
)

// Ensemble is the content of an ensemble.json.
type Ensemble struct {
	Members []string `json:"members"`        // hashes of the configurations
	Weights []string `json:"weights_sha256"` // Card.StateSHA256; "" for a member that isn't trained
}

// Digest returns the SHA-256 of the members and their weights.
func (e Ensemble) Digest() string {
	return Digest([]byte(strings.Join(slices.Concat(e.Members, e.Weights), "\n")))
}

// Name returns the name of the ensemble's directory.
func (e Ensemble) Name() string { return EnsemblePrefix + Short(e.Digest()) }

// Members returns the hashes of the members of the ensemble in a directory or of a record,
// as its ensemble.json lists them. They must match the directory's name.
func Members(directory string) ([]string, error) {
	directory = Resolve(directory)
	path := Path(directory, "ensemble.json")
	data, err := files.ReadFile(path)
	absolute, failure := filepath.Abs(directory)
	if err = cmp.Or(err, failure); err != nil {
		return nil, fmt.Errorf("nbbnn: %w", files.Unreadable(err))
	}
	var content Ensemble
	if err = files.ParseJSON(data, &content); err == nil &&
		content.Name() != filepath.Base(absolute) {
		err = errors.New("its members and weights don't match the directory's name")
	}
	if err != nil {
		return nil, fmt.Errorf("nbbnn: %s is damaged: %w: remove it, and the same evaluation of "+
			"the ensemble writes it again", path, err)
	}
	return content.Members, nil
}
