package paper

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"gonum.org/v1/gonum/floats"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// The templates of the pages of results. Their numbers come from the reports; text written by a
// person has none.
var (
	//go:embed gallery.tmpl
	galleryText string
	//go:embed gallery_details.tmpl
	galleryDetailsText string
	//go:embed gallery_all.tmpl
	galleryAllText string
	//go:embed gallery_figure.tmpl
	galleryFigureText string
)

// forestFile is the picture of all primary contrasts.
const forestFile = "forest.png"

// Gallery writes the pages of a folder of results, each of which Make wrote with Options.Cards into
// a subfolder, and returns their paths. It computes nothing; equal files give equal pages.
func Gallery(folder string) (paths []string, err error) {
	pages, forest, err := galleryOf(folder)
	if err != nil {
		return nil, err
	}
	if forest != nil {
		path := filepath.Join(folder, forestFile)
		if err := forest.Save(path); err != nil {
			return nil, unwritten(folder, err)
		}
		paths = append(paths, path)
	}
	for _, page := range pages {
		path := filepath.Join(folder, page.name)
		if text, err := files.ReadFile(path); err == nil && filepath.Dir(page.name) != "." &&
			!bytes.Contains(text, []byte("/README.md)")) { // which the pages of results have
			return paths, fmt.Errorf("paper: %s may be your own, and a page would replace it: "+
				"call it remarks.md, which the page shows, or move it", path)
		}
		if err := files.WriteBytes(path, page.text); err != nil {
			return paths, unwritten(folder, err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// page is a generated page, named from the folder of results.
type page struct {
	name string
	text []byte
}

// galleryOf returns the pages and the picture of all primary contrasts, nil without any.
func galleryOf(folder string) (pages []page, forest *viz.Figure, err error) {
	results, beyond, err := readResults(folder)
	if err != nil {
		return nil, nil, err
	}
	add := func(name, text string, data any) {
		var filled bytes.Buffer
		err = cmp.Or(err, template.Must(template.New(name).Parse(text)).Execute(&filled, data))
		pages = append(pages, page{name, filled.Bytes()})
	}
	cards, err := cardsIn(folder)
	further, failure := furtherSeeds(folder)
	if err = cmp.Or(err, failure); err != nil {
		return nil, nil, err
	}
	cited, _ := files.ReadFile(folder + "/../../CITATION.cff") // of our own
	all := gallery{results, cards, further, string(cited)}
	add("README.md", galleryText, all)
	add("details.md", galleryDetailsText, all)
	add("all.md", galleryAllText, all)
	pages = append(pages, page{claimsFile, claimsText(slices.Concat(results, beyond))})
	reproduced, failure := all.reproduction()
	err = cmp.Or(err, failure)
	pages = append(pages, page{reproductionFile, reproduced})
	for _, result := range results {
		add(filepath.Join(result.Name, "README.md"), galleryFigureText, result)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("paper: the pages of results can't be written: %w", err)
	}
	if tasks, failure := readTasks(folder); failure != nil {
		return nil, nil, failure
	} else if tasks != nil {
		add(filepath.Join(tasksFolder, "README.md"), tasksText, tasks)
	}
	forest, err = all.forest()
	return pages, forest, err
}

// Command is Figure.Command.
func (c committed) Command() string { return c.figure.Command() }

// Heading returns "Figure 6, quick", or "Demo".
func (c committed) Heading() string {
	if c.Figure == 0 {
		return "Demo"
	}
	return fmt.Sprintf("Figure %d, %s", c.Figure, c.Scale)
}

// Picture names the figure's file, and Data the report's.
func (c committed) Picture() string { return c.figure.Name() + ".png" }
func (c committed) Data() string    { return c.figure.Name() + ".json" }

// worded is a verdict in the words of the pages.
type worded struct{ Verdict }

// Primary is the verdict on the figure's primary claim.
func (c committed) Primary() worded {
	primary, _ := c.Verdicts.primary()
	return worded{primary}
}

// Worded lists the verdicts.
func (c committed) Worded() (all []worded) {
	for _, v := range c.Verdicts {
		all = append(all, worded{v})
	}
	return all
}

// Verdict is the verdict on a claim; the zero verdict if there is none.
func (c committed) Verdict(claim string) worded {
	for _, v := range c.Worded() {
		if v.Claim == claim {
			return v
		}
	}
	return worded{}
}

// Cost returns a text like "25 runs on AMD EPYC, 2 cores: 40 min of training and 20 min of
// testing", with a GPU's engine alone.
func (c committed) Cost() string {
	var machines []string
	for _, card := range c.cards {
		machine := card.Engine
		if strings.HasPrefix(machine, "go ") {
			machine = strings.TrimSuffix(card.Hardware, ", linux/amd64")
		}
		machines = quantity.AddNew(machines, machine)
	}
	cost := costOf(c.cards)
	testing := "tests of unrecorded time"
	if cost.Testing > 0 {
		testing = quantity.Span(quantity.Duration(cost.Testing)) + " of testing"
	}
	return fmt.Sprintf("%s on %s: %s of training and %s", counted(cost.Runs, "run"),
		strings.Join(machines, "; "), quantity.Span(quantity.Duration(cost.Training)), testing)
}

// Contrast names what a verdict compares.
func (v worded) Contrast() string {
	if len(v.Effects) == 1 {
		return strings.ReplaceAll(v.Effects[0].Name, " - ", " minus ")
	}
	return v.Claim
}

// Found is a verdict's effect with its interval, "-0.58 nats [-0.71, -0.45]", or the number of
// several on the claimed side. Few seeds have no interval.
func (v worded) Found() string {
	switch len(v.Effects) {
	case 0:
		return "–"
	case 1:
		return v.Effects[0].decided().amount()
	}
	effects := slices.Clone(v.Effects)
	for i, e := range effects {
		effects[i] = e.decided()
	}
	return holding(effects)
}

// BesideOf is the effect next to the primary one without its unit, which a heading has; "–" if it
// isn't measured.
func (v worded) BesideOf(name string) string {
	at := slices.IndexFunc(v.Beside, func(e Effect) bool { return e.Name == name })
	if at < 0 {
		return "–"
	}
	e := v.Beside[at].decided()
	return strings.Replace(e.amount(), " "+e.Unit, "", 1)
}

// Open names the rivals of a verdict from which its method can't be told: "ASAM and MC dropout".
func (v worded) Open() string {
	var open []string
	for _, e := range v.Effects {
		if outcomeAmong(e, v.Effects) == Undecided {
			_, rival, _ := strings.Cut(e.Name, " - ")
			rival, _, _ = strings.Cut(rival, ",")
			open = append(open, rival)
		}
	}
	return join(open)
}

// Published is the paper's effect on the same network and data, "-1.20"; "–" without one.
func (v worded) Published() string {
	if len(v.Effects) != 1 || v.Effects[0].Paper == nil {
		return "–"
	}
	return fmt.Sprintf("%+.3g", *v.Effects[0].Paper)
}

// Seen is the number of seeds that were compared.
func (v worded) Seen() int { return v.seeds() }

// Listed returns the lines of a verdict's listed effects.
func (v worded) Listed() (lines []string) {
	for _, effect := range v.shown() {
		lines = append(lines, v.line(effect)+v.findable(effect))
	}
	return lines
}

// gallery is the page of all results.
type gallery struct {
	Results []committed
	Cards   []nbbnn.Card // of all records in the folder, each run once
	Further worded       // of furtherSeeds
	cited   string       // CITATION.cff, "" outside of our repository
}

// Cited is the rest of a line of CITATION.cff after a text.
func (g gallery) Cited(text string) string {
	_, rest, _ := strings.Cut(g.cited, text)
	value, _, _ := strings.Cut(rest, "\n")
	return value
}

// Result returns a result by the name of its folder, nil if it isn't there.
func (g gallery) Result(name string) *committed {
	for i := range g.Results {
		if g.Results[i].Name == name {
			return &g.Results[i]
		}
	}
	return nil
}

// SharedImages lists the results whose seeds share test images: "Figures 2 (quick), 3 (desk) and 5
// (quick)".
func (g gallery) SharedImages() string {
	var shared []string
	for _, c := range g.Results {
		switch c.figure.collect.(type) {
		case planeMeasurement, historyMeasurement:
			continue // no test images
		case tests:
			if c.figure.Runs(c.Scale).ownImages() {
				continue
			}
		}
		shared = append(shared, fmt.Sprintf("%d (%s)", c.Figure, c.Scale))
	}
	return "Figures " + join(shared)
}

// Latest is the latest card: the report tells its date and its program's commit.
func (g gallery) Latest() (latest nbbnn.Card) {
	for _, card := range g.Cards {
		if card.Created > latest.Created {
			latest = card
		}
	}
	latest.Commit = machine.Short(latest.Commit)
	return latest
}

// Unstamped is the number of runs of which no card says the commit of the program.
func (g gallery) Unstamped() int {
	stamped := slices.DeleteFunc(g.cards(), func(c nbbnn.Card) bool {
		return c.Commit == "unknown"
	})
	return len(g.Runs()) - len(once(stamped))
}

// Cost is the cost of all results, as committed.Cost words it.
func (g gallery) Cost() string { return committed{cards: g.Runs()}.Cost() }

// Runs returns the cards of all results, each run once.
func (g gallery) Runs() []nbbnn.Card { return once(g.cards()) }

// cards returns the cards of all results, of which several may have a run.
func (g gallery) cards() (cards []nbbnn.Card) {
	for _, c := range g.Results {
		cards = append(cards, c.cards...)
	}
	return cards
}

// once leaves the first card of each run.
func once(cards []nbbnn.Card) []nbbnn.Card {
	seen := map[string]bool{}
	return slices.DeleteFunc(cards, func(c nbbnn.Card) bool {
		before := seen[c.StateSHA256]
		seen[c.StateSHA256] = true
		return before
	})
}

// Missing lists the figures without a result, "1, 2 and 4".
func (g gallery) Missing() string {
	figures, _ := Figures()
	return join(quantity.Texts(slices.DeleteFunc(figures, func(f Figure) bool {
		return slices.ContainsFunc(g.Results, func(c committed) bool {
			return c.Figure == f.Number
		})
	}), Figure.Command))
}

// Comparable lists the results with one primary contrast in nats whose networks learnt.
func (g gallery) Comparable() (comparable []committed) {
	for _, c := range g.Results {
		if v := c.Primary(); len(v.Effects) == 1 && v.Effects[0].Unit == "nats" &&
			isDecided(v.Outcome) {
			comparable = append(comparable, c)
		}
	}
	return comparable
}

// forest draws the primary contrasts in nats, above zero where the paper says so, with the paper's
// own if it is public. It is nil without any.
func (g gallery) forest() (*viz.Figure, error) {
	p := viz.DifferencePlot{Quantity: "effect in the claimed direction (nats)", Claimed: 1,
		Caption: "95 % intervals over paired seeds (dots); diamonds: the paper's networks and data"}
	for _, c := range g.Comparable() {
		v := c.Primary()
		e := v.Effects[0]
		sign := e.Claimed.sign()
		claimed := func(e Effect) viz.Difference {
			each := slices.Clone(e.Differences)
			floats.Scale(sign, each)
			return newEffect(c.Heading(), e.Unit, aboveZero, each).drawn()
		}
		row := claimed(e)
		if theirs := sign * v.Theirs; theirs != 0 {
			row.Paper = &theirs
		}
		for _, beside := range v.Beside {
			if beside.Name == "with one temperature" {
				row.Scaled = new(claimed(beside))
			}
		}
		p.Differences = append(p.Differences, row)
	}
	if len(p.Differences) == 0 {
		return nil, nil
	}
	return viz.Differences(p)
}
