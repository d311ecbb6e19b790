package nbbnn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/cellstore"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Evaluation selects what a trained run is tested on.
type Evaluation struct {
	// of corruptions, as corrupt.SuiteByName takes it: a name or a list ("fog,snow"); "" means
	// "first8"
	Suite string `json:"suite"`
	// Monte-Carlo samples for each image, shared equally by the components; 0 means 32
	Samples int `json:"samples" range:"[1,1048576]"`
	// test images, this many from First on; 0 means all
	Images int    `json:"images" range:"[1,1e9]"`
	Seed   uint64 `json:"seed"` // of the corruptions and of the latents

	// index of the first tested image, from 0
	First int `json:"first,omitempty" range:"[1,1e9]"`

	// of the images; "" means the test images; all others are tested uncorrupted
	Part Part `json:"part,omitempty"`
	// a fixed value of all latents, with a single sample; "" means draws of the posterior
	Latents network.Latents `json:"latents,omitempty"`
	// whose kept checkpoint is tested, one of Run.KeptEpochs; 0 means the end of the training
	Epoch int `json:"epoch,omitempty" range:"[1,16777216]"`

	// LatentScale multiplies the trained standard deviations of the latents: entropy as a knob
	// after training. ScaleLatents makes one.
	LatentScale LatentScale `json:"latent_scale,omitzero"`

	// BatchStatistics is the number of images of a batch by whose own statistics batch
	// normalisation works, all of one corruption at one severity (Nado et al. 2020); 0 means the
	// running statistics of the training.
	BatchStatistics int `json:"batch_statistics,omitempty" range:"[2,1e9]"`

	// Corrupted names ready-made corrupted images: a source of package dataset, for example
	// "cifar10-c", or a folder in the layout of CIFAR-10-C or of Tiny-ImageNet-C; "" means that
	// they are generated.
	Corrupted string `json:"corrupted,omitempty"`

	// Test names another data set whose test images are tested, under the same corruptions: one
	// with the classes of the run's own, or some of them, and images of their size; "" means the
	// run's own.
	Test string `json:"test,omitempty"`

	// Textures of the corruption frost: "frost" for the reference's, where `nbbnn data get frost`
	// has put them, or a folder with them; "" means our own.
	Textures string `json:"textures,omitempty"`
}

// label returns the name under which an evaluation's cells are kept: the suite, with the
// fingerprint of its registered corruptions, the name of ready-made images and the textures of the
// reference; or the part if that isn't the test set; then the first image, another data set, the
// latents, the epoch of a kept checkpoint, the scale of the latents and the images of batch
// statistics.
func (e Evaluation) label() string {
	label := e.Suite
	if suite, err := corrupt.SuiteByName(e.Suite); err == nil && e.Corrupted == "" &&
		suite.Fingerprint() != "" {
		label += "#" + suite.Fingerprint()
	}
	if e.Corrupted != "" {
		label += "@" + e.Corrupted
	}
	if e.Textures != "" {
		label += "+" + frost
	}
	if e.Part != TestPart {
		label = string(e.Part)
	}
	if e.First != 0 {
		label += fmt.Sprintf("/from%d", e.First)
	}
	if e.Test != "" {
		label += "/test@" + e.Test
	}
	if e.Latents != "" {
		label += "/" + string(e.Latents)
	}
	if e.Epoch != 0 {
		label += fmt.Sprintf("/epoch%d", e.Epoch)
	}
	if e.LatentScale != (LatentScale{}) {
		label += "/scale" + e.LatentScale.String()
	}
	if e.BatchStatistics != 0 {
		label += fmt.Sprintf("/batch%d", e.BatchStatistics)
	}
	return label
}

// labelPattern splits a label into suite, variant, first image and the variant's rest.
var labelPattern = regexp.MustCompile(`^([^#@+/]*)([^/]*)(?:/from(\d+))?(.*)$`)

// splitLabel returns a label's suite, its variant or "plain", and the index of the first image.
func splitLabel(label string) []string {
	parts := labelPattern.FindStringSubmatch(label)
	return []string{parts[1], cmp.Or(strings.TrimPrefix(parts[2]+parts[4], "/"), "plain"),
		cmp.Or(parts[3], "0")}
}

// IsPlain reports whether the weights at the end predict the run's own images as they were trained.
func (e Evaluation) IsPlain() bool {
	return e.Test == "" && e.Latents == "" && e.Epoch == 0 && e.LatentScale == LatentScale{} &&
		e.BatchStatistics == 0
}

// notes names the corruptions of the suite that differ from the reference's, for example frost with
// textures of our own.
func (e Evaluation) notes() (notes []string) {
	suite, err := corrupt.SuiteByName(e.Suite)
	if err != nil || e.Corrupted != "" {
		return nil
	}
	for _, name := range suite.Corruptions {
		if label := (corrupt.Config{Corruption: name,
			Textures: e.Textures}).Label(); label != name {
			notes = append(notes, fmt.Sprintf("the corruption %s is %s", name, label))
		}
		if fingerprint, err := corrupt.Fingerprint(name); err == nil && fingerprint != "" {
			notes = append(notes, fmt.Sprintf("the corruption %s is registered with fingerprint %s",
				name, fingerprint))
		}
	}
	return notes
}

// Defaults of METHOD.md section 5.
const (
	defaultSuite             = "first8"
	defaultEvaluationSamples = 32
)

// WithDefaults returns the evaluation with every zero that means a default replaced by it.
func (e Evaluation) WithDefaults() Evaluation {
	e.Suite = cmp.Or(e.Suite, defaultSuite)
	e.Samples = cmp.Or(e.Samples, defaultEvaluationSamples)
	if e.Latents != "" {
		e.Samples = 1 // all would be the same
	}
	return e
}

// Validate checks a filled evaluation for a posterior with the given number of components.
func (e Evaluation) Validate(components int) error {
	if e.Suite == score.Clean {
		return errors.New(`nbbnn: "clean" is no suite of corruptions: test the part "clean" ` +
			"(Evaluation.Part is CleanPart, `nbbnn evaluate RUN --clean`)")
	}
	if _, err := corrupt.SuiteByName(e.Suite); err != nil {
		return err
	}
	if err := cmp.Or(
		check.Known("part", e.Part, TestPart, CleanPart, ValidationPart, CleanLabels, NoisyLabels),
		check.Known("latents", e.Latents, "", OneLatents, MeanLatents),
	); err != nil {
		return err
	}
	if e.Latents == "" {
		if err := check.Shared("samples", e.Samples, components); err != nil {
			return err
		}
	}
	if e.Corrupted != "" && e.Part != TestPart {
		return fmt.Errorf("nbbnn: corrupted images from %s go with the test images, not with "+
			"part %q: leave one of the two out", e.Corrupted, e.Part)
	}
	if e.Test != "" && (!e.Part.isTest() || e.Corrupted != "") {
		return fmt.Errorf("nbbnn: the test images of %s don't go with part %q or corrupted "+
			"images %q: leave those out", e.Test, e.Part, e.Corrupted)
	}
	if e.Images > 0 && e.BatchStatistics > e.Images {
		return fmt.Errorf("nbbnn: %d test images can't fill a batch of %d, whose statistics "+
			"normalise it: give a smaller batch or more images", e.Images, e.BatchStatistics)
	}
	return cmp.Or(e.LatentScale.check(e.Latents), check.Ranges(e))
}

// key identifies the evaluation among the ones that a directory has cells of.
func (e Evaluation) key() cellstore.Key {
	return cellstore.Key{Suite: e.label(), Samples: e.Samples, Subset: e.Images, Seed: e.Seed}
}

// corrupted generates the images of one cell, with the parameters that the reference has for their
// size.
func (e Evaluation) corrupted(ctx context.Context, images dataset.Images,
	s score.Condition) (dataset.Images, error) {
	if s.Severity == 0 {
		return images, nil
	}
	size := corrupt.Size{Height: images.Height, Width: images.Width}
	config := corrupt.Config{Corruption: s.Corruption, Severity: s.Severity, Seed: e.Seed,
		First: e.First, Table: corrupt.TableFor(size)}
	if s.Corruption == frost {
		var err error
		if config.Textures, err = sources.Textures(e.Textures); err != nil {
			return dataset.Images{}, err
		}
	}
	pixels, err := corrupt.Apply(ctx, config, size, images.Pixels)
	images.Pixels = pixels
	return images, err
}

// LatentScale multiplies the standard deviations of all latents in a prediction. Its zero value
// leaves them as they were trained.
type LatentScale struct {
	scaled bool
	factor float64
}

// maxLatentScale is far beyond any scale at which a network still predicts.
const maxLatentScale = 100

// ScaleLatents returns the scale of a factor c. A factor of 0 predicts only with the components'
// means, and 1 is the zero LatentScale.
func ScaleLatents(c float64) LatentScale {
	if c == 1 {
		return LatentScale{}
	}
	return LatentScale{true, c + 0} // -0 is 0
}

// value returns c.
func (s LatentScale) value() float64 {
	if !s.scaled {
		return 1
	}
	return s.factor
}

// String returns c as a text.
func (s LatentScale) String() string { return fmt.Sprint(s.value()) }

// check returns an error for a factor that isn't from 0 to 100, or of latents that are fixed.
func (s LatentScale) check(fixed network.Latents) error {
	c := s.value()
	if !(c >= 0 && c <= maxLatentScale) {
		return fmt.Errorf("nbbnn: the scale of the latents is %g: give a factor from 0 to %d of "+
			"their standard deviations", c, maxLatentScale)
	}
	if s.scaled && fixed != "" {
		return fmt.Errorf("nbbnn: latents fixed at %q have no standard deviation to scale by %g: "+
			"leave one of the two out", fixed, c)
	}
	return nil
}

// MarshalJSON writes c.
func (s LatentScale) MarshalJSON() ([]byte, error) { return json.Marshal(s.value()) }

// UnmarshalJSON reads c.
func (s *LatentScale) UnmarshalJSON(data []byte) error {
	var c float64
	if err := json.Unmarshal(data, &c); err != nil {
		return fmt.Errorf("nbbnn: a scale of the latents isn't a number: %w", err)
	}
	*s = ScaleLatents(c)
	return nil
}
