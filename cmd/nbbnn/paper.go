package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/paper"
	"github.com/nbbnn/workbench/viz"
)

func paperCommand(a *app) *cobra.Command {
	var name string
	command := &cobra.Command{
		Use:   "paper",
		Short: "List the paper's figures: runs that are there, verdicts, and hours that are left",
		Long: "List the paper's figures at one scale: how many of their runs are trained and evaluated, the verdicts of the\n" +
			"complete seeds, and about how long the rest takes on this machine. Nothing is trained.",
		Example: "  nbbnn paper\n  nbbnn paper --scale paper",
		Args:    commandline.Arguments(),
		RunE: func(c *cobra.Command, _ []string) error {
			scale, err := paper.ParseScale(name)
			if err != nil {
				return commandline.Usage(err)
			}
			return overview(c.Context(), a, scale)
		},
	}
	command.Flags().StringVar(&name, "scale", string(paper.Desk), "how much is done of each figure: "+scaleNames())
	return command
}

// overview prints the state of all figures.
func overview(ctx context.Context, a *app, scale paper.Scale) error {
	all, err := paper.Overview(ctx, scale, paper.Options{Runs: a.runs})
	if err != nil {
		return err
	}
	speed, err := paper.MeasureSpeed(ctx, paper.Figure03.Runs(paper.Desk).Config)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(newOverviewData(all, speed))
	}
	return printOverview(a, all, speed)
}

// printOverview prints a table with a row for each figure, then the verdicts that there are.
func printOverview(a *app, all []paper.Status, speed paper.Speed) error {
	table := viz.Table{Header: []string{"figure", "title", "network and data", "runs", "verdicts", "left"}, Labels: 3}
	for _, s := range all {
		left := "-"
		if s.Plan.Missing() {
			left = quantity.Span(speed.Duration(s.Plan.Operations()))
		}
		table.Rows = append(table.Rows, []string{
			fmt.Sprint(s.Figure.Number), s.Figure.Title, s.Plan.Subject,
			fmt.Sprintf("%d/%d", s.Plan.Measured(), len(s.Plan.Runs)), verdictCounts(s.Verdicts), left,
		})
	}
	text, err := table.Text()
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, text)
	if all[0].Plan.Scale == paper.Smoke {
		fmt.Fprintln(a.out, "note     the smoke scale trains a narrow All-CNN-C on Shapes10, whatever network and data a title names;\n"+
			"         it judges no claim, and figures 16 to 19 are the same runs there")
	}
	for _, s := range all {
		if len(s.Verdicts)+len(s.Checks) == 0 {
			continue
		}
		fmt.Fprintf(a.out, "figure   %d, %s\n", s.Figure.Number, s.Figure.Title)
		printVerdicts(a, s.Verdicts, s.Checks)
	}
	fmt.Fprintf(a.out, "left     about %s in all; `nbbnn figure NUMBER --scale %s --hours H` works on a figure\n",
		quantity.Span(speed.Duration(paper.Missing(all))), all[0].Plan.Scale)
	return nil
}

// printVerdicts prints the claims and the checks of a figure.
func printVerdicts(a *app, verdicts paper.Verdicts, checks []paper.CheckResult) {
	for _, line := range verdicts.Lines(paintOutcome(a)) {
		fmt.Fprintln(a.out, line)
	}
	for _, check := range checks {
		fmt.Fprintln(a.out, check)
	}
}

// verdictCounts is such as "2 hold, 1 undecided"; "-" if there are none.
func verdictCounts(verdicts paper.Verdicts) string {
	var outcomes []string
	counts := map[string]int{}
	for _, v := range verdicts {
		outcome := string(v.Outcome)
		if counts[outcome] == 0 {
			outcomes = append(outcomes, outcome)
		}
		counts[outcome]++
	}
	if len(outcomes) == 0 {
		return "-"
	}
	for i, outcome := range outcomes {
		outcomes[i] = fmt.Sprintf("%d %s", counts[outcome], outcome)
	}
	return strings.Join(outcomes, ", ")
}

// overviewData is the overview as JSON.
type overviewData struct {
	Figures   []figureData `json:"figures"`
	HoursLeft float64      `json:"hours_left"` // of all figures together, about
}

// figureData is one figure of the overview as JSON.
type figureData struct {
	planData
	Title    string              `json:"title"`
	Verdicts paper.Verdicts      `json:"verdicts"`
	Checks   []paper.CheckResult `json:"checks,omitempty"`
}

func newOverviewData(all []paper.Status, speed paper.Speed) overviewData {
	data := overviewData{HoursLeft: speed.Duration(paper.Missing(all)).Hours()}
	for _, s := range all {
		data.Figures = append(data.Figures, figureData{newPlanData(s.Plan, speed), s.Figure.Title, s.Verdicts, s.Checks})
	}
	return data
}
