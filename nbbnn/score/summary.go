package score

import (
	"encoding/json"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Summary is a quantity over several runs, usually one for each seed.
type Summary struct {
	Mean float64 `json:"mean"`
	// sample standard deviation, with N-1 in the denominator; 0 for fewer than two values
	Std float64 `json:"std"`
	N   int     `json:"n"` // values
}

// Summarise returns the mean and the sample standard deviation of values, or the zero Summary of no
// values.
func Summarise(values []float64) Summary {
	s := Summary{N: len(values)}
	if s.N == 0 {
		return s
	}
	for _, value := range values {
		s.Mean += value / float64(s.N)
	}
	if s.N < 2 {
		return s
	}
	squares := 0.0
	for _, value := range values {
		squares += (value - s.Mean) * (value - s.Mean)
	}
	s.Std = math.Sqrt(squares / float64(s.N-1))
	return s
}

// String returns a text like "0.291 ± 0.056 (n = 25)".
func (s Summary) String() string { return fmt.Sprintf("%.3f ± %.3f (n = %d)", s.Mean, s.Std, s.N) }

// MarshalJSON writes the standard deviation of fewer than two values as null.
func (s Summary) MarshalJSON() ([]byte, error) {
	var std *float64
	if s.N > 1 {
		std = &s.Std
	}
	return json.Marshal(struct {
		Mean float64  `json:"mean"`
		Std  *float64 `json:"std"`
		N    int      `json:"n"`
	}{s.Mean, std, s.N})
}

// IntervalSeeds is the smallest number of seeds that get an interval. That of two has one degree of
// freedom. Claims of paper need more to be decided.
const IntervalSeeds = 3

// Interval returns the t-interval of the mean at a confidence, 0.95 for example, for values that
// are normal; nil for fewer than IntervalSeeds.
func (s Summary) Interval(confidence float64) *[2]float64 {
	if s.N < IntervalSeeds {
		return nil
	}
	half := StudentQuantile(s.N-1, confidence) * s.Std / math.Sqrt(float64(s.N))
	return &[2]float64{s.Mean - half, s.Mean + half}
}

// StudentQuantile returns the quantile of Student's t distribution that bounds a two-sided interval
// of the given confidence, 0.95 for example; NaN for less than one degree of freedom.
func StudentQuantile(degrees int, confidence float64) float64 {
	if degrees < 1 || !(confidence >= 0 && confidence <= 1) {
		return math.NaN()
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(degrees)}.Quantile((1 + confidence) / 2)
}

// CellSummary is one cell over several runs: every metric of cells.csv by its column, and custom
// metrics by their names.
type CellSummary struct {
	Corruption string             `json:"corruption"`
	Severity   int                `json:"severity"`
	Images     int                `json:"images"`
	Samples    int                `json:"samples"`
	Metrics    map[string]Summary `json:"metrics"`
}

// summariseCells returns the cells of a suite over several runs, in the suite's order with the
// clean cell first. The cells may be of a larger suite.
func summariseCells(suite string, runs ...Cells) ([]CellSummary, error) {
	if len(runs) == 0 {
		return nil, fmt.Errorf("score: no runs to summarise on %s: give the cells of at least one",
			suite)
	}
	parts := make([]Cells, len(runs))
	for i, cells := range runs {
		var err error
		if parts[i], err = cells.Of(suite); err != nil {
			return nil, err
		}
	}
	table := make([]CellSummary, len(parts[0]))
	for row, first := range parts[0] {
		metrics, err := summariseCell(parts, row)
		if err != nil {
			return nil, err
		}
		table[row] = CellSummary{first.Corruption, first.Severity, first.Images, first.Samples,
			metrics}
	}
	return table, nil
}

// summariseCell returns the metrics of one row over all parts.
func summariseCell(parts []Cells, row int) (map[string]Summary, error) {
	first := parts[0][row]
	for _, part := range parts {
		cell := part[row]
		if cell.Images != first.Images || cell.Samples != first.Samples {
			return nil, fmt.Errorf("score: %s %d was tested with %d samples on %d images and "+
				"with %d on %d: evaluate the runs alike",
				cell.Corruption, cell.Severity, first.Samples, first.Images, cell.Samples,
				cell.Images)
		}
	}
	metrics := map[string]Summary{}
	for _, metric := range Metrics() {
		if values := measuredValues(parts, row, metric); metric.Column != "" &&
			len(values) == len(parts) {
			metrics[metric.Column] = Summarise(values)
		}
	}
	for name := range first.Custom {
		metrics[name] = Summarise(measuredValues(parts, row, Metric{Name: name}))
	}
	return metrics, nil
}

// measuredValues returns a metric of one row of all parts that have it.
func measuredValues(parts []Cells, row int, metric Metric) (values []float64) {
	for _, part := range parts {
		if value := metric.Value(part[row]); !math.IsNaN(value) {
			values = append(values, value)
		}
	}
	return values
}
