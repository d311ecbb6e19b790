package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/paper"
)

// progress shows how far a command is, on standard error: on a terminal a line that updates itself, elsewhere one line at the
// end of each phase.
type progress struct {
	streams
	test    string // describes the test as a whole
	now     func() time.Time
	last    paper.Update // of the phase on the line, zero before the first
	started time.Time    // of that phase
	shown   time.Time    // when the line was last written
}

func newProgress(streams streams, test string) *progress {
	return &progress{streams: streams, test: test, now: time.Now}
}

// update takes the next step of a phase.
func (p *progress) update(u paper.Update) {
	if u.Phase != p.last.Phase {
		p.finish()
		p.started = p.now()
	}
	p.last = u
	if p.terminal && p.now().Sub(p.shown) >= 100*time.Millisecond {
		p.shown = p.now()
		fmt.Fprint(p.err, "\r"+p.line(u)+"\x1b[K")
	}
}

// finish ends the line of a phase, if there is one.
func (p *progress) finish() {
	u := p.last
	if u.Phase == "" {
		return
	}
	p.last = paper.Update{}
	if u.Fraction() >= 1 && u.Phase == "test" && p.test != "" {
		u.Name, u.Text = p.test, ""
	}
	if p.terminal {
		fmt.Fprint(p.err, "\r"+p.line(u)+"\x1b[K\n")
		return
	}
	fmt.Fprintln(p.err, p.line(u))
}

// line is such as "train    M32 seed 2   epoch 3/12   loss 0.412   1,480 img/s   12 s left   [======        ] 4/4".
func (p *progress) line(u paper.Update) string {
	line := []part{{fmt.Sprintf("%-8s %s", u.Phase, u.Name), 0}}
	for i, text := range strings.FieldsFunc(strings.ReplaceAll(u.Text, "  ", "\n"), func(r rune) bool { return r == '\n' }) {
		line = append(line, part{text, 1 + 2*i})
	}
	if u.Rate > 0 {
		line = append(line, part{quantity.Thousands(u.Rate) + " img/s", 8})
	}
	line = append(line, part{p.time(u), 2}, part{bar(u.Fraction()), 9}, part{counted(u), 0})
	return fit(line, p.columns)
}

// time is what remains of the phase, and in the end what it took.
func (p *progress) time(u paper.Update) string {
	switch {
	case u.Fraction() >= 1:
		return quantity.Span(p.now().Sub(p.started))
	case u.Remaining > 0:
		return quantity.Span(u.Remaining) + " left"
	default:
		return "..."
	}
}

// counted says which of the runs is trained, how many cells of all runs are tested, or how much of the only run is done.
func counted(u paper.Update) string {
	switch {
	case u.Phase == "test":
		return fmt.Sprintf("%d/%d", (u.Place-1)*u.Total+u.Done, u.Runs*u.Total)
	case u.Runs > 1:
		return fmt.Sprintf("%d/%d", u.Place, u.Runs)
	default:
		return fmt.Sprintf("%.0f%%", 100*u.Fraction())
	}
}

// part is a part of a line that may have to be left out: the one with the highest rank goes first, rank 0 never.
type part struct {
	text string
	rank int
}

// fit joins the parts of a line, without those for which a terminal of so many columns has no room; 0 columns have room for
// all.
func fit(line []part, columns int) string {
	for columns > 0 && width(line) >= columns {
		last := slices.MaxFunc(line, func(a, b part) int { return a.rank - b.rank })
		if last.rank == 0 {
			break
		}
		line = slices.DeleteFunc(slices.Clone(line), func(p part) bool { return p == last })
	}
	return join(line)
}

func width(line []part) int { return utf8.RuneCountInString(join(line)) }

func join(line []part) string {
	texts := make([]string, len(line))
	for i, part := range line {
		texts[i] = part.text
	}
	return strings.Join(texts, "   ")
}

const barWidth = 14

// bar draws a fraction, such as [=====         ].
func bar(fraction float64) string {
	done := min(barWidth, int(fraction*barWidth))
	return "[" + strings.Repeat("=", done) + strings.Repeat(" ", barWidth-done) + "]"
}
