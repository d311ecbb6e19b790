package paper

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

// A result whose files don't belong together is refused in one line that says what to do.
func TestDamagedResultsAreRefused(t *testing.T) {
	for _, test := range []struct {
		name   string
		damage func(t *testing.T, folder string)
		want   string
	}{
		{"other weights", func(t *testing.T, folder string) {
			changeCard(t, folder, "m32-seed1", func(c *nbbnn.Card) { c.StateSHA256 = "0123456789abcdef" })
		}, "verdicts.json doesn't belong to the cards: cards/m32-seed1.json is of the weights 0123456789ab"},
		{"half done", func(t *testing.T, folder string) {
			changeCard(t, folder, "m16-seed2", func(c *nbbnn.Card) { c.Training.Epoch-- })
		}, "cards/m16-seed2.json is of a half-done training"},
		{"no card", func(t *testing.T, folder string) {
			remove(t, folder, "cards/m16-seed1.json")
		}, "the card of M16 seed 1 is missing or damaged: export the figure again with `nbbnn figure 3 --scale smoke --cards --out"},
		{"other data", func(t *testing.T, folder string) {
			changeCard(t, folder, "m16-seed2", func(c *nbbnn.Card) { c.Data.Hash = "ffff" })
		}, "cards/m16-seed1.json and cards/m16-seed2.json are of different data"},
		{"another test", func(t *testing.T, folder string) {
			changeCard(t, folder, "m32-seed2", func(c *nbbnn.Card) { c.Evaluation.Samples = 64 })
		}, "were tested differently (first8, 1 sample, 2 images and first8, 64 samples, 2 images)"},
		{"another schedule", func(t *testing.T, folder string) {
			changeCard(t, folder, "m32-seed2", func(c *nbbnn.Card) { c.Config.Training.LearningRate = 0.5 })
		}, "cards/m32-seed1.json and cards/m32-seed2.json are of one curve and differ in training learning rate: 0.01 and 0.5"},
		{"no verdicts", func(t *testing.T, folder string) {
			remove(t, folder, verdictsFile)
		}, "isn't a result: it has neither verdicts.json"},
		{"damaged verdicts", func(t *testing.T, folder string) {
			replaceInFile(t, filepath.Join(folder, verdictsFile), "{", "")
		}, "verdicts.json in"},
		{"no picture", func(t *testing.T, folder string) {
			remove(t, folder, "figure-03.png")
		}, "the picture figure-03.png is missing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			result := filepath.Join(folder, "figure-03-smoke")
			exportTiny(t, result)
			if _, err := Gallery(folder); err != nil {
				t.Fatal(err)
			}
			test.damage(t, result)
			_, err := Gallery(folder)
			wantError(t, err, test.want)
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has more than one line: %v", err)
			}
		})
	}
	_, err := Gallery(t.TempDir())
	wantError(t, err, "holds no results")
	_, err = Gallery(filepath.Join(t.TempDir(), "nowhere"))
	wantError(t, err, "no results can be read")
	_, err = Highlight("# A README", resultsFolder, "docs/results")
	wantError(t, err, `no line "<!-- result NAME -->"`)
}

var tinyResults testkit.Folders

// exportTiny puts the exported result of a small figure with two seeds into a folder.
func exportTiny(t *testing.T, folder string) {
	t.Helper()
	tinyResults.Copy(t, "figure 3", folder, func() {
		result, _, err := Make(t.Context(), tiny(Figure03, 2), Smoke, Options{Runs: t.TempDir(), Out: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Export(result, folder); err != nil {
			t.Fatal(err)
		}
	})
}

func changeCard(t *testing.T, folder, name string, change func(*nbbnn.Card)) {
	t.Helper()
	path := filepath.Join(folder, cardsFolder, name+".json")
	var card nbbnn.Card
	if err := json.Unmarshal(readFile(t, path), &card); err != nil {
		t.Fatal(err)
	}
	change(&card)
	data, err := json.Marshal(card)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, folder, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(folder, name)); err != nil {
		t.Fatal(err)
	}
}

func TestMarkdown(t *testing.T) {
	const want = "- " + "eleven let"
	if got := item("- ", "eleven let"); got != want {
		t.Errorf("the item is %q, want %q", got, want)
	}
	long := item("- ", strings.Repeat("letters ", 30))
	for i, line := range strings.Split(long, "\n") {
		if len(line) > pageWidth || i > 0 && !strings.HasPrefix(line, "  letters") {
			t.Errorf("line %d of a long item is %q", i, line)
		}
	}
	for text, want := range map[string]string{"A posterior": "a posterior", "NLL of M32": "NLL of M32", "M32 is": "M32 is", "The best": "the best", "": ""} {
		if got := lowerFirst(text); got != want {
			t.Errorf("%q begins as %q within a sentence, want %q", text, got, want)
		}
	}
	if got := missingFigures([]int{3, 4, 7, 9, 10, 13, 16, 17, 18, 19, 20, 21, 22, 23}); got != "1, 2, 5, 6, 8, 11, 12, 15 and 24" {
		t.Errorf("the missing figures are %q", got)
	}
}
