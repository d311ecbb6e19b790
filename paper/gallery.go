package paper

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// committed is a result in its folder: what Export wrote, or an earlier run that remarks describe.
type committed struct {
	folder  string // path
	name    string // of the folder
	figure  Figure
	result  *exported // nil for an earlier run, which has no verdicts.json
	cards   []galleryCard
	report  *Report // figure-NN.json of an earlier run
	picture string  // file name; "" for none
	remarks string  // written by hand; "" for none
	tables  string  // of a comparison of runs, as Markdown; "" for other results
}

// galleryCard is the card of a run with its method.
type galleryCard struct {
	method string
	row    string // of panels; "" in a figure with a single row
	file   string // path below the folder
	nbbnn.Card
}

// readResults reads all results of a folder, in the order of their names.
func readResults(folder string) (results []committed, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("paper: no results can be read: %w: name a folder of results, such as docs/results", err)
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		result, err := readResult(filepath.Join(folder, entry.Name()))
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	if len(results) == 0 {
		return nil, fmt.Errorf("paper: %s holds no results: `nbbnn figure 3 --cards --out %s` writes one", folder, filepath.Join(folder, "figure-03-smoke"))
	}
	return results, nil
}

// readResult reads one result and checks that its files belong together.
func readResult(folder string) (committed, error) {
	c := committed{folder: folder, name: filepath.Base(folder)}
	if remarks, err := os.ReadFile(filepath.Join(folder, remarksFile)); err == nil {
		c.remarks = relinked(strings.TrimSpace(string(remarks)), c.name)
	}
	data, err := os.ReadFile(filepath.Join(folder, verdictsFile))
	switch {
	case errors.Is(err, os.ErrNotExist) && (strings.HasPrefix(c.remarks, "# ") || fileExists(filepath.Join(folder, tablesFile))):
		return c, c.readEarlier()
	case errors.Is(err, os.ErrNotExist):
		return c, fmt.Errorf("paper: %s isn't a result: it has neither %s, which `nbbnn figure NUMBER --cards` writes, nor %s, which `nbbnn compare --out` writes, nor a %s that begins with a heading",
			folder, verdictsFile, tablesFile, remarksFile)
	case err != nil:
		return c, fmt.Errorf("paper: %w", err)
	}
	c.result = &exported{}
	if err := json.Unmarshal(data, c.result); err != nil {
		return c, fmt.Errorf("paper: %s in %s is damaged: %w: export the figure again with `nbbnn figure NUMBER --cards`", verdictsFile, folder, err)
	}
	if c.figure, err = ByNumber(c.result.Figure); err != nil {
		return c, fmt.Errorf("%w (%s)", err, folder)
	}
	c.picture = c.figure.Name() + ".png"
	if _, err := os.Stat(filepath.Join(folder, c.picture)); err != nil {
		return c, c.damaged("the picture %s is missing", c.picture)
	}
	if err := c.readCards(); err != nil {
		return c, err
	}
	return c, c.checkCards()
}

// damaged is the error of a result whose files don't belong together.
func (c committed) damaged(format string, args ...any) error {
	return fmt.Errorf("paper: %s: %s: export the figure again with `nbbnn figure %d --scale %s --cards --out %[1]s`",
		c.folder, fmt.Sprintf(format, args...), c.result.Figure, c.result.Scale)
}

// readCards reads the card of each run that verdicts.json names, and compares the weights.
func (c *committed) readCards() error {
	for _, run := range c.result.Runs {
		card, err := readGalleryCard(c.folder, run.Card, run.Method)
		if err != nil {
			return c.damaged("the card of %s seed %d is missing or damaged", run.Method, run.Seed)
		}
		card.row = run.Row
		if want := cmp.Or(run.State, run.Weights); card.StateSHA256 != want {
			return c.damaged("%s doesn't belong to the cards: %s is of the weights %.12s, the verdicts are of %.12s", verdictsFile, card.file, card.StateSHA256, want)
		}
		if card.Training == nil || card.Training.Epoch != card.Config.Training.Epochs {
			return c.damaged("%s is of a half-done training", card.file)
		}
		c.cards = append(c.cards, card)
	}
	return nil
}

// readGalleryCard reads one card.
func readGalleryCard(folder, name, method string) (card galleryCard, err error) {
	card.method, card.file = method, filepath.Join(cardsFolder, name+".json")
	data, err := os.ReadFile(filepath.Join(folder, card.file))
	if err == nil {
		err = json.Unmarshal(data, &card.Card)
	}
	return card, err
}

// checkCards refuses cards that don't belong to one figure: of another test, of other data than the
// rest of their row, or of one curve and trained otherwise.
func (c committed) checkCards() error {
	for i, card := range c.cards {
		first := c.cards[0]
		if !sameCardTest(first.Card, card.Card) {
			return c.damaged("%s and %s were tested differently (%s and %s)", first.file, card.file, testOfCard(first.Card), testOfCard(card.Card))
		}
		for _, other := range c.cards[:i] {
			if other.row != card.row {
				continue
			}
			if card.Data.Hash != other.Data.Hash {
				return c.damaged("%s and %s are of different data (%.12s and %.12s)", other.file, card.file, other.Data.Hash, card.Data.Hash)
			}
			if other.method != card.method {
				continue
			}
			if difference := configDifference(other.Config, card.Config); difference != "" {
				return c.damaged("%s and %s are of one curve and differ in %s", other.file, card.file, difference)
			}
		}
	}
	return nil
}

// sameCardTest reports whether two cards were tested alike. Of the samples that the test asked for,
// a method may take fewer.
func sameCardTest(a, b nbbnn.Card) bool {
	if a.Evaluation == nil || b.Evaluation == nil {
		return a.Evaluation == b.Evaluation
	}
	asked := max(a.Evaluation.Samples, b.Evaluation.Samples)
	return a.Evaluation.Suite == b.Evaluation.Suite && a.Evaluation.Images == b.Evaluation.Images &&
		a.Evaluation.Samples == samplesOf(a.Config, asked) && b.Evaluation.Samples == samplesOf(b.Config, asked)
}

// testOfCard describes the test of a card, such as "all19, 16 samples, 1000 images".
func testOfCard(card nbbnn.Card) string {
	if card.Evaluation == nil {
		return "no test"
	}
	return fmt.Sprintf("%s, %s, %s", card.Evaluation.Suite, counted(card.Evaluation.Samples, "sample"), counted(card.Evaluation.Images, "image"))
}

// configDifference names the first part of two configurations in which they differ apart from the
// seed, such as "training epochs: 30 and 60"; "" if there is none.
func configDifference(a, b nbbnn.Config) string {
	x, y := a.Fields(), b.Fields()
	names := slices.AppendSeq(slices.Collect(maps.Keys(x)), maps.Keys(y))
	slices.Sort(names)
	for _, name := range names {
		if x[name] != y[name] {
			return fmt.Sprintf("%s: %s and %s", strings.NewReplacer(".", " ", "_", " ").Replace(name), quantity.Plain(x[name]), quantity.Plain(y[name]))
		}
	}
	return ""
}
