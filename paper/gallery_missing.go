package paper

import (
	"fmt"
	"slices"
)

// notRun lists the figures that have no result at the desk scale, or one without all runs, with the
// hours that the missing ones take at the speed of the fastest training among the results.
func notRun(folder string, results []committed) (string, error) {
	speed, source := fastest(results)
	trained := trainedRuns(results)
	rows := [][]string{{"figure", "the paper's finding", "command", "runs", "hours, about"}}
	var known []int
	for _, figure := range All() {
		known = append(known, figure.Number)
		if slices.ContainsFunc(results, func(c committed) bool {
			return c.result != nil && c.result.Figure == figure.Number && c.result.Scale.judges() && len(c.result.LeftOut) == 0
		}) {
			continue
		}
		row, err := notRunRow(folder, figure, trained, speed)
		if err != nil {
			return "", err
		}
		rows = append(rows, row)
	}
	text := "Hours are those of the missing runs"
	if source != "" {
		text += ", at the speed of the fastest training above (" + source + ")"
	}
	text += ". Runs that figures share are counted in each of them. Which of the figures 8 and 9, 16 to 19, and 20 to 24 has which" +
		" data is assumed: the paper's numbers of them aren't known to us."
	if missing := missingFigures(known); missing != "" {
		text += " Not written yet, of the paper's figures: " + missing + "."
	}
	return joinParts([]string{markdownTable(rows), paragraph(text)}), nil
}

// notRunRow is the row of a figure without runs, or without all of them.
func notRunRow(folder string, figure Figure, trained []string, speed Speed) ([]string, error) {
	plan, err := figure.Plan(Desk, Options{Runs: folder})
	if err != nil {
		return nil, err
	}
	command, missing := fmt.Sprintf("`nbbnn figure %d --scale desk`", figure.Number), 0
	for _, run := range plan.Runs {
		if !slices.Contains(trained, run.Directory) {
			missing++
		}
	}
	runs := fmt.Sprint(missing)
	if missing < len(plan.Runs) {
		runs += fmt.Sprintf(" of %d", len(plan.Runs))
	}
	return []string{fmt.Sprint(figure.Number), figure.Title, command, runs, hoursLeft(plan, trained, speed)}, nil
}

// hoursLeft is how long the runs of a plan take that aren't among the trained ones.
func hoursLeft(plan Plan, trained []string, speed Speed) string {
	var operations float64
	for _, run := range plan.Runs {
		if !slices.Contains(trained, run.Directory) {
			operations += run.Training
		}
		operations += run.Measuring
	}
	if speed.Operations == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", speed.Duration(operations).Hours())
}

// trainedRuns are the names of the runs whose cards are there.
func trainedRuns(results []committed) (names []string) {
	for _, c := range results {
		for _, card := range c.cards {
			names = append(names, card.Run)
		}
	}
	return names
}

// fastest is the largest speed of a training among the results that judge, and where it was
// measured.
func fastest(results []committed) (speed Speed, source string) {
	for _, c := range results {
		if c.result == nil || !c.result.Scale.judges() {
			continue
		}
		for _, card := range c.cards {
			if operations := trainingOperations(card.Config) / card.WallSeconds; operations > speed.Operations {
				speed.Operations, source = operations, fmt.Sprintf("%s/%s", c.name, card.file)
			}
		}
	}
	return speed, source
}

// sameFigure are figures of the paper's appendix that belong to one of its text (METHOD.md section
// 6).
var sameFigure = map[int]int{12: 2, 14: 10, 15: 11}

// missingFigures lists the numbers of the paper's figures that have no code, such as "1, 2 and 10
// to 15".
func missingFigures(known []int) string {
	const last = 24
	known = slices.Clone(known)
	for appendix, text := range sameFigure {
		if slices.Contains(known, text) {
			known = append(known, appendix)
		}
	}
	var ranges []string
	for number := 1; number <= last; number++ {
		if slices.Contains(known, number) {
			continue
		}
		end := number
		for end < last && !slices.Contains(known, end+1) {
			end++
		}
		switch end {
		case number:
			ranges = append(ranges, fmt.Sprint(number))
		case number + 1:
			ranges = append(ranges, fmt.Sprint(number), fmt.Sprint(end))
		default:
			ranges = append(ranges, fmt.Sprintf("%d to %d", number, end))
		}
		number = end
	}
	return join(ranges)
}
