package lab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png"
	"os"
	"path/filepath"
)

// Record is a committed result of a figure: what was found, with which networks, and the primary
// contrast that answers the figure.
type Record struct {
	Finding, Subject, Test string
	Primary                Contrast

	picture []byte // PNG
	width   int    // in pixels of the screen, half of its own
}

// Contrast is a difference between two methods, paired by seeds, with its 95 % t-interval.
type Contrast struct {
	Name, Unit  string
	Claimed     string    // side of the claim, such as "below zero"
	Differences []float64 // [seeds]
	Mean        float64
	Interval    [2]float64
	Outcome     string `json:"-"` // holds, fails or undecided
}

// Recorded reads the result in a folder of docs/results, such as "figure-03-quick". It's called from
// a notebook next to that of the lessons. Show draws its picture.
func Recorded(name string) (record Record, err error) {
	folder := filepath.Join("..", "docs", "results", name)
	data, err := os.ReadFile(filepath.Join(folder, "verdicts.json"))
	if err != nil {
		return record, fmt.Errorf("lab: %w: run the cell in a folder of the workbench, such as notebooks or work", err)
	}
	var file struct {
		Record
		Verdicts []struct {
			Primary bool
			Outcome string
			Effects []Contrast
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return record, fmt.Errorf("lab: %s: %w: restore it with git", folder, err)
	}
	record = file.Record
	for _, v := range file.Verdicts {
		if v.Primary && len(v.Effects) > 0 {
			record.Primary, record.Primary.Outcome = v.Effects[0], v.Outcome
		}
	}
	pictures, _ := filepath.Glob(filepath.Join(folder, "*.png")) // the pattern is well-formed
	if len(pictures) != 1 {
		return record, fmt.Errorf("lab: %s holds %d pictures, want one: restore it with git", folder, len(pictures))
	}
	if record.picture, err = os.ReadFile(pictures[0]); err != nil {
		return record, fmt.Errorf("lab: %w", err)
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(record.picture))
	record.width = size.Width / 2
	return record, err
}

// Verdict says in one line what was found, such as "holds: M32 - M16: -0.250 nats [-0.280, -0.220]".
func (r Record) Verdict() string {
	p := r.Primary
	return fmt.Sprintf("%s: %s: %.3f %s [%.3f, %.3f], %d seeds", p.Outcome, p.Name, p.Mean, p.Unit,
		p.Interval[0], p.Interval[1], len(p.Differences))
}
