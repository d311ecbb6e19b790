package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// FindRecords lists the records that paths mean, without the endings of their files, as ReadRecord
// takes them: a card or a list of members, such as map-seed1.json, or a folder with some, such as
// the cards of a comparison. It's an error if a path means none.
func FindRecords(paths ...string) (bases []string, err error) {
	for _, path := range paths {
		cards := []string{path}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			if cards, err = filepath.Glob(filepath.Join(path, "*"+cardEnding)); err != nil {
				return nil, fmt.Errorf("report: %s can't be searched for records: %w", path, err)
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

// ReadRecord returns what CopyRecords and SaveRecords wrote of a run or of an ensemble: the content
// of its files by the names that they have in its directory.
func ReadRecord(base string) (record map[string][]byte, err error) {
	record = map[string][]byte{}
	for name, ending := range map[string]string{
		"card.json": cardEnding, "train.jsonl": recordEndings[1], "cells.csv": recordEndings[2], "bins.csv": binsEnding,
	} {
		content, err := os.ReadFile(base + ending)
		if os.IsNotExist(err) && ending != cardEnding {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("report: the record %s can't be read: %w", base, err)
		}
		record[name] = content
	}
	if card := record["card.json"]; bytes.Contains(card, []byte(`"members"`)) && !bytes.Contains(card, []byte(`"config_hash"`)) {
		record["ensemble.json"] = card
		delete(record, "card.json")
	}
	return record, nil
}
