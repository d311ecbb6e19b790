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

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
)

// crossMeasurement searches the implicit corruptions of each run and tests the run on those of all
// methods.
type crossMeasurement struct{ implicitMeasurement }

// crossKey holds all that a cross-test depends on.
type crossKey struct {
	Weights  string            `json:"weights_sha256"` // nbbnn.Card.StateSHA256
	Others   map[string]string `json:"others"`         // by method, the name of the run of the same seed
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
		Weights: card.StateSHA256, Others: map[string]string{}, Settings: settings,
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
	var kept keptCross
	sound := readKept(run, path, &kept) && kept.Weights == key.Weights
	return kept.Test, path, sound && kept.Test.complete(m.temperature(s, run)), nil
}

// complete reports whether a test has all that can be measured. Tests of an earlier version lack
// the error.
func (t CrossTest) complete(temperature float64) bool {
	return t.Error != nil && (t.ScaledNLL != nil || temperature == 0)
}

// temperature returns the temperature of one of the run's tests under corruption; 0 if it has none.
// The test has as many samples, and all images of the cross-test, so that none of them is among
// those that the temperature was fitted to.
func (crossMeasurement) temperature(s Setup, run *nbbnn.Run) float64 {
	card, err := run.Card()
	if err != nil {
		return 0
	}
	settings := s.filledImplicit()
	for _, e := range card.Evaluations() {
		plain := e.Part == nbbnn.TestPart && e.Latents == "" && e.Epoch == 0 && e.Samples == s.Evaluation.Samples
		if plain && e.Temperature > 0 && (e.Images == 0 || e.Images >= settings.First+settings.Images) {
			return e.Temperature
		}
	}
	return 0
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
		if test, err = m.crossTest(ctx, r, *tested, m.temperature(r.Setup, tested.Run.Run), progress); err != nil {
			return err
		}
		_, key, err := m.file(r.Setup, tested.Run.Run)
		if err != nil {
			return err
		}
		if err := writeKept(tested.Run.Run, path, keptCross{key, test}); err != nil {
			return err
		}
	}
	tested.Cross = test
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
