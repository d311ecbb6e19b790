// Package progress describes the progress of long work. An [Update] is the data; only its method
// [Update.Parts] words it, for a terminal's line and for the live view of a notebook. A [Clock]
// estimates the remaining time.
//
// The package needs no engine, so that a cell of a notebook can show progress without linking one.
package progress

import (
	"fmt"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/quantity"
)

// Func takes the updates of some work. It is called by the goroutine that works, so it should
// return soon. A nil Func ignores them.
type Func func(Update)

// Report calls f unless it is nil.
func (f Func) Report(u Update) {
	if f != nil {
		f(u)
	}
}

// Of returns a Func that reports updates to f as those of a named run, number place of runs,
// counted from 1. It returns nil if f is nil.
func (f Func) Of(name string, place, runs int) Func {
	if f == nil {
		return nil
	}
	return func(u Update) {
		u.Name, u.Place, u.Runs = name, place, runs
		f(u)
	}
}

// Part returns a Func that reports the updates of a part of some work: done of the total were done
// before it. It returns nil if f is nil.
func (f Func) Part(done, total int) Func {
	if f == nil {
		return nil
	}
	return func(u Update) {
		u.Done, u.Total = done+u.Done, total
		f(u)
	}
}

// Update is the state of some work. Fields that the phase doesn't have are zero.
type Update struct {
	Phase       string // "train", "test", "implicit", "layer", "draw" or "make"
	Run         string // the run's name, which is the beginning of its hash
	Name        string // name of the run for people, for example "M32 seed 2"; "" means Run
	Place, Runs int    // the run is number Place of Runs, from 1; 0 means that it is the only one
	// training steps, cells of an evaluation, steps of searches, draws of a layer's outputs or
	// files
	Done, Total int
	Rate        float64 // images a second; 0 means unknown

	Epoch, Epochs int     // of a training: the epoch at work, from 1, and their number
	Loss          float64 // mean over the steps of the epoch so far, nats an image
	Entropy       float64 // lower bound on H[q] at the beginning of the epoch, nats
	Error         float64 // fraction of the epoch's training rows that are wrong
	Curves        []Curve // terms of the objective by epoch; a reader must not change them

	Corruption    string // of a test, or of the file that is made
	Severity      int    // of the corruption, 1 to 5; 0 is clean, or unknown
	Image, Images int    // of searches: the image at work, from 1, and their number
	Step          int    // of the search at work
	Layer         string // whose outputs are drawn
	Amount        string // of a file, for example "120 MB of 170 MB"

	// of drawn weights: the one whose running statistics are computed, from 1, and their number
	Sample, Samples int
}

// Curve is a quantity by epoch, for example a term of the objective.
type Curve struct {
	Name   string
	Values []float64
}

// Title returns the name of the current run for people.
func (u Update) Title() string {
	if u.Name != "" {
		return u.Name
	}
	return u.Run
}

// Fraction returns the finished share of the phase, 0 to 1, counting all runs alike.
func (u Update) Fraction() float64 {
	done := 0.0
	if u.Total > 0 {
		done = float64(u.Done) / float64(u.Total)
	}
	return (float64(max(1, u.Place)-1) + done) / float64(max(1, u.Runs))
}

// Part is one piece of an update in words.
type Part struct {
	Text string
	Rank int // if room is short, the part with the highest rank goes first; rank 0 always stays
}

// Parts returns the update in words: the phase with the run's name, its details, and the rate:
// "train M32 seed 2", "epoch 3/12", "loss 0.412", "entropy 81.3", "training error 9.1%", "1,480
// img/s".
func (u Update) Parts() []Part {
	parts := []Part{{strings.TrimSpace(fmt.Sprintf("%-8s %s", u.Phase, u.Title())), 0}}
	for i, text := range u.details() {
		parts = append(parts, Part{text, 1 + 2*i})
	}
	if u.Rate > 0 {
		parts = append(parts, Part{quantity.Thousands(u.Rate) + " img/s", 8})
	}
	return parts
}

// details returns the details of the work, the most important first.
func (u Update) details() []string {
	switch {
	case u.Epochs > 0:
		return []string{
			fmt.Sprintf("epoch %d/%d", u.Epoch, u.Epochs), fmt.Sprintf("loss %.3f", u.Loss),
			fmt.Sprintf("entropy %.1f", u.Entropy), fmt.Sprintf("training error %.1f%%",
				100*u.Error),
		}
	case u.Images > 0:
		return []string{fmt.Sprintf("image %d/%d", u.Image, u.Images),
			fmt.Sprintf("step %d", u.Step)}
	case u.Layer != "":
		return []string{u.Layer, fmt.Sprintf("draw %d/%d", u.Done, u.Total)}
	case u.Samples > 0:
		return []string{fmt.Sprintf("weights %d/%d", u.Sample, u.Samples), "batch normalisation"}
	case u.Severity > 0:
		return []string{fmt.Sprintf("%s %d", u.Corruption, u.Severity)}
	case u.Corruption+u.Amount != "":
		return []string{u.Corruption + u.Amount}
	}
	return nil
}

// Counted returns which of the runs is trained, how many cells of all runs are tested, or how much
// of the only run is done: "2/4" or "37%".
func (u Update) Counted() string {
	switch {
	case u.Phase == "test":
		return fmt.Sprintf("%d/%d", (max(1, u.Place)-1)*u.Total+u.Done, max(1, u.Runs)*u.Total)
	case u.Runs > 1:
		return fmt.Sprintf("%d/%d", u.Place, u.Runs)
	default:
		return fmt.Sprintf("%.0f%%", 100*u.Fraction())
	}
}

// Join returns the parts as one line.
func Join(parts []Part) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = part.Text
	}
	return strings.Join(texts, "   ")
}

// Clock estimates how long the rest of a phase takes. Its zero value is ready to use.
type Clock struct {
	phase string
	start time.Time // of the first update of the phase
	begun float64   // fraction that was done then
	last  float64   // fraction of the latest update
}

// Remaining returns the estimate for the rest of the update's phase, or 0 if there is none yet. It
// assumes the mean speed since the first update, and starts again with a new phase or new work.
func (c *Clock) Remaining(u Update) time.Duration {
	now, fraction := time.Now(), u.Fraction()
	if c.start.IsZero() || u.Phase != c.phase || fraction < c.last {
		c.phase, c.start, c.begun = u.Phase, now, fraction
	}
	c.last = fraction
	if fraction <= c.begun {
		return 0
	}
	perFraction := float64(now.Sub(c.start)) / (fraction - c.begun)
	return time.Duration(perFraction * (1 - fraction))
}
