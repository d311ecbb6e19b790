package command

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/fields"
	"github.com/nbbnn/workbench/nbbnn"
)

// evaluationHelp has the help text of each evaluation flag. --suite has a text for each command.
var evaluationHelp = map[string]string{
	"samples": "Monte-Carlo samples for each image, a multiple of the posterior's " +
		"components",
	"images":          "number of test images; if left out, all",
	"evaluation-seed": "seed of the corruptions and of the samples",
	"first":           "place of the first test image, from 0",
	"part": `images: "" for the test images with their corruptions, or clean, validation, ` +
		"clean_labels or noisy_labels, as they are",
	"latents": `fix the latents at ones or at their mean; "" draws them`,
	"epoch":   `epoch whose checkpoint "nbbnn train --keep-every" kept; if left out, the last`,
	"latent-scale": "factor of the trained standard deviations of the latents; 0 predicts with " +
		"the means of the components",
	"batch-statistics": "images of a batch, all of one corruption, whose own statistics batch " +
		"normalisation uses; 0 means the training's",
	"corrupted": `ready-made corrupted images: a name of "nbbnn data list" (cifar10-c) or a ` +
		"folder; none generates them",
	"test": "data set with the classes of the run's own, as cifar10.1 for cifar10, to test " +
		"on its test images instead of the run's",
	"textures": `textures of frost: "frost" for those that "nbbnn data get frost" fetches, or ` +
		"their folder; none takes textures of our own",
}

// evaluationFlag names the flag of a field.
func evaluationFlag(f fields.Field) string {
	if f.Path() == "seed" {
		return "evaluation-seed" // train has a seed, too
	}
	return strings.ReplaceAll(f.Path(), "_", "-")
}

// addEvaluationFlags adds a flag for each field but the suite; the field's value is the default.
func addEvaluationFlags(f *pflag.FlagSet, e *nbbnn.Evaluation) {
	for _, field := range fields.Of(reflect.TypeFor[nbbnn.Evaluation]()) {
		if name := evaluationFlag(field); name != "suite" {
			addFlag(f, field.In(e).Addr(), name, evaluationHelp[name])
		}
	}
}

// evaluationFlags returns the flags that name a filled evaluation.
func evaluationFlags(e nbbnn.Evaluation) (words []string) {
	e.Corrupted = readyMade(e.Corrupted)
	if e.Part != nbbnn.TestPart {
		e.Suite, e.Textures = "", ""
	}
	for _, field := range fields.Of(reflect.TypeFor[nbbnn.Evaluation]()) {
		if !field.In(e).IsZero() {
			words = append(words, "--"+evaluationFlag(field)+" "+quote(field.Text(e)))
		}
	}
	return words
}

// latentScale is a flag's value.
type latentScale nbbnn.LatentScale

// Type names the value in the help text.
func (s *latentScale) Type() string { return "float64" }

// String returns the text that Set reads.
func (s *latentScale) String() string { return nbbnn.LatentScale(*s).String() }

// Set reads a factor.
func (s *latentScale) Set(text string) error {
	factor, err := strconv.ParseFloat(text, 64)
	*s = latentScale(nbbnn.ScaleLatents(factor))
	return err
}
