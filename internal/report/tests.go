package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// SetResult is a method's score in a metric on the test images of a data set.
type SetResult struct {
	Method string `json:"method"`
	Metric string `json:"metric"`
	Data   string `json:"data"`   // the data set
	Images string `json:"images"` // clean, or corrupted for the mean of the levels 1 to 5
	score.Summary
	// within runs, the same images of the runs' own data set
	MinusOwn *score.Summary `json:"minus_own,omitempty"`
	// within seeds, the baseline on the same data set
	MinusBaseline *score.Summary `json:"minus_baseline,omitempty"`
	// seeds of the method that have
	Unlearnt []uint64 `json:"hardly_learnt,omitempty"`
	Notes    []string `json:"notes,omitempty"` // on the images
}

// MarshalJSON writes all fields: the summary's own method would leave out the others.
func (r SetResult) MarshalJSON() ([]byte, error) {
	var std *float64
	if r.N > 1 {
		std = &r.Std
	}
	return json.Marshal(struct {
		Method        string         `json:"method"`
		Metric        string         `json:"metric"`
		Data          string         `json:"data"`
		Images        string         `json:"images"`
		Mean          float64        `json:"mean"`
		Std           *float64       `json:"std"`
		N             int            `json:"n"`
		MinusOwn      *score.Summary `json:"minus_own,omitempty"`
		MinusBaseline *score.Summary `json:"minus_baseline,omitempty"`
		Unlearnt      []uint64       `json:"hardly_learnt,omitempty"`
		Notes         []string       `json:"notes,omitempty"`
	}{r.Method, r.Metric, r.Data, r.Images, r.Mean, std, r.N, r.MinusOwn, r.MinusBaseline,
		r.Unlearnt, r.Notes})
}

// testedImages names test images by whether they're corrupted.
var testedImages = map[bool]string{false: "clean", true: "corrupted"}

// SetResults returns metrics of methods on several data sets, the runs' own first: on clean images,
// and on corrupted ones if all runs have their cells, each minus the comparisons' Baseline if they
// have one. If no metrics are named, it takes Metrics.
func SetResults(data []string, compared []score.Comparison, metrics ...string) (all []SetResult,
	err error) {
	chosen, err := metricsOf(metrics, Metrics(compared[0])...)
	if err != nil {
		return nil, err
	}
	for _, metric := range chosen {
		for i := range compared[0].Methods {
			results, err := resultsOf(metric, i, data, compared)
			if err != nil {
				return nil, err
			}
			all = append(all, results...)
		}
	}
	return all, nil
}

// resultsOf returns a metric of method i on each data set.
func resultsOf(metric score.Metric, i int, data []string,
	compared []score.Comparison) (all []SetResult, err error) {
	method, own := compared[0].Methods[i], map[bool][]float64{}
	for place, c := range compared {
		for _, corrupted := range []bool{false, true}[:min(2, len(method.Cells[0]))] {
			values, err := valuesOn(metric, c.Methods[i], corrupted)
			if err != nil {
				return nil, err
			}
			r := SetResult{Method: method.Name, Metric: metric.Name, Data: data[place],
				Images: testedImages[corrupted], Summary: score.Summarise(values),
				Unlearnt: method.Unlearnt, Notes: c.Notes}
			if place == 0 {
				own[corrupted] = values
			} else {
				r.MinusOwn = summaryOf(paired(method, method, values, own[corrupted]))
			}
			if r.MinusBaseline, err = minusBaseline(metric, c, i, values, corrupted); err != nil {
				return nil, err
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// minusBaseline returns a method's values minus its paired baseline runs' values; nil without a
// baseline, for the baseline itself, or without a pair.
func minusBaseline(metric score.Metric, c score.Comparison, i int, values []float64,
	corrupted bool) (*score.Summary, error) {
	if c.Baseline == "" || c.Baseline == c.Methods[i].Name {
		return nil, nil
	}
	baseline, err := c.Method(c.Baseline)
	if err != nil {
		return nil, err
	}
	from, err := valuesOn(metric, baseline, corrupted)
	if err != nil {
		return nil, err
	}
	return summaryOf(paired(c.Methods[i], baseline, values, from)), nil
}

// valuesOn returns a metric of each run of a method on clean or corrupted images.
func valuesOn(metric score.Metric, method score.Method, corrupted bool) (values []float64,
	err error) {
	if !corrupted {
		return cleanOf(metric, method)
	}
	for _, cells := range method.Cells {
		levels, err := metric.Levels(cells)
		if err != nil {
			return nil, err
		}
		values = append(values, score.Summarise(levels[1:]).Mean)
	}
	return values, nil
}

// summaryOf summarises values; nil if there are none.
func summaryOf(values []float64) *score.Summary {
	if values == nil {
		return nil
	}
	s := score.Summarise(values)
	return &s
}

// SetTables returns a table of scores on each data set, one of differences from the runs' own set
// and, with a baseline, one of differences from that: a column for each data set and kind of
// images. Methods with seeds that hardly learnt are marked, and the notes stand below.
func SetTables(results []SetResult, baseline string) (tables []viz.Table, err error) {
	const within = "differences within %s; in brackets the 95 %% t-interval of their mean"
	for _, kind := range []struct {
		head, caption string
		of            func(SetResult) *score.Summary
	}{
		{"method", "", func(r SetResult) *score.Summary { return &r.Summary }},
		{"minus own test images", fmt.Sprintf(within, "runs"), func(r SetResult) *score.Summary {
			return r.MinusOwn
		}},
		{"minus " + baseline, fmt.Sprintf(within, "seeds"), func(r SetResult) *score.Summary {
			return r.MinusBaseline
		}},
	} {
		table := viz.Table{Header: []string{"", kind.head, "n"}, Labels: 3, Caption: kind.caption,
			Foot: setFoot(results)}
		rows := map[[2]string]int{}
		for _, r := range results {
			s := kind.of(r)
			if s == nil {
				continue
			}
			metric, err := score.MetricByName(r.Metric)
			if err != nil {
				return nil, err
			}
			key := [2]string{metric.Heading(), marked(r.Method, r.Unlearnt)}
			if _, there := rows[key]; !there {
				rows[key] = len(table.Rows)
				table.Rows = append(table.Rows, []string{key[0], key[1], fmt.Sprint(s.N)})
			}
			text := meanStd(metric, *s)
			if kind.caption != "" {
				text = intervalText(metric, *s)
			}
			table.Header = quantity.AddNew(table.Header, r.Data+" "+r.Images)
			table.Rows[rows[key]] = append(table.Rows[rows[key]], text)
		}
		if len(table.Rows) > 0 {
			tables = append(tables, table)
		}
	}
	return tables, nil
}

// setFoot is Foot for results.
func setFoot(results []SetResult) []string {
	var methods, notes []string
	for _, r := range results {
		if len(r.Unlearnt) > 0 {
			methods = quantity.AddNew(methods, unlearnt(r.Method, r.Unlearnt))
		}
		for _, note := range r.Notes {
			notes = quantity.AddNew(notes, note)
		}
	}
	return append(unlearntFoot(methods), notes...)
}

// SaveSets writes results and their tables into a directory and returns the paths of the files.
func SaveSets(results []SetResult, tables []viz.Table, directory string) ([]string, error) {
	table := numbers("method", "metric", "data", "images", "minus")
	table.Header = append(table.Header, "notes")
	for _, r := range results {
		notes := strings.Join(setFoot([]SetResult{r}), "; ")
		for _, of := range []struct {
			minus string
			score *score.Summary
		}{{"", &r.Summary}, {"own", r.MinusOwn}, {"baseline", r.MinusBaseline}} {
			if of.score == nil {
				continue
			}
			addNumber(&table, *of.score, r.Method, r.Metric, r.Data, r.Images, of.minus)
			last := len(table.Rows) - 1
			table.Rows[last] = append(table.Rows[last], notes)
		}
	}
	return saveFiles(directory, []tableFile{
		{"tests.csv", []viz.Table{table}},
		{"tests.tex", tables},
		{"tests.md", tables},
	})
}

// Test describes an evaluation: "8 corruptions x 5 levels + clean, 500 images, 16 samples". No
// images means all; samples is their number in words.
func Test(suite corrupt.Suite, images int, samples string) string {
	return fmt.Sprintf("%s x %d levels + clean, %s, %s",
		quantity.Count(len(suite.Corruptions), "corruption"), score.LevelCount-1,
		quantity.CountOrAll(images, "image"), samples)
}

// SamplesTaken describes how many of a test's samples runs take for each image: "1 to 32 samples"
// if a network without latents is among them.
func SamplesTaken(configs []nbbnn.Config, asked int) string {
	var samples []int
	for _, config := range configs {
		samples = append(samples, SamplesOf(config, asked))
	}
	return quantity.Range(samples, "sample")
}

// SamplesOf returns how many of the asked samples a run takes.
func SamplesOf(config nbbnn.Config, asked int) int {
	config = config.WithDefaults()
	if config.Posterior.Mode != nbbnn.Deterministic {
		return asked
	}
	return methods.Samples(config.Method, config.Settings(), 0, asked)
}
