package paper

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/corrupt"
)

// section is the part of the page on one result.
func (c committed) section() string {
	r := c.result
	parts := []string{
		fmt.Sprintf("### Figure %d: %s", r.Figure, r.Finding),
		c.image(),
		findingImage(c),
		paragraph(fmt.Sprintf("%s. Tested on %s. %s The paper's finding: %s.", r.Subject, testText(r.Test), c.figure.Headline.Names, lowerFirst(c.figure.Title))),
		markdownTable(spelt(r.Table)),
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

// spelt returns a table with the names of metrics in words.
func spelt(table [][]string) [][]string {
	rows := make([][]string, len(table))
	for i, row := range table {
		rows[i] = slices.Clone(row)
		if len(row) > 0 {
			rows[i][0] = strings.Replace(row[0], ScaledNLL, "Scaled NLL", 1)
		}
	}
	return rows
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

// image shows the picture of a result.
func (c committed) image() string {
	if c.picture == "" {
		return ""
	}
	return fmt.Sprintf("![%s](%s/%s)", c.alternative(), c.name, c.picture)
}

// findingImage shows the effects with their intervals, if they are drawn.
func findingImage(c committed) string {
	if !fileExists(filepath.Join(c.folder, findingFile)) {
		return ""
	}
	return fmt.Sprintf("![%s](%s/%s)", c.effectsText(), c.name, findingFile)
}

// effectsText says what the picture of the effects shows, such as "Wider noise raises the NLL at 3
// of 6 levels. M32 - M16 (nats), with 95 % intervals: level 0 +0.023 [-0.003, +0.050]; level 1
// ...".
func (c committed) effectsText() string {
	at := slices.IndexFunc(c.result.Verdicts, func(v Verdict) bool { return v.Claim == c.result.Claim && len(v.Effects) > 0 })
	if at < 0 {
		return "The differences with their intervals. " + c.result.Finding
	}
	effects := c.result.Verdicts[at].Effects
	var texts []string
	for _, e := range effects {
		texts = append(texts, strings.TrimSpace(strings.TrimPrefix(e.Name, sharedBeginning(effects)))+" "+e.estimate())
	}
	intervals := ""
	if effects[0].Interval != nil {
		intervals = ", with 95 % intervals"
	}
	return fmt.Sprintf("%s. %s (%s)%s: %s", c.result.Finding, upperFirst(comparedIn(effects)), effects[0].Unit, intervals, strings.Join(texts, "; "))
}

// present is the figure with the methods whose runs are there alone.
func (c committed) present() Figure {
	return c.figure.Adjust(func(s *Setup) {
		s.Methods = slices.DeleteFunc(slices.Clone(s.Methods), func(m Method) bool {
			return !slices.ContainsFunc(c.result.Runs, func(r exportedRun) bool { return r.Method == m.Name && r.Row == m.Row })
		})
	})
}

// alternative is the text for those who don't see the picture.
func (c committed) alternative() string {
	if c.result == nil {
		return c.heading()
	}
	shows := cmp.Or(headlineOf(c.present(), c.result.Scale).Shows, c.figure.Title)
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
		item("- ", fmt.Sprintf("Command: `nbbnn figure %d --scale %s%s`", r.Figure, r.Scale, r.Flags)),
		item("- ", fmt.Sprintf("Files: [%s](%[1]s)", c.name)),
	}
	if notebook := filepath.Join(filepath.Dir(c.folder), "..", "..", "notebooks", c.figure.Name()+".ipynb"); fileExists(notebook) {
		lines = append(lines, item("- ", fmt.Sprintf("Notebook: [%s](../../notebooks/%[1]s.ipynb)", c.figure.Name())))
	}
	if len(r.LeftOut) > 0 {
		lines = append(lines, item("- ", "Left out: "+leftOutText(r.LeftOut)))
	}
	return strings.Join(lines, "\n")
}

// leftOutText lists the runs that a figure lacks, or counts those that share a reason if they are
// many.
func leftOutText(runs []string) string {
	const many = 6
	byReason, reasons := map[string][]string{}, []string(nil)
	for _, run := range runs {
		name, reason, _ := strings.Cut(run, ": ")
		if byReason[reason] == nil {
			reasons = append(reasons, reason)
		}
		byReason[reason] = append(byReason[reason], name)
	}
	for i, reason := range reasons {
		if names := byReason[reason]; len(names) > many {
			reasons[i] = counted(len(names), "run") + ", " + reason
		} else {
			reasons[i] = fmt.Sprintf("%s: %s", strings.Join(names, ", "), reason)
		}
	}
	return strings.Join(reasons, "; ")
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
