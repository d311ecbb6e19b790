package paper

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn"
)

// claimsFile has the claims of all results for other programs, in the form that claims.schema.json
// of the committed results describes.
const claimsFile = "claims.json"

// claimEntry is a claim of a result.
type claimEntry struct {
	Result    string     `json:"result"` // its folder, from that of all results
	Scale     Scale      `json:"scale"`
	Claim     string     `json:"claim"`
	Source    Source     `json:"source"`
	Primary   bool       `json:"primary"`
	Verdict   Outcome    `json:"verdict"`
	Contrasts []contrast `json:"contrasts"`
	Seeds     int        `json:"seeds"`
	Gap       *gap       `json:"gap,omitempty"`  // of the least noisy network
	Cost      *claimCost `json:"cost,omitempty"` // of all runs of the result; nil without their cards
	Commits   []string   `json:"commits"`        // of the programs that trained them
}

// contrast is an Effect without the differences of its seeds, which the report has.
type contrast struct {
	Name     string      `json:"name"`
	Unit     string      `json:"unit"`
	Claimed  Side        `json:"claimed"`
	Mean     float64     `json:"mean"`
	Interval *[2]float64 `json:"interval,omitempty"`
	Margin   float64     `json:"margin,omitempty"`
	Paper    *float64    `json:"paper,omitempty"`
}

// claimCost is what the runs of a result took.
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

// claimsPage returns claimsFile with the claims of results and of those beyond the paper, one a line.
func claimsPage(folder string, results []committed) (page, error) {
	beyond, err := readBeyond(folder)
	if err != nil {
		return page{}, err
	}
	var lines []string
	for _, c := range slices.Concat(results, beyond) {
		for _, entry := range c.claims() {
			line, err := json.Marshal(entry)
			if err != nil {
				return page{}, fmt.Errorf("paper: %s can't be written: %w", claimsFile, err)
			}
			lines = append(lines, string(line))
		}
	}
	return page{claimsFile, []byte("[\n" + strings.Join(lines, ",\n") + "\n]\n")}, nil
}

// readBeyond reads the results of figures that the paper doesn't have, which lie a folder deeper and
// may come without cards.
func readBeyond(folder string) (results []committed, err error) {
	for _, figure := range Beyond() {
		paths, _ := filepath.Glob(filepath.Join(folder, "*", figure.Key, figure.Name()+".json"))
		for _, path := range paths {
			c := committed{Name: filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(filepath.Dir(path))), figure.Key)), figure: figure}
			if err := readJSON(path, &c.Report); err != nil {
				return nil, fmt.Errorf("paper: %s is damaged: %w: export the figure again with `nbbnn figure %s --cards`", path, err, figure.Command())
			}
			for _, run := range c.Runs {
				card, err := readCard(filepath.Dir(path), run)
				if errors.Is(err, fs.ErrNotExist) {
					continue // not every result beyond the paper has its cards beside it
				}
				if err != nil {
					return nil, err
				}
				c.cards = append(c.cards, card)
			}
			results = append(results, c)
		}
	}
	return results, nil
}

// claims returns the claims of a result.
func (c committed) claims() (entries []claimEntry) {
	commits := []string{}
	for _, card := range c.cards {
		if card.Commit != "unknown" && !slices.Contains(commits, card.Commit) {
			commits = append(commits, card.Commit)
		}
	}
	var cost *claimCost
	if len(c.cards) > 0 {
		all := costOf(c.cards)
		cost = &all
	}
	for _, v := range c.Verdicts {
		entry := claimEntry{
			Result: c.Name, Scale: c.Scale, Claim: v.Claim, Source: v.Source, Primary: v.Primary, Verdict: v.Outcome,
			Contrasts: []contrast{}, Seeds: v.seeds(), Gap: c.Gap, Cost: cost, Commits: commits,
		}
		for _, e := range v.Effects {
			entry.Contrasts = append(entry.Contrasts, contrast{e.Name, e.Unit, e.Claimed, e.Mean, e.Interval, e.Margin, e.Paper})
		}
		entries = append(entries, entry)
	}
	return entries
}
