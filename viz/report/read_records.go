package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn"
)

// FindRecords lists the records that paths mean, without the endings of their files, as ReadRecord
// takes them: a card or a list of members, such as map-seed1.json, or a folder with some, such as
// the cards of a comparison. It's an error if a path means none.
func FindRecords(paths ...string) (bases []string, err error) {
	for _, path := range paths {
		cards := []string{path}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			if cards, err = cardsIn(path); err != nil {
				return nil, fmt.Errorf("report: %s can't be searched for records: %w: make the folder readable", path, err)
			}
		} else if err != nil {
			return nil, fmt.Errorf("report: %w: give the .json file of a record, or a folder with some", err)
		}
		if len(cards) == 0 {
			return nil, fmt.Errorf("report: %s has no record of a run: give the folder `cards` of a comparison", path)
		}
		for _, card := range cards {
			base, isCard := strings.CutSuffix(card, cardEnding)
			if !isCard {
				return nil, fmt.Errorf("report: %s isn't the card of a record: give its .json file", card)
			}
			bases = append(bases, base)
		}
	}
	return bases, nil
}

// cardsIn returns the paths of the cards in a folder, in the order of their names.
func cardsIn(folder string) (cards []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), cardEnding) && !entry.IsDir() {
			cards = append(cards, filepath.Join(folder, entry.Name()))
		}
	}
	return cards, err
}

// ReadRecord returns what CopyRecords and SaveRecords wrote of a run or of an ensemble, for
// nbbnn.Restore.
func ReadRecord(base string) (nbbnn.Record, error) {
	record := nbbnn.Record{}
	for _, file := range slices.Concat(recordFiles, furtherFiles) {
		path := base + file.ending
		content, err := os.ReadFile(path)
		if os.IsNotExist(err) && file.ending != cardEnding {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("report: a record can't be read: %w: make the file readable", err)
		}
		record[file.name] = nbbnn.RecordFile{Path: path, Content: content}
	}
	card := record["card.json"]
	if bytes.Contains(card.Content, []byte(`"members"`)) && !bytes.Contains(card.Content, []byte(`"config_hash"`)) {
		record["ensemble.json"] = card
		delete(record, "card.json")
	}
	return record, nil
}
