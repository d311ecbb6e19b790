package paper

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// CrossTest is the negative log-likelihood of one network on images with implicit corruptions, those of
// its own and those of the other methods' networks of the same seed.
type CrossTest struct {
	Clean float64              `json:"clean"` // on the images without corruption
	By    map[string][]float64 `json:"by"`    // by the method whose corruptions they are, one value for each lambda
}

// crossMeasurement searches the implicit corruptions of each run and tests the run on those of all
// methods.
type crossMeasurement struct{ implicitMeasurement }

// crossKey is what a cross-test depends on.
type crossKey struct {
	Weights  string            `json:"weights_sha256"`
	Others   map[string]string `json:"others"` // by method, the name of the run of the same seed
	Settings implicit.Settings `json:"settings"`
	First    int               `json:"first"` // test image
	Images   int               `json:"images"`
	Samples  int               `json:"samples"`
}

// keptCross is the content of the file of a cross-test.
type keptCross struct {
	crossKey
	Test CrossTest `json:"test"`
}

// file returns the key of a run's cross-test and the path where it is kept.
func (crossMeasurement) file(s Setup, run *nbbnn.Run) (path string, key crossKey, err error) {
	card, err := run.Card()
	if err != nil {
		return "", key, err
	}
	settings := s.filledImplicit()
	key = crossKey{
		Weights: card.WeightsSHA256, Others: map[string]string{}, Settings: settings,
		First: settings.First, Images: settings.Images, Samples: s.Evaluation.Samples,
	}
	for _, method := range s.Methods {
		key.Others[method.Name] = s.config(method, run.Config().Seed).WithDefaults().RunName()
	}
	data, err := json.Marshal(key)
	if err != nil {
		return "", key, fmt.Errorf("paper: %w", err)
	}
	return filepath.Join(run.Directory(), "cross", digest(data)+".json"), key, nil
}

// read returns the kept cross-test of a run.
func (m crossMeasurement) read(s Setup, run *nbbnn.Run) (test CrossTest, path string, found bool, err error) {
	path, key, err := m.file(s, run)
	if err != nil {
		return test, path, false, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return test, path, false, nil
	}
	var kept keptCross
	err = json.Unmarshal(data, &kept)
	return kept.Test, path, err == nil && kept.Weights == key.Weights, nil
}

func (m crossMeasurement) done(s Setup, run *nbbnn.Run) bool {
	_, _, found, err := m.read(s, run)
	return err == nil && found && m.implicitMeasurement.done(s, run)
}

func (m crossMeasurement) operations(s Setup, config nbbnn.Config) float64 {
	settings := s.Implicit.WithDefaults(config.Posterior.Components)
	tested := nbbnn.Evaluation{Images: settings.Images, Samples: s.Evaluation.Samples}
	cells := 1 + len(s.Methods)*settings.Draws*len(settings.Lambda)
	return m.implicitMeasurement.operations(s, config) + testOperations(config, tested, cells)
}

func (m crossMeasurement) measure(ctx context.Context, r *Result, run int, progress nbbnn.Progress) error {
	if err := m.implicitMeasurement.measure(ctx, r, run, progress); err != nil {
		return err
	}
	tested := &r.Runs[run]
	test, path, found, err := m.read(r.Setup, tested.Run.Run)
	if err != nil {
		return err
	}
	if !found {
		if test, err = m.crossTest(ctx, r, *tested, progress); err != nil {
			return err
		}
		_, key, err := m.file(r.Setup, tested.Run.Run)
		if err != nil {
			return err
		}
		if err := writeJSON(path, keptCross{key, test}); err != nil {
			return err
		}
	}
	tested.Cross = test
	return nil
}

// crossTest predicts the clean images and all of their corruptions.
func (crossMeasurement) crossTest(ctx context.Context, r *Result, tested RunResult, progress nbbnn.Progress) (CrossTest, error) {
	settings := r.Setup.filledImplicit()
	data, err := r.Setup.testImages(ctx, settings.First+settings.Images)
	if err != nil {
		return CrossTest{}, err
	}
	images := data.Test.Slice(settings.First, settings.First+settings.Images)
	t := crossTester{run: tested, samples: r.Setup.Evaluation.Samples, images: images}
	test := CrossTest{By: map[string][]float64{}}
	if test.Clean, err = t.clean(ctx); err != nil {
		return test, err
	}
	for _, other := range r.Runs {
		if other.Seed != tested.Seed {
			continue
		}
		corruptions, err := other.ImplicitCorruptions(ctx, r.Setup.Implicit, progress)
		if err != nil {
			return test, err
		}
		for _, lambda := range settings.Lambda {
			nll, err := t.corrupted(ctx, corruptions, lambda)
			if err != nil {
				return test, err
			}
			test.By[other.Method] = append(test.By[other.Method], nll)
		}
	}
	return test, nil
}

// crossTester tests one run on implicit corruptions of some images.
type crossTester struct {
	run     RunResult
	samples int
	images  dataset.Images
}

func (t crossTester) clean(ctx context.Context) (float64, error) {
	prediction, err := t.run.PredictImages(ctx, t.images, t.samples)
	if err != nil {
		return 0, err
	}
	return nllOf(prediction, t.images.Labels)
}

// corrupted returns the mean negative log-likelihood on the corruptions of one lambda, draw by draw.
// Each draw has one corruption of each image.
func (t crossTester) corrupted(ctx context.Context, corruptions []implicit.Corruption, lambda float64) (mean float64, err error) {
	byDraw := map[int][]float32{}
	for _, c := range corruptions { // by image, then by draw
		if c.Lambda == lambda {
			byDraw[c.Draw] = append(byDraw[c.Draw], c.Corrupted()...)
		}
	}
	for draw := range len(byDraw) {
		prediction, err := t.run.PredictValues(ctx, byDraw[draw], t.images.Height, t.images.Width, t.samples)
		if err != nil {
			return 0, err
		}
		nll, err := nllOf(prediction, t.images.Labels)
		if err != nil {
			return 0, err
		}
		mean += nll / float64(len(byDraw))
	}
	return mean, nil
}

// nllOf returns the negative log-likelihood of the mean predictive.
func nllOf(prediction score.Prediction, labels []uint8) (float64, error) {
	cell, err := prediction.Cell(score.Condition{Corruption: score.Clean}, labels)
	return cell.NLL, err
}

// curve is one line of the cross-test: a network on the corruptions of a method, or on clean images if
// that is "".
type crossCurve struct{ method, by string }

func (c crossCurve) name() string {
	switch c.by {
	case "":
		return c.method + ", clean"
	case c.method:
		return c.method + ", own"
	}
	return c.method + " on " + c.by + "'s"
}

// crossCurves lists the lines: each method on clean images and on its own corruptions, then on the
// others'.
func (r *Result) crossCurves() (own, foreign []crossCurve) {
	methods := r.methodNames()
	for _, method := range methods {
		own = append(own, crossCurve{method, ""}, crossCurve{method, method})
		for _, by := range methods {
			if by != method {
				foreign = append(foreign, crossCurve{method, by})
			}
		}
	}
	return own, foreign
}

// cross returns the values of a line, [seeds][lambdas].
func (r *Result) cross(c crossCurve) [][]float64 {
	lambdas := len(r.Setup.filledImplicit().Lambda)
	return r.series(c.method, func(run RunResult) []float64 {
		if c.by != "" {
			return run.Cross.By[c.by]
		}
		clean := make([]float64, lambdas)
		for i := range clean {
			clean[i] = run.Cross.Clean
		}
		return clean
	})
}

// table has a row for each line and a column for each lambda, with the paper's numbers below ours.
func (crossMeasurement) table(r *Result) (viz.Table, error) {
	lambdas := r.Setup.filledImplicit().Lambda
	table := viz.Table{Header: []string{"NLL", "λ"}, Labels: 2}
	for _, lambda := range lambdas {
		table.Header = append(table.Header, fmt.Sprint(lambda))
	}
	own, foreign := r.crossCurves()
	for _, c := range append(own, foreign...) {
		row := []string{c.name(), "ours"}
		for _, s := range summarise(r.cross(c)) {
			row = append(row, viz.MeanStd(s.Mean, s.Std, s.N, 3))
		}
		table.Rows = append(table.Rows, row)
		if published := r.publishedCross(c); published != nil {
			row := []string{c.name(), "paper"}
			for _, nll := range published {
				row = append(row, strconv.FormatFloat(nll, 'f', 3, 64))
			}
			table.Rows = append(table.Rows, row)
		}
	}
	return table, nil
}

// report replaces the table of the CSV file by the lines of the cross-test.
func (m crossMeasurement) report(r *Result, data *Report) error {
	if err := m.implicitMeasurement.report(r, data); err != nil {
		return err
	}
	data.table = [][]string{{"line", "lambda", "mean", "std", "seeds"}}
	own, foreign := r.crossCurves()
	for _, c := range append(own, foreign...) {
		for i, s := range summarise(r.cross(c)) {
			lambda := strconv.FormatFloat(r.Setup.filledImplicit().Lambda[i], 'g', -1, 64)
			data.table = append(data.table, []string{c.name(), lambda, decimal(s.Mean), decimal(s.Std), strconv.Itoa(s.N)})
		}
	}
	return nil
}

// writeJSON writes a value to a file, creating its folder.
func writeJSON(path string, value any) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = files.Write(path, func(w io.Writer) error { return json.NewEncoder(w).Encode(value) })
	}
	if err != nil {
		return fmt.Errorf("paper: %s can't be written: %w: make the directory writable", path, err)
	}
	return nil
}

// digest returns a short hash of data.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}
