package score

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
)

// metricName matches names of metrics, which files and commands contain.
var metricName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// Register adds a custom metric, of which Name and Of are needed, so that tables and figures find
// it by its name. Call it before evaluating, for example in an init function: an evaluation
// computes it for every cell, and again for the cells that were computed without it. Values are
// kept by the name, so a changed definition needs another name.
func Register(m Metric) error {
	switch {
	case !metricName.MatchString(m.Name):
		return fmt.Errorf("score: %q is no name for a metric: start with a letter, then letters, "+
			"digits, - and _", m.Name)
	case m.Of == nil:
		return fmt.Errorf("score: metric %s computes nothing: set Of", m.Name)
	case m.Column != "":
		return fmt.Errorf("score: metric %s has the column %q: leave Column empty, cells.csv has "+
			"the columns of the metrics of this package", m.Name, m.Column)
	}
	metrics.Lock()
	defer metrics.Unlock()
	taken := func(other Metric) bool { return m.Name == other.Name || m.Name == other.Column }
	if slices.ContainsFunc(metrics.known, taken) {
		return fmt.Errorf("score: a metric %s exists already: choose another name", m.Name)
	}
	m.Title = cmp.Or(m.Title, m.Name)
	metrics.known = append(metrics.known, m)
	return nil
}

// custom returns the registered metrics.
func custom() (all []Metric) {
	for _, m := range Metrics() {
		if m.Of != nil {
			all = append(all, m)
		}
	}
	return all
}

// MeanOverImages makes the function Of of a metric that is a mean over the images. value gets the
// mean predictive of an image, [classes], whose sum is 1, and the image's label.
func MeanOverImages(value func(probabilities []float64, label int) float64) func(Prediction,
	[]uint8) (float64, error) {
	return func(p Prediction, labels []uint8) (float64, error) {
		if err := p.check(labels); err != nil {
			return 0, err
		}
		mean := 0.0
		for i, label := range labels {
			mean += value(p.MeanProbabilities(i), int(label)) / float64(p.Images)
		}
		return mean, nil
	}
}

// computeCustom computes the registered metrics of a prediction, nil if there are none.
func computeCustom(p Prediction, labels []uint8) (map[string]float64, error) {
	var values map[string]float64
	for _, m := range custom() {
		value, err := m.Of(p, labels)
		if err != nil {
			return nil, fmt.Errorf("score: metric %s: %w", m.Name, err)
		}
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return nil, fmt.Errorf("score: metric %s is %g: return a finite number for every "+
				"prediction", m.Name, value)
		}
		if values == nil {
			values = map[string]float64{}
		}
		values[m.Name] = value
	}
	return values, nil
}
