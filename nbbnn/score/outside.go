package score

import (
	"fmt"
	"slices"
	"strconv"
)

// Outside is a test of out-of-distribution detection: how well a run tells clean test images of its
// own data set from another one's.
type Outside struct {
	Key
	Data       string      `json:"outside"`        // name of the other data set
	Hash       string      `json:"outside_hash"`   // of its images
	Inside     int         `json:"images"`         // images of the own data set
	Images     int         `json:"outside_images"` // of the other one
	Detections []Detection `json:"detections"`     // by each uncertainty
}

const outsideFile = "outside.csv"

var outsideColumns = []string{
	"outside", "hash", "test", "samples", "subset", "seed", "inside_images", "outside_images",
	"uncertainty", "auroc", "fpr95",
}

// same reports whether two tests are of the same evaluation and the same images.
func (o Outside) same(other Outside) bool {
	return o.Key == other.Key && o.Data == other.Data && o.Hash == other.Hash
}

// ReadOutside returns the tests of out-of-distribution detection that a directory keeps in
// outside.csv, compared with their checksums, which are bound to the owner.
func ReadOutside(place, owner string) (tests []Outside, err error) {
	records, _, err := outsideTable.read(place, owner)
	for _, r := range records {
		test := Outside{Data: r.text(), Hash: r.text()}
		test.Key = Key{r.text(), r.int(), r.int(), r.uint()}
		test.Inside, test.Images = r.int(), r.int()
		detection := Detection{r.text(), r.float(), r.float()}
		if r.failed {
			return nil, outsideTable.damaged(place)
		}
		if last := len(tests) - 1; last < 0 || !tests[last].same(test) {
			tests = append(tests, test)
		}
		last := &tests[len(tests)-1]
		last.Detections = append(last.Detections, detection)
	}
	return tests, err
}

// AddOutside adds a test to a directory's, or replaces it.
func AddOutside(place, owner string, test Outside) error {
	tests, err := ReadOutside(place, owner)
	if err != nil {
		return err
	}
	tests = slices.DeleteFunc(tests, test.same)
	var rows [][]string
	for _, o := range append(tests, test) {
		for _, d := range o.Detections {
			rows = append(rows, []string{
				o.Data, o.Hash, o.Suite, strconv.Itoa(o.Samples), strconv.Itoa(o.Subset),
				strconv.FormatUint(o.Seed, 10),
				strconv.Itoa(o.Inside), strconv.Itoa(o.Images), d.Uncertainty, formatFloat(d.AUROC),
				formatFloat(d.FPR95),
			})
		}
	}
	return outsideTable.write(place, owner, outsideColumns, rows)
}

// EnsembleOutside returns the ensemble of all runs of the method as a method with one run: its test
// of images from outside and the name of its directory.
func (m Method) EnsembleOutside(test Outside, name string) Method {
	e := m.Ensemble(nil, name)
	e.Cells, e.Detections = nil, summariseDetections([]string{name}, map[string]Outside{name: test})
	return e
}

// DetectionSummary is a Detection over several runs.
type DetectionSummary struct {
	Uncertainty string  `json:"uncertainty"`
	AUROC       Summary `json:"auroc"`
	FPR95       Summary `json:"fpr95"`

	Each []Detection `json:"-"` // of the runs; may be nil
}

// Metrics returns the metrics of the area and of the rate.
func (DetectionSummary) Metrics() (area, rate Metric) {
	return Metric{Name: "AUROC", HigherIsBetter: true}, Metric{Name: "FPR95", Unit: "%"}
}

// CompareOutside groups runs with equal settings into methods, as Compare does, and summarises
// their tests, one for each run. The comparison has no suite, and its methods no cells. All tests
// must be of the same images with the same latents, epoch and seed, and a method's with the same
// number of samples.
func CompareOutside(runs []Run, tests []Outside) (Comparison, error) {
	if len(runs) == 0 || len(runs) != len(tests) {
		return Comparison{}, fmt.Errorf("score: %d runs and %d tests of images from outside "+
			"can't be compared: give one test for each run", len(runs), len(tests))
	}
	byRun := map[string]Outside{}
	for i, test := range tests {
		if err := checkAlike(runs[i].Name, test, runs[0].Name, tests[0]); err != nil {
			return Comparison{}, err
		}
		byRun[runs[i].Name] = test
	}
	c, err := group("", runs)
	if err != nil {
		return Comparison{}, err
	}
	for i := range c.Methods {
		m := &c.Methods[i]
		for _, run := range m.Runs {
			if first := m.Runs[0]; byRun[run].Samples != byRun[first].Samples {
				return Comparison{}, fmt.Errorf("score: run %s was tested with %d samples, run "+
					"%s of its method with %d: test them alike",
					run, byRun[run].Samples, first, byRun[first].Samples)
			}
		}
		m.Cells, m.Detections = nil, summariseDetections(m.Runs, byRun)
	}
	return c, nil
}

// checkAlike returns an error if a run wasn't tested as the first one.
func checkAlike(run string, test Outside, firstRun string, first Outside) error {
	if test.Data != first.Data || test.Hash != first.Hash || test.Inside != first.Inside ||
		test.Images != first.Images {
		return fmt.Errorf("score: run %s was tested on %d images and %d of %s (%.12s), run %s on "+
			"%d and %d of %s (%.12s): test them on the same images",
			run, test.Inside, test.Images, test.Data, test.Hash, firstRun, first.Inside,
			first.Images, first.Data, first.Hash)
	}
	if test.Suite != first.Suite || test.Seed != first.Seed {
		return fmt.Errorf("score: run %s was tested as %q with seed %d, run %s as %q with seed "+
			"%d: test them alike",
			run, test.Suite, test.Seed, firstRun, first.Suite, first.Seed)
	}
	return nil
}

// summariseDetections summarises the detections by the uncertainties that all runs have.
func summariseDetections(runs []string, tests map[string]Outside) (summaries []DetectionSummary) {
	for _, name := range []string{MaxProbability, Entropy, MutualInformation} {
		var areas, rates []float64
		var each []Detection
		for _, run := range runs {
			for _, d := range tests[run].Detections {
				if d.Uncertainty == name {
					areas, rates, each = append(areas, d.AUROC), append(rates, d.FPR95),
						append(each, d)
				}
			}
		}
		if len(each) == len(runs) {
			summaries = append(summaries, DetectionSummary{name, Summarise(areas), Summarise(rates),
				each})
		}
	}
	return summaries
}
