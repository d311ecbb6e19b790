package score

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Saved holds the predictions of all images under one condition, as an .npz file keeps them: NumPy
// reads its arrays, and ReadSaved all of it. docs/using.md describes the file.
type Saved struct {
	SavedInfo
	Probabilities []float32 // [images, classes], the mean over the samples
	LogMeans      []float32 // [images, classes], its logarithm
	// [images, samples, classes], logarithms of each sample's probabilities; nil if not kept
	LogSamples []float32
	Labels     []uint8 // [images]
	Indices    []int   // [images], the place of each image in the data set
}

// SavedInfo identifies saved predictions: the member info.json of the file.
type SavedInfo struct {
	Version int `json:"version"` // of the format, 1
	// name of the run's directory, or of the ensemble's
	Run     string   `json:"run"`
	Weights []string `json:"weights_sha256"` // of each run that was averaged
	Data    string   `json:"data"`           // name of the data set
	// of its images: "test", "validation", "clean_labels" or "noisy_labels"
	Part       string          `json:"part"`
	Evaluation json.RawMessage `json:"evaluation"`
	Corruption string          `json:"corruption"` // Clean at severity 0
	// corrupt.Fingerprint of a registered corruption
	Fingerprint string `json:"fingerprint,omitempty"`
	Severity    int    `json:"severity"`
	Images      int    `json:"images"`
	Samples     int    `json:"samples"` // Monte-Carlo samples of each image
	Classes     int    `json:"classes"`
	// of the evaluation's scaled NLL; 0 if it has none
	Temperature float64 `json:"temperature,omitempty"`
	Odd         float64 `json:"temperature_odd,omitempty"` // Cell.OddTemperature
	// with the thresholds of the evaluation; nil if it has none
	Sets *ConformalSets `json:"aps,omitempty"`
}

const savedVersion = 1

// newSaved returns a prediction with its labels and the places of its images in the data set.
func newSaved(info SavedInfo, p Prediction, labels []uint8, indices []int, withSamples bool) (Saved,
	error) {
	if err := p.check(labels); err != nil {
		return Saved{}, err
	}
	info.Version, info.Images, info.Samples, info.Classes = savedVersion, p.Images, p.Samples,
		p.Classes
	s := Saved{SavedInfo: info, Labels: labels, Indices: indices}
	for i := range p.Images {
		for _, probability := range p.MeanProbabilities(i) {
			s.Probabilities = append(s.Probabilities, float32(probability))
		}
		for _, l := range p.logMean(i) {
			s.LogMeans = append(s.LogMeans, float32(l))
		}
	}
	if withSamples {
		s.LogSamples = p.LogProbabilities
	}
	return s, s.check()
}

// check compares the lengths with the shapes, and the labels with the classes.
func (s Saved) check() error {
	largest := 1 << 40
	switch {
	case s.Images < 1 || s.Samples < 1 || s.Classes < 2 || s.Images > largest/s.Samples/s.Classes:
		return fmt.Errorf("%d images, %d samples and %d classes", s.Images, s.Samples, s.Classes)
	case len(s.Probabilities) != s.Images*s.Classes:
		return fmt.Errorf("%d probabilities for %d images in %d classes", len(s.Probabilities),
			s.Images, s.Classes)
	case len(s.LogMeans) != s.Images*s.Classes:
		return fmt.Errorf("%d logarithms of the mean for %d images in %d classes", len(s.LogMeans),
			s.Images, s.Classes)
	case s.LogSamples != nil && len(s.LogSamples) != s.Images*s.Samples*s.Classes:
		return fmt.Errorf("%d log-probabilities for %d images, %d samples and %d classes",
			len(s.LogSamples), s.Images, s.Samples, s.Classes)
	case len(s.Labels) != s.Images || len(s.Indices) != s.Images:
		return fmt.Errorf("%d labels and %d indices for %d images", len(s.Labels), len(s.Indices),
			s.Images)
	case int(slices.Max(s.Labels)) >= s.Classes:
		return fmt.Errorf("label %d in %d classes", slices.Max(s.Labels), s.Classes)
	}
	return nil
}

// Prediction returns the samples, or the mean as a single sample if they weren't kept.
func (s Saved) Prediction() Prediction {
	if s.LogSamples != nil {
		return Prediction{s.Images, s.Samples, s.Classes, s.LogSamples}
	}
	return Prediction{s.Images, 1, s.Classes, s.LogMeans}
}

// Cell computes the metrics of the predictions. With the samples it's the cell of the evaluation;
// without, GibbsNLL equals NLL and Aleatoric equals Total, as for a single sample.
func (s Saved) Cell() (Cell, error) {
	p := s.Prediction()
	cell, err := p.Cell(Condition{s.Corruption, s.Severity}, s.Labels)
	cell.Sets, cell.Temperature, cell.OddTemperature = s.Sets, s.Temperature, s.Odd
	if err != nil || s.Temperature == 0 {
		return cell, err
	}
	return p.Scaled(cell, s.Labels)
}
