package paper

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// readEarlier reads what there is of a result without verdicts: the tables of a comparison, or a
// picture, and the data of a figure or the card of one run.
func (c *committed) readEarlier() error {
	if pictures, err := filepath.Glob(filepath.Join(c.folder, "*.png")); err == nil && len(pictures) > 0 {
		c.picture = filepath.Base(pictures[0])
	}
	var err error
	if c.tables, err = readTables(c.folder); err != nil {
		return err
	}
	if c.tables != "" {
		c.cards, err = readComparedCards(c.folder)
		return err
	}
	if fileExists(filepath.Join(c.folder, "card.json")) {
		card := galleryCard{file: "card.json"}
		c.cards = []galleryCard{card}
		return readJSON(filepath.Join(c.folder, "card.json"), &c.cards[0].Card)
	}
	reports, err := filepath.Glob(filepath.Join(c.folder, "figure-*.json"))
	if err != nil || len(reports) == 0 {
		return err
	}
	c.report = &Report{}
	if err := readJSON(reports[0], c.report); err != nil {
		return err
	}
	for _, run := range c.report.Runs {
		c.cards = append(c.cards, galleryCard{method: run.Method, Card: run.Card})
	}
	return nil
}

// readJSON reads a committed file.
func readJSON(path string, value any) error {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, value)
	}
	if err != nil {
		return fmt.Errorf("paper: %s is damaged: %w: restore it from the repository", path, err)
	}
	return nil
}

// earlierSection is the part of the page on a run without verdicts. The first line of its remarks
// is its heading.
func (c committed) earlierSection() string {
	_, rest, _ := strings.Cut(c.remarks, "\n")
	parts := []string{
		fmt.Sprintf("### %s: [%s](%[2]s)", c.heading(), c.name),
		c.image(),
	}
	switch {
	case c.report != nil:
		parts = append(parts, markdownTable(c.earlierLevels()), paragraph(c.earlierNotes()))
	case len(c.cards) > 0 && c.cards[0].Evaluation != nil:
		parts = append(parts, markdownTable(cardLevels(c.cards[0].Evaluation.Levels)))
	}
	if len(c.cards) > 0 {
		parts = append(parts, paragraph("Cost: "+c.cost()+"."))
	}
	return joinParts(append(parts, rest))
}

// heading is the first line of the remarks on an earlier run, or the name of its folder.
func (c committed) heading() string {
	line, _, _ := strings.Cut(c.remarks, "\n")
	return cmp.Or(strings.TrimPrefix(line, "# "), c.name)
}

// levelHeader is the header of a table of levels.
func levelHeader() []string {
	header := []string{"", "level"}
	for level := range score.LevelCount {
		header = append(header, fmt.Sprint(level))
	}
	return header
}

// earlierLevels has the negative log-likelihood and the error at the levels, with the paper's.
func (c committed) earlierLevels() [][]string {
	rows := [][]string{levelHeader()}
	for _, name := range []string{NLL, Error} {
		for _, m := range c.report.Methods {
			rows = append(rows, namedRow(name, m.Name, m.Levels[name].Mean))
			if paper := m.Levels[name].Paper; paper != nil {
				rows = append(rows, namedRow(name, m.Name+", paper", paper))
			}
		}
	}
	return rows
}

// cardLevels has the metrics of one run at the levels.
func cardLevels(levels score.Levels) [][]string {
	return [][]string{
		levelHeader(), namedRow(NLL, "", levels.NLL[:]), namedRow(Error, "", levels.Error[:]), namedRow(ECE, "", levels.ECE[:]),
	}
}

// namedRow is levelRow of a metric that is known to exist.
func namedRow(metric, name string, values []float64) []string {
	m, err := score.MetricByName(metric)
	if err != nil {
		return []string{metric}
	}
	return levelRow(m, name, values)
}

// earlierNotes says how far the networks were trained.
func (c committed) earlierNotes() string {
	var notes []string
	for _, m := range c.report.Methods {
		if entropy := m.Entropy.Mean; len(entropy) > 1 {
			notes = append(notes, fmt.Sprintf("The entropy of %s goes from %.1f to %.1f nats, its training error ends at %s.",
				m.Name, entropy[0], entropy[len(entropy)-1], percent(c.trainingError(m.Name))))
		}
	}
	return strings.Join(notes, " ")
}

// trainingError is the mean over a method's cards, at the end of training.
func (c committed) trainingError(method string) (mean float64) {
	count := 0.0
	for _, card := range c.cards {
		if card.method == method && card.Training != nil {
			mean += card.Training.Error
			count++
		}
	}
	return mean / max(1, count)
}
