package paper

import (
	"fmt"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// setting is one thing in which an experiment may differ from the paper's.
type setting struct {
	name string
	of   func(experiment) string
}

// experiment holds the settings that a figure's runs share.
type experiment struct {
	config nbbnn.Config // filled
	test   nbbnn.Evaluation
	seeds  int
	search *exportedSearch // nil for a figure without implicit corruptions
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
	{"learning rate of the weights", func(e experiment) string { return fmt.Sprintf("%.6g", e.config.Training.LearningRate) }},
	{"learning rate of the posterior", func(e experiment) string { return fmt.Sprintf("%.6g", e.config.Training.PosteriorLearningRate) }},
	{"epochs in which beta rises", func(e experiment) string { return fmt.Sprint(e.config.Training.BetaEpochs) }},
	{"seeds", func(e experiment) string { return fmt.Sprint(e.seeds) }},
	{"corruptions in the test", corruptionCount},
	{"test images a cell", testImageCount},
	{"images with implicit corruptions", ofSearch(func(s exportedSearch) int { return s.Images })},
	{"draws of the noise for each", ofSearch(func(s exportedSearch) int { return s.Draws })},
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

// ofSearch returns a setting of the search for implicit corruptions, "" for a figure without.
func ofSearch(setting func(exportedSearch) int) func(experiment) string {
	return func(e experiment) string {
		if e.search == nil {
			return ""
		}
		return quantity.Thousands(float64(setting(*e.search)))
	}
}

// testImageCount is "" for a figure on implicit corruptions, which tests no cells.
func testImageCount(e experiment) string {
	if e.search != nil {
		return ""
	}
	if e.test.Images > 0 {
		return quantity.Thousands(float64(e.test.Images))
	}
	return quantity.Thousands(float64(dataSize(e.config).Test))
}

// experimentOf returns what a figure's runs share at a scale.
func experimentOf(f Figure, scale Scale) experiment {
	setup := f.Runs(scale)
	config := setup.config(setup.Methods[0], setup.Seeds[0]).WithDefaults()
	return experiment{config, setup.Evaluation, len(setup.Seeds), searchOf(setup)}
}

// settingsTable is the table of what differs from the paper, "" if nothing does. The experiment is
// that of the first card.
func settingsTable(c committed) string {
	published := experimentOf(c.figure, Paper)
	ours := experimentOf(c.figure, c.result.Scale)
	if len(c.cards) > 0 {
		ours.config = c.cards[0].Config
	}
	ours.seeds = len(c.result.Seeds)
	if c.result.Implicit != nil {
		ours.search = c.result.Implicit
	}
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
