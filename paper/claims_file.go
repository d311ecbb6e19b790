package paper

import (
	"encoding/json"
	"fmt"
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
	Contrasts []Effect   `json:"contrasts"` // without the differences of their seeds
	Seeds     int        `json:"seeds"`
	Gap       *gap       `json:"gap,omitempty"`  // of the least noisy network
	Cost      *claimCost `json:"cost,omitempty"` // of all runs of the result; nil without their cards
	Commits   []string   `json:"commits"`        // of the programs that trained them
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

// claimsPage returns claimsFile with the claims of results, one a line.
func claimsPage(results []committed) (page, error) {
	var lines []string
	for _, c := range results {
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
			Contrasts: []Effect{}, Seeds: v.Seen(), Gap: c.Gap, Cost: cost, Commits: commits,
		}
		for _, e := range v.Effects {
			e.Differences = nil
			entry.Contrasts = append(entry.Contrasts, e)
		}
		entries = append(entries, entry)
	}
	return entries
}
