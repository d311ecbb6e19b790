package command

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/paper"
	"github.com/nbbnn/workbench/viz"
)

func figureListCommand(a *app) *cobra.Command {
	var name string
	command := &cobra.Command{
		Use:   "list",
		Short: "List the paper's figures: existing runs, verdicts, and hours that are left",
		Long: `List the paper's figures at one scale: how many of their runs are trained and
evaluated, the verdicts of the complete seeds, and about how long the rest takes on this machine.`,
		Example: "  nbbnn figure list\n  nbbnn figure list --scale smoke",
		RunE: func(c *cobra.Command, _ []string) error {
			scale := paper.Scale(name)
			if err := check.Known("scale", scale, paper.Scales...); err != nil {
				return commandline.Usage(err)
			}
			all, left, err := paper.Overview(c.Context(), scale, paper.Options{Runs: a.runs})
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(newOverviewData(all, left))
			}
			return printOverview(a, all, left)
		},
	}
	command.Flags().StringVar(&name, "scale", string(paper.Desk), "how much is done of each "+
		"figure: "+scaleNames())
	return command
}

// printOverview prints a table with a row for each figure, then the verdicts that there are.
func printOverview(a *app, all []paper.Plan, left time.Duration) error {
	table := viz.Table{Header: []string{"figure", "title", "network and data", "runs", "verdicts",
		"left"}, Labels: 3}
	for _, s := range all {
		left := "-"
		if s.Missing() {
			left = quantity.Span(s.Left)
		}
		table.Rows = append(table.Rows, []string{
			numbers(s.Figure), s.Figure.Title, s.Subject,
			fmt.Sprintf("%d/%d", s.Measured, len(s.Runs)), verdictCounts(s.Verdicts),
			left,
		})
	}
	if err := a.printTable(table); err != nil {
		return err
	}
	scale := all[0].Scale
	noteReplaced(a, slices.ContainsFunc(all, func(s paper.Plan) bool {
		return s.Replaced
	}))
	if scale != paper.Paper {
		fmt.Fprintf(a.out, "note     %s is smaller than the paper and trains what \"network and "+
			"data\" says, whatever a title names: figures that would differ\n"+
			"         in those alone (10, 11 and 13, 16 to 19, 20 to 24) are the same runs, "+
			"trained once\n", scale)
	}
	for _, s := range all {
		if len(s.Verdicts)+len(s.Checks) == 0 {
			continue
		}
		fmt.Fprintf(a.out, "figure   %d, %s\n", s.Figure.Number, s.Figure.Title)
		printVerdicts(a, s.Verdicts, s.Checks)
	}
	var data []string
	for _, s := range all {
		if s.Missing() {
			data = append(data, s.Data...)
		}
	}
	noteAbsent(a, data...)
	fmt.Fprintf(a.out, "left     about %s in all; `nbbnn figure NUMBER --scale %s --hours H` "+
		"works on a figure\n", quantity.Span(left), scale)
	return nil
}

// numbers returns "3", or "10, 14" for a figure that the appendix repeats.
func numbers(figure paper.Figure) string {
	if figure.Again == 0 {
		return fmt.Sprint(figure.Number)
	}
	return fmt.Sprintf("%d, %d", figure.Number, figure.Again)
}

// dataIsHere reports whether a data set needs no download.
func dataIsHere(name string) bool {
	if !slices.Contains(sources.Names(), name) {
		return true // drawn, or the user's own
	}
	_, err := sources.Folder(name, "")
	return err == nil
}

// printVerdicts prints the claims and the checks of a figure.
func printVerdicts(a *app, verdicts paper.Verdicts, checks []paper.CheckResult) {
	colours := map[paper.Outcome]colour{paper.Holds: green, paper.Fails: red}
	paint := func(outcome paper.Outcome, text string) string {
		return a.paintOut(cmp.Or(colours[outcome], yellow), text)
	}
	for _, line := range verdicts.Lines(paint) {
		fmt.Fprintln(a.out, line)
	}
	for _, check := range checks {
		fmt.Fprintln(a.out, check)
	}
}

// verdictCounts returns a text like "2 hold, 1 undecided"; "-" without verdicts.
func verdictCounts(verdicts paper.Verdicts) string {
	counts := map[paper.Outcome]int{}
	for _, v := range verdicts {
		counts[v.Outcome]++
	}
	var texts []string
	for _, v := range verdicts {
		if counts[v.Outcome] > 0 {
			texts = append(texts, fmt.Sprintf("%d %s", counts[v.Outcome], v.Outcome))
		}
		delete(counts, v.Outcome)
	}
	return cmp.Or(strings.Join(texts, ", "), "-")
}

type overviewData struct {
	Figures   []figureData `json:"figures"`
	HoursLeft float64      `json:"hours_left"` // approximate, of all figures together
}

// figureData is one figure of the overview as JSON.
type figureData struct {
	planData
	Title    string              `json:"title"`
	Again    int                 `json:"again,omitempty"` // its number in the paper's appendix
	Verdicts paper.Verdicts      `json:"verdicts"`
	Checks   []paper.CheckResult `json:"checks,omitempty"`
}

func newOverviewData(all []paper.Plan, left time.Duration) overviewData {
	data := overviewData{HoursLeft: left.Hours()}
	for _, s := range all {
		data.Figures = append(data.Figures, figureData{newPlanData(s), s.Figure.Title,
			s.Figure.Again, s.Verdicts, s.Checks})
	}
	return data
}

func galleryCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "gallery FOLDER",
		Short: "Write the pages of a folder of results: answers, pictures, effects and costs",
		Long: "Write FOLDER/README.md and a page of each result from what " +
			"`nbbnn figure NUMBER --cards --out FOLDER/NAME` wrote, with a\n" +
			"remarks.md by hand if there is something to say, FOLDER/claims.json with all " +
			"claims, and FOLDER/report.html, a report to print.\n" +
			"Nothing is computed. FOLDER/../../CITATION.cff, if there, tells the report's authors.",
		Example: "  nbbnn figure gallery docs/results",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkReplaced(ours, "figure gallery", args[0], "README.md", "all.md",
				"claims.json", "details.md", "forest.png", "report.html"); err != nil {
				return err
			}
			paths, err := paper.Gallery(args[0])
			if !isThere(args[0]) {
				return commandline.Usage(err)
			} else if err != nil {
				return err
			}
			return a.printPaths("wrote", paths...)
		},
	}
}

func tableCommand(a *app) *cobra.Command {
	var name string
	command := &cobra.Command{
		Use:   "table NUMBER",
		Short: "Print a table of the paper: 1, the layers of All-CNN-C, or 2, run times",
		Long: `Print a table of the paper. Table 1 has the layers of All-CNN-C, from the network
itself. Table 2 has the time of a training of each network and method: the mean of the trained
runs of Figures 10, 11 and 13, or an estimate for this machine, next to the paper's seconds.`,
		Example: "  nbbnn figure table 1\n  nbbnn figure table 2 --scale paper",
		RunE: func(c *cobra.Command, args []string) error {
			number, err := strconv.Atoi(args[0])
			if err != nil {
				return commandline.Usagef("nbbnn figure table: %q isn't the number of "+
					"a table: give 1 or 2", args[0])
			}
			if err := check.Known("scale", paper.Scale(name), paper.Scales...); err != nil {
				return commandline.Usage(err)
			}
			table, err := paper.PaperTable(c.Context(), number, paper.Scale(name),
				paper.Options{Runs: a.runs})
			if err != nil {
				return commandline.Usage(err)
			}
			if a.json {
				return a.printJSON(table)
			}
			return a.printTable(table)
		},
	}
	command.Flags().StringVar(&name, "scale", string(paper.Desk), "scale of table 2: "+scaleNames())
	return command
}
