package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// setting is one thing in which an experiment may differ from the paper's.
type setting struct {
	name string
	of   func(experiment) string
}

// experiment is what a figure's runs share.
type experiment struct {
	config nbbnn.Config // filled
	test   nbbnn.Evaluation
	seeds  int
}

// settings are compared with the paper's.
var comparedSettings = []setting{
	{"network", func(e experiment) string { return titleOf(e.config.Network.Name) }},
	{"channels of the first layers", func(e experiment) string { return fmt.Sprint(e.config.Network.Width) }},
	{"initial values", func(e experiment) string { return formText[string(e.config.Network.Form)] }},
	{"data", func(e experiment) string { return titleOf(e.config.Data.Name) }},
	{"training images", func(e experiment) string { return quantity.Thousands(float64(dataSize(e.config).Train)) }},
	{"crops and mirrors", func(e experiment) string { return yes(!e.config.Training.NoAugmentation) }},
	{"epochs", func(e experiment) string { return fmt.Sprint(e.config.Training.Epochs) }},
	{"images a batch", func(e experiment) string { return fmt.Sprint(e.config.Training.Batch) }},
	{"steps", func(e experiment) string { return quantity.Thousands(float64(steps(e.config))) }},
	{"samples an image in training", func(e experiment) string { return fmt.Sprint(e.config.Training.Samples) }},
	{"learning rate of the weights", func(e experiment) string { return fmt.Sprint(e.config.Training.LearningRate) }},
	{"learning rate of the posterior", func(e experiment) string { return fmt.Sprint(e.config.Training.PosteriorLearningRate) }},
	{"epochs in which beta rises", func(e experiment) string { return fmt.Sprint(e.config.Training.BetaEpochs) }},
	{"seeds", func(e experiment) string { return fmt.Sprint(e.seeds) }},
	{"corruptions in the test", corruptionCount},
	{"test images a cell", testImageCount},
	{"samples an image in the test", func(e experiment) string { return fmt.Sprint(e.test.Samples) }},
}

// formText says how a network's initial values differ from the published ones.
var formText = map[string]string{"": "published", "published": "published", "narrow": "He-normal, no ReLU on the logits"}

func yes(answer bool) string {
	if answer {
		return "yes"
	}
	return "no"
}

func corruptionCount(e experiment) string {
	suite, err := corrupt.SuiteByName(e.test.Suite)
	if err != nil {
		return "-"
	}
	return fmt.Sprint(len(suite.Corruptions))
}

func testImageCount(e experiment) string {
	if e.test.Images > 0 {
		return quantity.Thousands(float64(e.test.Images))
	}
	return quantity.Thousands(float64(dataSize(e.config).Test))
}

// experimentOf returns what a figure's runs share at a scale.
func experimentOf(f Figure, scale Scale) experiment {
	setup := f.Runs(scale)
	config := setup.config(setup.Methods[0], setup.Seeds[0]).WithDefaults()
	return experiment{config, setup.Evaluation, len(setup.Seeds)}
}

// settingsTable is the table of what differs from the paper, "" if nothing does. The experiment is that
// of the first card.
func settingsTable(c committed) string {
	published := experimentOf(c.figure, Paper)
	ours := experimentOf(c.figure, c.result.Scale)
	if len(c.cards) > 0 {
		ours.config = c.cards[0].Config
	}
	ours.seeds = len(c.result.Seeds)
	rows := [][]string{{"", "here", "in the paper"}}
	for _, s := range comparedSettings {
		if a, b := s.of(ours), s.of(published); a != b {
			rows = append(rows, []string{s.name, a, b})
		}
	}
	if len(rows) == 1 {
		return ""
	}
	return markdownTable(rows)
}

// notRun lists the figures that have no result at the desk scale, with the hours that their runs
// take at the speed of the fastest training among the results.
func notRun(folder string, results []committed) (string, error) {
	speed, source := fastest(results)
	trained := trainedRuns(results)
	rows := [][]string{{"figure", "the paper's finding", "command", "runs", "hours, about"}}
	var known []int
	for _, figure := range All() {
		known = append(known, figure.Number)
		if slices.ContainsFunc(results, func(c committed) bool {
			return c.result != nil && c.result.Figure == figure.Number && c.result.Scale.judges()
		}) {
			continue
		}
		plan, err := figure.Plan(Desk, Options{Runs: folder})
		if err != nil {
			return "", err
		}
		rows = append(rows, []string{
			fmt.Sprint(figure.Number), figure.Title, fmt.Sprintf("`nbbnn figure %d --scale desk`", figure.Number),
			fmt.Sprint(len(plan.Runs)), hoursLeft(plan, trained, speed),
		})
	}
	text := "Hours are those of the missing runs"
	if source != "" {
		text += ", at the speed of the fastest training above (" + source + ")"
	}
	text += ". Runs that figures share are counted in each of them."
	if missing := missingFigures(known); missing != "" {
		text += " Not written yet, of the paper's figures: " + missing + "."
	}
	return joinParts([]string{markdownTable(rows), paragraph(text)}), nil
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

// missingFigures lists the numbers of the paper's figures that have no code, such as "1, 2 and 10 to
// 15".
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

// markdownTable writes rows, the first of which is the header.
func markdownTable(rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	var text strings.Builder
	for i, row := range rows {
		cells := slices.Clone(row)
		for len(cells) < len(rows[0]) {
			cells = append(cells, "")
		}
		text.WriteString("| " + strings.Join(cells, " | ") + " |\n")
		if i == 0 {
			text.WriteString("|" + strings.Repeat("--|", len(cells)) + "\n")
		}
	}
	return text.String()
}
