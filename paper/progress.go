package paper

import (
	"time"

	"github.com/nbbnn/workbench/nbbnn"
)

// Update says how far a figure has come.
type Update struct {
	nbbnn.Update               // of the run at work
	Name         string        // of that run, such as "M32 seed 2"
	Place, Runs  int           // it's run Place of Runs, counted from 1
	Remaining    time.Duration // estimate for the rest of the phase; 0 while there is none

	history func() ([]nbbnn.Epoch, error) // what the run has recorded; nil outside of a figure
}

// Fraction is how much of the phase is done, 0 to 1.
func (u Update) Fraction() float64 {
	done := 0.0
	if u.Total > 0 {
		done = float64(u.Done) / float64(u.Total)
	}
	return (float64(u.Place-1) + done) / float64(u.Runs)
}

// meter turns the updates of one run after the other into updates of a phase, with the time that remains.
type meter struct {
	report func(Update)
	now    func() time.Time
	runs   int
	start  time.Time // of the work, which excludes what was there already
	done   float64   // fraction at the start
}

func newMeter(report func(Update), runs int) *meter {
	return &meter{report: report, now: time.Now, runs: runs}
}

// of returns the progress function of the named run, which is in the given place, counted from 1.
func (m *meter) of(name string, place int) nbbnn.Progress {
	return m.with(Update{Name: name, Place: place, Runs: m.runs})
}

// ofRun is of for a run of a figure, whose record comes with the updates.
func (m *meter) ofRun(run Run, place int) nbbnn.Progress {
	return m.with(Update{Name: run.Name(), Place: place, Runs: m.runs, history: run.History})
}

// with returns the progress function of the run that the update describes.
func (m *meter) with(u Update) nbbnn.Progress {
	return func(update nbbnn.Update) {
		u.Update = update
		u.Remaining = m.remaining(u.Fraction())
		m.report(u)
	}
}

// remaining assumes that the rest goes as fast as what was done since the first update.
func (m *meter) remaining(fraction float64) time.Duration {
	if m.start.IsZero() {
		m.start, m.done = m.now(), fraction
	}
	if fraction <= m.done {
		return 0
	}
	perFraction := float64(m.now().Sub(m.start)) / (fraction - m.done)
	return time.Duration(perFraction * (1 - fraction))
}

// Single returns the progress function of a single run with the given name, outside of a figure.
func Single(name string, report func(Update)) nbbnn.Progress {
	return newMeter(report, 1).of(name, 1)
}
