package paper

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// committed is a result in its folder, as Options.Cards wrote it.
type committed struct {
	Report
	Name    string // of the folder
	Whole   string // file of the picture of all panels; "" for none
	Remarks string // written by a person; "" for none

	figure Figure
	cards  []nbbnn.Card // of the runs
}

// readResults reads the results of a folder, in the order of their names, and after them the
// results of figures beyond the paper, a folder deeper. Folders without a report are none.
func readResults(folder string) (results, beyond []committed, err error) {
	paths := reportFiles(filepath.Join(folder, "*"))
	slices.Sort(paths)
	if len(paths) == 0 {
		return nil, nil, fmt.Errorf("paper: %s holds no results: "+
			"`nbbnn figure 3 --scale quick --cards --out %s` writes one",
			folder, filepath.Join(folder, "figure-03-quick"))
	}
	count := len(paths)
	_, ours := Figures()
	for _, figure := range ours {
		deeper, _ := filepath.Glob(filepath.Join(folder, "*", figure.Key, figure.Name()+".json"))
		paths = append(paths, deeper...)
	}
	for _, path := range paths {
		result, err := readResult(folder, path)
		if err != nil {
			return nil, nil, err
		}
		results = append(results, result)
	}
	return results[:count], results[count:], nil
}

// shownBefore are the figures of a scale whose first runs had ended when their primary contrasts
// were committed, on 25 November 2026, or whose contrasts a pilot had shown.
var shownBefore = map[Scale][]string{
	Quick: {"demo", "figure-02", "figure-03", "figure-04", "figure-05", "figure-06", "figure-07",
		"figure-10", "figure-12", "figure-18"},
	Desk: {"figure-06"},
}

// readResult reads one result and checks that its files belong together. Not every result beyond
// the paper has its cards with it.
func readResult(root, path string) (c committed, err error) {
	folder := filepath.Dir(path)
	name, _ := filepath.Rel(root, folder) // the path was found below the root
	c.Name = filepath.ToSlash(name)
	isFigure := func(f Figure) bool { return f.Name()+".json" == filepath.Base(path) }
	figures := all()
	if at := slices.IndexFunc(figures, isFigure); at >= 0 {
		c.figure = figures[at]
	} else {
		return c, fmt.Errorf("paper: %s belongs to no figure: remove it", path)
	}
	if err := readJSON(path, &c.Report); err != nil {
		return c, fmt.Errorf("paper: %s is damaged: %w: export the figure again with "+
			"`nbbnn figure %s --cards`", path, err, c.Command())
	}
	if _, err := os.Stat(filepath.Join(folder, c.Picture())); err != nil {
		return c, c.damaged("the picture %s is missing", c.Picture())
	}
	for _, run := range c.Runs {
		var card nbbnn.Card
		err := readJSON(filepath.Join(folder, cardsFolder, run.Card+"."+run.Run+files.RecordEnding,
			"card.json"), &card)
		switch {
		case errors.Is(err, fs.ErrNotExist) && strings.Contains(c.Name, "/"):
			continue // beyond the paper
		case err != nil || card.Training == nil || !card.Config.Posthoc.FixedNoise &&
			card.Training.Epoch != card.Config.Training.Epochs:
			return c, c.damaged("the card of %s seed %d is missing, damaged or of a half-done "+
				"training", run.Method, run.Seed)
		case card.StateSHA256 != run.State:
			return c, c.damaged("%s doesn't belong to the cards: the card of %s seed %d has "+
				"other weights", filepath.Base(path), run.Method, run.Seed)
		}
		c.cards = append(c.cards, card)
	}
	if slices.Contains(shownBefore[c.Scale], c.figure.Name()) {
		for i := range c.Verdicts {
			c.Verdicts[i].Exploratory = true
		}
	}
	if remarks, err := files.ReadFile(filepath.Join(folder, remarksFile)); err == nil {
		c.Remarks = strings.TrimSpace(string(remarks))
	}
	if _, err := os.Stat(filepath.Join(folder, c.figure.Name()+allEnding)); err == nil {
		c.Whole = c.figure.Name() + allEnding
	}
	return c, nil
}

// cardsIn reads the cards of all records in a folder of results, each run once.
func cardsIn(folder string) (cards []nbbnn.Card, err error) {
	for _, depth := range []string{"*", "*/*"} {
		records, _ := filepath.Glob(filepath.Join(folder, depth, cardsFolder,
			"*"+files.RecordEnding))
		for _, record := range records {
			var card nbbnn.Card
			err := readJSON(filepath.Join(record, "card.json"), &card)
			if errors.Is(err, fs.ErrNotExist) {
				continue // of an ensemble
			} else if err != nil {
				return nil, fmt.Errorf("paper: %s is damaged: %w: write it again with --cards",
					record, err)
			}
			cards = append(cards, card)
		}
	}
	return once(cards), nil
}

func readJSON(path string, value any) error {
	data, err := files.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, value)
}

// damaged returns the error of a result whose files don't belong together.
func (c committed) damaged(format string, args ...any) error {
	return fmt.Errorf("paper: %s: %s: export the figure again with "+
		"`nbbnn figure %s --scale %s --cards --out %[1]s`",
		c.Name, fmt.Sprintf(format, args...), c.Command(), c.Scale)
}

// claimsFile has the claims of all results for other programs, in the form that claims.schema.json
// of the committed results describes.
const claimsFile = "claims.json"

type claimEntry struct {
	Result    string   `json:"result"` // its folder, from the folder of all results
	Scale     Scale    `json:"scale"`
	Claim     string   `json:"claim"`
	Source    string   `json:"source"`
	Primary   bool     `json:"primary"`
	Verdict   Outcome  `json:"verdict"`
	Contrasts []Effect `json:"contrasts"` // without the differences of their seeds
	Seeds     int      `json:"seeds"`
	Gap       *gap     `json:"gap,omitempty"` // of the least noisy network
	// of all runs of the result; nil without their cards
	Cost    *claimCost `json:"cost,omitempty"`
	Commits []string   `json:"commits"` // of the programs that trained them
}

// claimCost is the cost of a result's runs.
type claimCost struct {
	Runs     int     `json:"runs"`
	Training float64 `json:"training_seconds"`
	Testing  float64 `json:"testing_seconds"`
}

// costOf adds up the cost of runs.
func costOf(cards []nbbnn.Card) (cost claimCost) {
	cost.Runs = len(cards)
	for _, card := range cards {
		cost.Training += card.WallSeconds
		for _, evaluation := range card.Evaluations() {
			cost.Testing += evaluation.WallSeconds
		}
	}
	return cost
}

// claimsText returns the text of claimsFile with the claims of results, one a line.
func claimsText(results []committed) []byte {
	var lines []string
	for _, c := range results {
		for _, entry := range c.claims() {
			line, err := json.Marshal(entry)
			if err != nil {
				panic(err) // its numbers have been read from JSON
			}
			lines = append(lines, string(line))
		}
	}
	return []byte("[\n" + strings.Join(lines, ",\n") + "\n]\n")
}

// claims returns the claims of a result.
func (c committed) claims() (entries []claimEntry) {
	commits := []string{}
	for _, card := range c.cards {
		if card.Commit != "unknown" {
			commits = quantity.AddNew(commits, card.Commit)
		}
	}
	var cost *claimCost
	if len(c.cards) > 0 {
		all := costOf(c.cards)
		cost = &all
	}
	for _, v := range c.Verdicts {
		entry := claimEntry{
			Result: c.Name, Scale: c.Scale, Claim: v.Claim, Source: v.Source, Primary: v.Primary,
			Verdict:   v.Outcome,
			Contrasts: []Effect{}, Seeds: v.seeds(), Gap: c.Gap, Cost: cost, Commits: commits,
		}
		for _, e := range v.Effects {
			e.Differences = nil
			entry.Contrasts = append(entry.Contrasts, e)
		}
		entries = append(entries, entry)
	}
	return entries
}
