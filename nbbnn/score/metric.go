package score

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/nbbnn/workbench/internal/columns"
	"github.com/nbbnn/workbench/internal/nearest"
)

// Metric is a number by which predictions are judged. MetricByName finds one by its name, and its
// methods give its values:
//
//	Value   of one cell, which is one corruption at one severity
//	Levels  of the cells of one run, at each corruption level
//	Series  of several runs, mean and standard deviation over them at each level
//	Shown   the value in the unit of Label, percent for a fraction
//	Better  which of two values is the better one
//
// Register adds a custom metric.
type Metric struct {
	Name  string // by which figures, tables and commands call it, for example "NLL"
	Title string // in words, as in a sentence; Register takes Name for ""
	// "nats"; "%" for a fraction that is shown in percent; "" for a number without unit
	Unit string
	// name in cells.csv and in JSON; "" if only levels have it, and for custom metrics
	Column string

	HigherIsBetter bool
	// NoBest means that values don't show which is best: of prediction sets, which should hold the
	// right class of 90 % of the images and whose sizes compare only at equal coverage, of
	// entropies, which describe a prediction, and of SignedECE.
	NoBest bool

	// Of computes the metric of a prediction from the labels of its images. Only custom metrics
	// need it: Evaluate calls it for every cell and keeps the value in metrics.csv. See
	// MeanOverImages for a metric that is a mean over the images.
	Of func(prediction Prediction, labels []uint8) (float64, error)

	// of the same probability for every class; nil if meaningless
	guess func(classes float64) float64
	// the column of the cells, of a metric without one that is their mean
	mean string
	// at a level, of the predictions of all corruptions together; nil for the mean over them
	pool func(Cells) float64
}

// Label returns the title with the unit, for an axis: "NLL (nats)", "error (%)".
func (m Metric) Label() string {
	if m.Unit == "" {
		return m.Title
	}
	return m.Title + " (" + m.Unit + ")"
}

// DifferenceUnit returns the unit of differences: "points" for metrics in percent, "" without a
// unit.
func (m Metric) DifferenceUnit() string {
	if m.isFraction() {
		return "points"
	}
	return m.Unit
}

// Heading returns the name as the label of a table's row: "Error %" for a fraction shown in
// percent.
func (m Metric) Heading() string {
	if m.isFraction() {
		return m.Name + " %"
	}
	return m.Name
}

// isFraction reports whether values are fractions, 0 to 1, that are shown in percent.
func (m Metric) isFraction() bool { return m.Unit == "%" }

// Shown returns a value in the unit of Label: 100 times a fraction.
func (m Metric) Shown(value float64) float64 {
	if m.isFraction() {
		return 100 * value
	}
	return value
}

// Decimals returns the number of decimals of a shown value in a table.
func (m Metric) Decimals() int {
	if m.isFraction() {
		return 1
	}
	return 3
}

// Better reports whether a value is better than another one.
func (m Metric) Better(value, than float64) bool {
	if m.HigherIsBetter {
		return value > than
	}
	return value < than
}

// Guess returns the metric of a network that gives each of a number of classes the same
// probability; false if the metric has none, or the number of classes isn't known.
func (m Metric) Guess(classes int) (value float64, known bool) {
	if m.guess == nil || classes < 2 {
		return 0, false
	}
	return m.guess(float64(classes)), true
}

// Value returns the metric of one cell. It isn't a number if the cell lacks the metric: one
// computed before a custom metric was registered, or without a temperature.
func (m Metric) Value(cell Cell) float64 {
	if value, found := cell.Custom[m.Name]; found {
		return value
	}
	if value, found := cell.metric(cmp.Or(m.Column, m.mean)); found {
		return value
	}
	if m.pool != nil {
		return m.pool(Cells{cell})
	}
	return math.NaN()
}

// columnGroups are the groups of columns of cells.csv.
var columnGroups = columns.Of(reflect.TypeFor[Cell]())

// metric returns the value of a column, and reports whether the cell has it.
func (c *Cell) metric(column string) (value float64, found bool) {
	for _, group := range columnGroups {
		if i := slices.Index(group.Columns, column); i >= 0 && group.Has(c) {
			return *group.Field(c, i), true
		}
	}
	return 0, false
}

// Levels returns the metric at each corruption level: the mean over the corruptions, or the ECE of
// all their predictions together (METHOD.md section 5).
func (m Metric) Levels(cells Cells) (levels [LevelCount]float64, err error) {
	for level := range levels {
		part := cells.at(level)
		if err := cells.checkLevel(level, part); err != nil {
			return levels, err
		}
		levels[level] = m.together(part)
		if math.IsNaN(levels[level]) {
			return levels, m.unmeasured(level, part[0].Images)
		}
	}
	return levels, nil
}

// unmeasured returns the error for cells of some images that lack the metric.
func (m Metric) unmeasured(level, images int) error {
	if m.Of != nil {
		return fmt.Errorf("score: %s at level %d isn't a number: evaluate again with the metric "+
			"registered (Run.Evaluate)", m.Name, level)
	}
	if m.pool != nil {
		return fmt.Errorf("score: %s at level %d needs the bins of all cells, and some records "+
			"lack them: take MeanECE, or evaluate again", m.Name, level)
	}
	cure := "`nbbnn evaluate` with another --evaluation-seed measures what cells of earlier " +
		"versions lack"
	if images < 100 { // nbbnn.CrossFitImages
		cure = fmt.Sprintf("%d images are too few, 100 are enough", images)
	}
	return fmt.Errorf("score: %s isn't measured at level %d: %s; prediction sets need images "+
		"that are held out: train with --validation, or lower --images, which holds out the others",
		m.Name, level, cure)
}

// together returns the metric of the cells of one level.
func (m Metric) together(cells Cells) float64 {
	if m.pool != nil {
		return m.pool(cells)
	}
	mean, count := 0.0, float64(len(cells))
	for _, cell := range cells {
		mean += m.Value(cell) / count
	}
	return mean
}

// Series returns the metric at each level over several runs on a suite. The cells may be of a
// larger suite.
func (m Metric) Series(suite string, runs ...Cells) (series LevelSeries, err error) {
	values := make([][]float64, LevelCount)
	for _, cells := range runs {
		part, err := cells.Of(suite)
		if err != nil {
			return series, err
		}
		levels, err := m.Levels(part)
		if err != nil {
			return series, err
		}
		for level, value := range levels {
			values[level] = append(values[level], value)
		}
	}
	for level := range series {
		series[level] = Summarise(values[level])
	}
	return series, nil
}

// metrics are the known ones, in the order of lists: metrics of levels first.
var metrics = struct {
	sync.RWMutex
	known []Metric
}{known: []Metric{
	{Name: "NLL", Title: "NLL", Unit: "nats", Column: "nll", guess: math.Log},
	{Name: "Error", Title: "error", Unit: "%", Column: "error", guess: allButOne},
	{Name: "ECE", Title: "ECE", Column: "ece", pool: func(c Cells) float64 {
		return pooled(c, Bins.ECE)
	}},
	{Name: "MeanECE", Title: "mean ECE", mean: "ece"},
	{Name: "SignedECE", Title: "confidence − accuracy", NoBest: true, pool: func(c Cells) float64 {
		return pooled(c, Bins.signedECE)
	}},
	{Name: "GibbsNLL", Title: "Gibbs NLL", Unit: "nats", Column: "gibbs_nll", guess: math.Log},
	{Name: "Brier", Title: "Brier score", Column: "brier", guess: allButOne},
	{Name: "MissNLL", Title: "NLL of misses", Unit: "nats", Column: "miss_nll", guess: math.Log},
	{Name: "Top2", Title: "top-2 accuracy", Unit: "%", Column: "top2", HigherIsBetter: true,
		guess: func(c float64) float64 { return min(1, 2/c) }},
	{Name: "Top3", Title: "top-3 accuracy", Unit: "%", Column: "top3", HigherIsBetter: true,
		guess: func(c float64) float64 { return min(1, 3/c) }},
	{Name: "Total", Title: "total entropy", Unit: "nats", Column: "total", NoBest: true,
		guess: math.Log},
	{Name: "Aleatoric", Title: "aleatoric entropy", Unit: "nats", Column: "aleatoric",
		NoBest: true},
	{Name: "Epistemic", Title: "epistemic entropy", Unit: "nats", Column: "epistemic",
		NoBest: true},
	{Name: "ScaledNLL", Title: "scaled NLL", Unit: "nats", Column: "nll_t", guess: math.Log},
	{Name: "AUGRC", Title: "AUGRC", Column: "augrc"},
	{Name: "ClasswiseECE", Title: "classwise ECE", Column: "classwise_ece"},
	{Name: "SmoothECE", Title: "smooth ECE", Column: "smooth_ece"},
	{Name: "Coverage", Title: "coverage", Unit: "%", Column: "aps_coverage", HigherIsBetter: true,
		NoBest: true},
	{Name: "SetSize", Title: "set size", Column: "aps_size", NoBest: true},
}}

// allButOne returns the error of guessing among classes, and its Brier score.
func allButOne(classes float64) float64 { return 1 - 1/classes }

// pooled returns a calibration error of the predictions of all cells together; NaN if a cell lacks
// its bins.
func pooled(cells Cells, of func(bins Bins, predictions int) float64) float64 {
	if !cells.Binned() {
		return math.NaN()
	}
	var pool Bins
	images := 0
	for _, cell := range cells {
		pool, images = pool.Pool(cell.Bins), images+cell.Images
	}
	return of(pool, images)
}

// Metrics returns all known metrics, custom ones last.
func Metrics() []Metric {
	metrics.RLock()
	defer metrics.RUnlock()
	return slices.Clone(metrics.known)
}

// MetricByName finds a metric by its name or its column. The error for an unknown name offers the
// nearest one.
func MetricByName(name string) (Metric, error) {
	metrics.RLock()
	defer metrics.RUnlock()
	var names []string
	for i := range metrics.known {
		m := &metrics.known[i]
		if name == m.Name || name != "" && name == m.Column {
			return *m, nil
		}
	}
	for _, m := range metrics.known {
		names = append(names, m.Name)
	}
	return Metric{}, fmt.Errorf("score: unknown metric %q%s: choose one of %s", name,
		nearest.Hint(name, names), strings.Join(names, ", "))
}
