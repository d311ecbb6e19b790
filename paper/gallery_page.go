package paper

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/report"
)

// Gallery returns the page of the results in a folder, as Markdown: for each figure the picture, the
// numbers with the paper's, the effects with their intervals and verdicts, the cost, the command and
// what differs from the paper; then the figures that weren't run, with their hours, and earlier
// runs. The page depends on the files in the folder and on which notebooks there are, on nothing
// else.
func Gallery(folder string) (string, error) {
	results, err := readResults(folder)
	if err != nil {
		return "", err
	}
	var page strings.Builder
	page.WriteString(galleryIntroduction)
	write := func(heading string, sections []string) {
		if len(sections) > 0 {
			page.WriteString("\n## " + heading + "\n" + strings.Join(sections, ""))
		}
	}
	var settled, illustrations, earlier []string
	for _, c := range sortedResults(results) {
		switch {
		case c.result == nil:
			earlier = append(earlier, c.earlierSection())
		case c.result.Scale.judges():
			settled = append(settled, c.section())
		default:
			illustrations = append(illustrations, c.section())
		}
	}
	left, err := notRun(folder, results)
	if err != nil {
		return "", err
	}
	page.WriteString(overviewTable(results))
	write("Results", settled)
	write("Figures that weren't run", []string{left})
	write("Illustrations", illustrations)
	write("Earlier runs", earlier)
	return page.String(), nil
}

const galleryIntroduction = `# Results

` + "`nbbnn gallery docs/results` writes this page from the files in its folders: don't edit it, edit" + `
the remarks.md of a folder. Each folder holds a figure as ` + "`nbbnn figure` drew it (PNG), its table" + `
(CSV), the data of the drawing (JSON), the verdicts, and the card, epochs and cells of every run.

A claim **holds** if the 95 % t-interval of each of its differences, over paired seeds, lies on the
claimed side of zero. It **fails** if all of them lie on the other side, or one of m at the
confidence 1 - 0.05/m (Bonferroni), and is **undecided** otherwise: the printed intervals have 95 %,
and of many of those one lies on the other side by chance. A title counts 95 % intervals. Values on a
grid, such as the best of a few gammas or a count, have the variance of their rounding in the
interval. With fewer than three seeds nothing is decided: "seen in 2 of 2 seeds" counts the seeds in
which all differences have the claimed sign. At the smoke scale nothing is judged.

The figures on All-CNN-C are judged on the seeds 1 to 3 first. Seeds 4 and 5 join when all of their
runs are complete, after the verdict on three was seen. That is optional stopping, for which the
intervals aren't corrected.
`

// overviewTable has a row for each result with verdicts.
func overviewTable(results []committed) string {
	rows := [][]string{{"figure", "scale", "finding", "claims", "cost"}}
	for _, c := range sortedResults(results) {
		if c.result == nil {
			continue
		}
		claims := strings.TrimPrefix(c.result.Verdicts.counted(), ", claims: ")
		rows = append(rows, []string{
			fmt.Sprintf("[%d](%s)", c.result.Figure, c.name), string(c.result.Scale), c.result.Finding, cmp.Or(claims, "not judged"), c.shortCost(),
		})
	}
	if len(rows) == 1 {
		return ""
	}
	return "\n" + markdownTable(rows)
}

// sortedResults orders results by figure, the larger scale first.
func sortedResults(results []committed) []committed {
	return slices.SortedStableFunc(slices.Values(results), func(a, b committed) int {
		if a.result == nil || b.result == nil {
			return cmp.Compare(a.name, b.name)
		}
		return cmp.Or(
			cmp.Compare(a.result.Figure, b.result.Figure),
			cmp.Compare(slices.Index(Scales(), b.result.Scale), slices.Index(Scales(), a.result.Scale)),
			cmp.Compare(a.name, b.name),
		)
	})
}

// section is the part of the page on one result.
func (c committed) section() string {
	r := c.result
	parts := []string{
		fmt.Sprintf("### Figure %d: %s", r.Figure, r.Finding),
		c.image(),
		findingImage(c),
		paragraph(fmt.Sprintf("%s. Tested on %s. %s The paper's finding: %s.", r.Subject, testText(r.Test), c.figure.Headline.Names, lowerFirst(c.figure.Title))),
		markdownTable(r.Table),
		costSection(c),
		c.verdictList(),
		c.facts(),
	}
	if settings := settingsTable(c); settings != "" {
		parts = append(parts, "What differs from the paper:\n\n"+settings)
	}
	parts = append(parts, c.remarks)
	return joinParts(parts)
}

// testText names the number of corruptions of a test, as in "19 corruptions (all19), 16 samples".
func testText(test string) string {
	name, rest, _ := strings.Cut(test, ",")
	suite, err := corrupt.SuiteByName(name)
	if err != nil {
		return test
	}
	return fmt.Sprintf("%s (%s),%s", counted(len(suite.Corruptions), "corruption"), name, rest)
}

// joinParts puts an empty line between the parts that aren't empty.
func joinParts(parts []string) string {
	var text strings.Builder
	for _, part := range parts {
		if part = strings.Trim(part, "\n"); part != "" {
			text.WriteString("\n" + part + "\n")
		}
	}
	return text.String()
}

// image shows the picture of a result.
func (c committed) image() string {
	if c.picture == "" {
		return ""
	}
	return fmt.Sprintf("![%s](%s/%s)", c.alternative(), c.name, c.picture)
}

// costSection shows what the methods of a benchmark cost, if that is known.
func costSection(c committed) string {
	if len(c.result.Costs) == 0 {
		return ""
	}
	picture := c.figure.Name() + passesEnding
	return joinParts([]string{
		fmt.Sprintf("![Error and NLL against the forward passes of a prediction](%s/%s)", c.name, picture),
		paragraph("The cost of each method: " + report.CostCaption + "."),
		markdownTable(c.result.Costs),
	})
}

// findingImage shows the effects with their intervals, if they are drawn.
func findingImage(c committed) string {
	if !fileExists(filepath.Join(c.folder, findingFile)) {
		return ""
	}
	return fmt.Sprintf("![The differences with their intervals. %s](%s/%s)", c.result.Finding, c.name, findingFile)
}

// alternative is the text for those who don't see the picture.
func (c committed) alternative() string {
	if c.result == nil {
		return c.heading()
	}
	shows := cmp.Or(headlineOf(c.figure, c.result.Scale).Shows, c.figure.Title)
	if strings.HasPrefix(c.result.Finding, shows) {
		return c.result.Finding
	}
	return shows + ". " + c.result.Finding
}

// verdictList lists the claims with their verdicts and effects, then the checks.
func (c committed) verdictList() string {
	var lines []string
	for _, v := range c.result.Verdicts {
		lines = append(lines, item("- ", fmt.Sprintf("%s: **%s** (%s; %s)", upperFirst(v.Claim), v.Text(), madeBy[v.Source], v.Detail+v.adjusted())))
		for _, effect := range v.Shown() {
			lines = append(lines, item("  - ", v.line(effect)))
		}
	}
	for _, check := range c.result.Checks {
		lines = append(lines, item("- ", fmt.Sprintf("Check of the code: %s, %d of %d", check.Check, check.Passed, check.Total)))
	}
	return strings.Join(lines, "\n")
}

// madeBy says who makes a claim.
var madeBy = map[Source]string{FromPaper: "the paper's", Ours: "ours"}

// facts are the cost, the command, the files and the notebook of a result.
func (c committed) facts() string {
	r := c.result
	lines := []string{
		item("- ", "Cost: "+c.cost()),
		item("- ", fmt.Sprintf("Command: `nbbnn figure %d --scale %s`", r.Figure, r.Scale)),
		item("- ", fmt.Sprintf("Files: [%s](%[1]s)", c.name)),
	}
	if notebook := filepath.Join(filepath.Dir(c.folder), "..", "..", "notebooks", c.figure.Name()+".ipynb"); fileExists(notebook) {
		lines = append(lines, item("- ", fmt.Sprintf("Notebook: [%s](../../notebooks/%[1]s.ipynb)", c.figure.Name())))
	}
	if len(r.LeftOut) > 0 {
		lines = append(lines, item("- ", "Left out: "+strings.Join(r.LeftOut, "; ")))
	}
	return strings.Join(lines, "\n")
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// shortCost is such as "6 runs, 2 h 40 min".
func (c committed) shortCost() string {
	training, testing := c.seconds()
	return fmt.Sprintf("%s, %s", counted(len(c.cards), "run"), span(training+testing))
}

// seconds returns how long the runs were trained and tested.
func (c committed) seconds() (training, testing float64) {
	for _, card := range c.cards {
		training += card.WallSeconds
		for _, evaluation := range card.Earlier {
			testing += evaluation.WallSeconds
		}
		if card.Evaluation != nil {
			testing += card.Evaluation.WallSeconds
		}
	}
	return training, testing
}

// cost is such as "6 runs, 2 h 10 min of training and 30 min of testing on AMD EPYC, 2 cores".
func (c committed) cost() string {
	training, testing := c.seconds()
	var machines []string
	for _, card := range c.cards {
		if !slices.Contains(machines, card.Hardware) {
			machines = append(machines, card.Hardware)
		}
	}
	return fmt.Sprintf("%s, %s of training and %s of testing on %s", counted(len(c.cards), "run"), span(training), span(testing), strings.Join(machines, " and "))
}

func span(seconds float64) string {
	return quantity.Span(time.Duration(seconds * float64(time.Second)))
}
