package nbbnn

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/records"
)

// OpenDirectory opens the run in a directory named by its configuration, or in a record.
func OpenDirectory(directory string) (*Run, error) {
	directory = records.Resolve(directory)
	config, err := configIn(directory)
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(directory)
	if err != nil {
		return nil, unreadable(err)
	}
	if name := config.RunName(); filepath.Base(absolute) != name {
		if place := records.Place(directory); strings.HasSuffix(place, files.RecordEnding) {
			return nil, fmt.Errorf("nbbnn: %s is the record of run %s: let its name end with "+
				".%[2]s%s", place, name, files.RecordEnding)
		}
		return nil, fmt.Errorf("nbbnn: %s holds a run that is called %s: if the directory was "+
			"renamed, give it that name again; if %s was edited, undo that, or train the new "+
			"configuration as a run of its own (`nbbnn train --config FILE`)",
			directory, name, records.Path(directory, "config.json"))
	}
	return Open(filepath.Join(directory, ".."), config)
}

// configIn reads the configuration of the run in a directory, or that on the card of a record.
func configIn(directory string) (Config, error) {
	place := records.Place(directory)
	if place == filepath.Clean(directory) {
		return ReadConfig(filepath.Join(place, "config.json"))
	}
	path := filepath.Join(place, "card.json")
	data, err := files.ReadFile(path)
	if err != nil {
		return Config{}, unreadable(err)
	}
	card, err := parseCard(data, "", path)
	return card.Config, err
}
