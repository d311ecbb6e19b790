package nbbnn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"

	"github.com/nbbnn/workbench/dataset"
)

// openPartsOf opens the data set of a run. The error of a user's set that was removed says how to
// add it again.
func openPartsOf(ctx context.Context, r *Run) (*parts, error) {
	if err := checkRemoved(r); err != nil {
		return nil, err
	}
	return openParts(ctx, r.config.Data)
}

// checkRemoved returns an error if a run's images are of a user's set that isn't there any more.
func checkRemoved(r *Run) error {
	data := r.config.Data
	if data.Content == "" {
		return nil
	}
	if _, err := dataset.ReadManifest("", data.Name); !errors.Is(err, fs.ErrNotExist) {
		return nil // opening the set says what else is wrong
	}
	directory, err := dataset.Directory("")
	if err != nil {
		return err
	}
	verb, source, flags := "needs", "", ", with --size, --test and --seed as then"
	if card, err := r.Card(); err == nil {
		verb, source, flags = "was trained on", " ("+card.Data.Source+")", ""
	}
	return fmt.Errorf("nbbnn: run %s %s the data set %q%s, which isn't in %s: its images were removed; "+
		"add the former images under this name with `nbbnn data add %s FOLDER%s`%s, or start a new run",
		r.directory, verb, data.Name, source, directory, data.Name, addFlags(source), flags)
}

// How package folder describes a set in the source of its manifest.
var (
	sizeInSource  = regexp.MustCompile(`scaled to (\d+)x`)
	shareInSource = regexp.MustCompile(`([0-9.e-]+) % of each class for testing \(seed (\d+)\)`)
)

// addFlags returns the flags with which `nbbnn data add` made a set of a source, each after a
// space. Those of the defaults are left out.
func addFlags(source string) (flags string) {
	if size := sizeInSource.FindStringSubmatch(source); size != nil {
		flags += " --size " + size[1]
	}
	share := shareInSource.FindStringSubmatch(source)
	if share == nil {
		return flags
	}
	if percent, err := strconv.ParseFloat(share[1], 64); err == nil && percent != 20 {
		flags += fmt.Sprintf(" --test %g", percent/100)
	}
	if share[2] != "0" {
		flags += " --seed " + share[2]
	}
	return flags
}
