package paper

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/nbbnn"
)

const resultsFolder = "../docs/results"

// The numbers of the unfinished desk scale on the page of results are those of the cards beside it,
// and so are the order of the two methods and their training errors.
func TestResultsPageTellsTheDeskCards(t *testing.T) {
	page := readText(t, filepath.Join(resultsFolder, "README.md"))
	for name, title := range map[string]string{"m16-seed1": "M16 seed 1", "m32-seed1": "M32 seed 1", "m32-seed2": "M32 seed 2"} {
		levels := deskCard(t, name).Evaluation.Levels
		nll, errors := "| "+title+" NLL |", "| "+title+" error % |"
		for level := range levels.NLL {
			nll += fmt.Sprintf(" %.3f |", levels.NLL[level])
			errors += fmt.Sprintf(" %.1f |", 100*levels.Error[level])
		}
		for _, row := range []string{nll, errors} {
			if !strings.Contains(page, row) {
				t.Errorf("the page lacks the row of the card %s: %s", name, row)
			}
		}
	}
	m16, m32 := deskCard(t, "m16-seed1"), deskCard(t, "m32-seed1")
	for level := range m16.Evaluation.Levels.NLL {
		if m32.Evaluation.Levels.NLL[level] <= m16.Evaluation.Levels.NLL[level] || m32.Evaluation.Levels.Error[level] <= m16.Evaluation.Levels.Error[level] {
			t.Errorf("the page says that M32 is worse at every level; it isn't at level %d", level)
		}
	}
	sentence := fmt.Sprintf("training error %.1f %% for M16 and %.1f %% for M32", 100*m16.Training.Error, 100*m32.Training.Error)
	if !strings.Contains(strings.ReplaceAll(page, "\n", " "), sentence) {
		t.Errorf("the page doesn't say %q", sentence)
	}
}

func deskCard(t *testing.T, name string) (card nbbnn.Card) {
	t.Helper()
	text := readText(t, filepath.Join(resultsFolder, "figure-03-desk", "cards", name+".json"))
	if err := json.Unmarshal([]byte(text), &card); err != nil {
		t.Fatal(err)
	}
	return card
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
