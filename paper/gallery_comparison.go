package paper

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// tablesFile is in every folder that `nbbnn compare --out` wrote.
const tablesFile = "tables.md"

// readTables returns the tables of a comparison of runs, "" if the folder holds none.
func readTables(folder string) (string, error) {
	data, err := os.ReadFile(filepath.Join(folder, tablesFile))
	if err != nil && !os.IsNotExist(err) {
		return "", fmt.Errorf("paper: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}

// readComparedCards reads the cards of the compared runs, of which the ensembles have none.
func readComparedCards(folder string) (cards []galleryCard, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, cardsFolder, "*-seed*.json"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		card, err := readGalleryCard(folder, strings.TrimSuffix(filepath.Base(path), ".json"), "")
		if err != nil {
			return nil, fmt.Errorf("paper: %s is damaged: %w: restore it from the repository", path, err)
		}
		cards = append(cards, card)
	}
	return cards, nil
}

// comparisonSection is the part of the page on a comparison of runs. The first line of its remarks
// is its heading.
func comparisonSection(c committed) string {
	_, rest, _ := strings.Cut(c.remarks, "\n")
	parts := []string{fmt.Sprintf("### %s: [%s](%[2]s)", c.heading(), c.name)}
	for _, picture := range []string{"dots.png", "levels.png", "baseline.png", "passes.png"} {
		if fileExists(filepath.Join(c.folder, picture)) {
			parts = append(parts, fmt.Sprintf("![%s](%s/%s)", c.heading(), c.name, picture))
		}
	}
	return joinParts(append(parts, c.tables, rest))
}
