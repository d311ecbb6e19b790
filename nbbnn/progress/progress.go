// Package progress describes how far long work is. An [Update] carries this as data; its method
// [Update.Parts] is the one place that makes words of it, for a terminal's line and for the live
// view of a notebook. A [Clock] estimates the time that remains.
//
// The package needs no engine, so that a cell of a notebook can show progress without linking one.
package progress

// Func takes the updates of some work. It is called by the goroutine that works, so it should
// return soon. A nil Func ignores them.
type Func func(Update)

// Report calls f unless it is nil.
func (f Func) Report(u Update) {
	if f != nil {
		f(u)
	}
}

// Of returns a Func that reports its updates to f as those of a named run, which is number place of
// runs, counted from 1. It returns nil if f is nil.
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
	Phase       string  // "train", "test", "implicit", "layer", "draw" or "make"
	Run         string  // the run's name, which is the beginning of its hash
	Name        string  // what people call the run, such as "M32 seed 2"; "" means Run
	Place, Runs int     // the run is number Place of Runs, from 1; 0 means that it is the only one
	Done, Total int     // training steps, cells of an evaluation, steps of searches, draws of a layer's outputs or files
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

	Sample, Samples int // of drawn weights: the one whose running statistics are computed, from 1, and their number
}

// Curve is a quantity by epoch, such as a term of the objective.
type Curve struct {
	Name   string
	Values []float64
}

// Title returns what people call the run at work.
func (u Update) Title() string {
	if u.Name != "" {
		return u.Name
	}
	return u.Run
}

// Fraction returns how much of the phase is done, 0 to 1, counting all runs alike.
func (u Update) Fraction() float64 {
	done := 0.0
	if u.Total > 0 {
		done = float64(u.Done) / float64(u.Total)
	}
	return (float64(max(1, u.Place)-1) + done) / float64(max(1, u.Runs))
}
