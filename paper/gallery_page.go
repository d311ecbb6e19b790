package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Gallery returns the page of the results in a folder, as Markdown: for each figure the picture,
// the numbers with the paper's, the effects with their intervals and verdicts, the cost, the
// command and what differs from the paper; then comparisons of methods, the figures that weren't
// run, with their hours, and earlier runs. The page depends on the files in the folder and on which
// notebooks there are, on nothing else.
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
	var settled, comparisons, illustrations, earlier []string
	for _, c := range sortedResults(results) {
		switch {
		case c.tables != "":
			comparisons = append(comparisons, comparisonSection(c))
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
	write("Comparisons of methods", comparisons)
	write("What wasn't run", []string{left})
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
