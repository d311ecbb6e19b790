package lab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
)

// Record is a committed result of a figure: its finding and its networks. Show draws its picture.
type Record struct {
	Finding, Subject string
	Verdicts         []Verdict

	picture []byte // PNG
	width   int    // in pixels of the screen, half of its own
	curves  string // path of the file of its curves
}

// Verdict is the outcome of a claim.
type Verdict struct {
	Claim, Outcome string // the outcome is holds, fails or undecided
	Primary        bool   // the claim that answers the figure
	Effects        []struct {
		// of a difference between two methods, paired by seeds, with its 95 % t-interval
		Name, Unit  string
		Differences []float64 // [seeds]
		Mean        float64
		Interval    [2]float64
	}
}

// Recorded reads the result in a folder of docs/results, for example "figure-03-quick", or in a
// file, named without its ending. The cell's folder must be notebooks or another one next to docs.
func Recorded(name string) (record Record, err error) {
	folder := filepath.Join("..", "docs", "results", name)
	path := filepath.Join(folder, filepath.Base(name)+".json")
	for _, pattern := range []string{"/figure-??.json", ".json"} {
		if found, _ := filepath.Glob(folder + pattern); len(found) == 1 {
			path = found[0]
		}
	}
	data, err := files.ReadFile(path)
	if err != nil {
		return record, fmt.Errorf("lab: %w: run the cell in a folder of the workbench, for "+
			"example notebooks or work", err)
	}
	if err := json.Unmarshal(data, &record); err != nil {
		return record, fmt.Errorf("lab: %s: %w: restore it with git", path, err)
	}
	record.curves = strings.TrimSuffix(path, ".json") + ".csv"
	if record.picture, err = files.ReadFile(strings.TrimSuffix(path, ".json") +
		".png"); err != nil {
		return record, fmt.Errorf("lab: %w: restore it with git", err)
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(record.picture))
	record.width = size.Width / 2
	return record, err
}

// Claim returns the verdict on the claim that begins with a text, or for "" on the primary one.
func (r Record) Claim(text string) (Verdict, error) {
	place := slices.IndexFunc(r.Verdicts, func(v Verdict) bool {
		return len(v.Effects) > 0 && (text == "" && v.Primary || text != "" &&
			strings.HasPrefix(v.Claim, text))
	})
	if place < 0 {
		return Verdict{}, fmt.Errorf("lab: the result has no claim %q: its page in docs/results "+
			"lists them", text)
	}
	return r.Verdicts[place], nil
}

// String returns the outcome with the first effect, "holds: M32 - M16: -0.250 nats [-0.280,
// -0.220], 5 seeds". Points have one decimal.
func (v Verdict) String() string {
	e, decimals := v.Effects[0], 3
	if e.Unit == "points" {
		decimals = 1
	}
	return fmt.Sprintf("%s: %s: %.*f %s [%.*f, %.*f], %d seeds", v.Outcome, e.Name, decimals,
		e.Mean, e.Unit,
		decimals, e.Interval[0], decimals, e.Interval[1], len(e.Differences))
}
