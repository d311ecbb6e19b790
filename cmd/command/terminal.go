package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/nbbnn/workbench/internal/progress"
	"github.com/nbbnn/workbench/internal/quantity"
)

// streams are the input and the outputs of a command and the terminals behind them.
type streams struct {
	in          io.Reader // for answers; nil if standard input is no terminal
	out, err    io.Writer
	terminal    bool // standard error is a terminal: progress is one line that updates itself
	outTerminal bool // standard output is one
	colour      bool // NO_COLOR isn't set
	columns     int  // of the terminal; 0 when unknown
}

func newStreams() streams {
	isTerminal := func(file *os.File) bool { return term.IsTerminal(int(file.Fd())) }
	columns, _, _ := term.GetSize(int(os.Stderr.Fd())) // 0 after an error
	s := streams{
		out: os.Stdout, err: os.Stderr,
		terminal: isTerminal(os.Stderr), outTerminal: isTerminal(os.Stdout),
		colour:  os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
		columns: columns,
	}
	if isTerminal(os.Stdin) {
		s.in = os.Stdin
	}
	return s
}

// colour is the code of a terminal's colour.
type colour string

const (
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
)

// paint colours a text for standard error.
func (s streams) paint(c colour, text string) string {
	return paintIf(s.terminal && s.colour, c, text)
}

// paintOut colours a text for standard output.
func (s streams) paintOut(c colour, text string) string {
	return paintIf(s.outTerminal && s.colour, c, text)
}

func paintIf(condition bool, c colour, text string) string {
	if !condition {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

// checkedWriter remembers the first error of a writer, for example a full disk behind standard
// output.
type checkedWriter struct {
	io.Writer
	err error
}

func (w *checkedWriter) Write(data []byte) (int, error) {
	n, err := w.Writer.Write(data)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// problem returns an error if not everything could be written. A reader that has seen enough, for
// example head, causes none.
func (w *checkedWriter) problem() error {
	if w.err == nil || errors.Is(w.err, syscall.EPIPE) {
		return nil
	}
	return fmt.Errorf("nbbnn: standard output can't be written: %w: write to a file on a disk "+
		"with room", w.err)
}

// progressLine shows the progress of a command on standard error: on a terminal one line that
// updates itself, elsewhere a line at the end of each phase, and within a long one after logEvery
// and logShare at least.
type progressLine struct {
	streams
	test    string // describes the test as a whole; "" names its last run
	clock   progress.Clock
	last    progress.Update // of the phase on the line, zero before the first
	started time.Time       // of that phase: the end of the one before
	left    time.Duration   // of that phase at the last update
	shown   time.Time       // when the line was last written
	share   float64         // of the phase that was done then
}

// A log of a phase has a line after so long and so much more of the phase.
const (
	logEvery = 15 * time.Second
	logShare = 0.02
)

func newProgress(streams streams, test string) *progressLine {
	return &progressLine{streams: streams, test: test, started: time.Now()}
}

// report returns the function that takes the updates; name is for work whose updates have none.
func (p *progressLine) report(name string) progress.Func {
	return func(u progress.Update) {
		if u.Name == "" {
			u.Name = name
		}
		p.update(u)
	}
}

// update takes the next update of a phase.
func (p *progressLine) update(u progress.Update) {
	if u.Phase != p.last.Phase {
		p.finish()
		if p.share = u.Fraction(); !p.terminal {
			p.shown = time.Now()
		}
	}
	p.last, p.left = u, p.clock.Remaining(u)
	since, more := time.Since(p.shown), u.Fraction()-p.share
	switch {
	case p.terminal && since >= 100*time.Millisecond:
		fmt.Fprint(p.err, "\r"+p.line(u)+"\x1b[K")
	case !p.terminal && since >= logEvery && more >= logShare && u.Fraction() < 1:
		fmt.Fprintln(p.err, p.line(u))
	default:
		return
	}
	p.shown, p.share = time.Now(), u.Fraction()
}

// finish ends the line of a phase, if there is one.
func (p *progressLine) finish() {
	u := p.last
	if u.Phase == "" {
		return
	}
	p.last = progress.Update{}
	defer func() { p.started = time.Now() }()
	if u.Fraction() >= 1 && u.Phase == "test" && p.test != "" {
		u.Name, u.Corruption, u.Severity = p.test, "", 0
	}
	if p.terminal {
		fmt.Fprint(p.err, "\r"+p.line(u)+"\x1b[K\n")
		return
	}
	fmt.Fprintln(p.err, p.line(u))
}

// line returns "train M32 seed 2 epoch 3/12 loss 0.412 1,480 img/s 12 s left [====== ] 4/4".
func (p *progressLine) line(u progress.Update) string {
	line := append(u.Parts(), progress.Part{Text: p.time(u), Rank: 2},
		progress.Part{Text: bar(u.Fraction()), Rank: 9}, progress.Part{Text: u.Counted()})
	return fit(line, p.columns)
}

// time returns the phase's time left, or its duration at the end.
func (p *progressLine) time(u progress.Update) string {
	switch {
	case u.Fraction() >= 1:
		return quantity.Span(time.Since(p.started))
	case p.left > 0:
		return quantity.Span(p.left) + " left"
	default:
		return "..."
	}
}

// fit joins the parts of a line that fit a terminal's columns; 0 columns fit all.
func fit(line []progress.Part, columns int) string {
	for columns > 0 && utf8.RuneCountInString(progress.Join(line)) >= columns {
		last := slices.MaxFunc(line, func(a, b progress.Part) int { return a.Rank - b.Rank })
		if last.Rank == 0 {
			break
		}
		line = slices.DeleteFunc(slices.Clone(line), func(p progress.Part) bool {
			return p == last
		})
	}
	return progress.Join(line)
}

const barWidth = 14

// bar draws a fraction, [===== ].
func bar(fraction float64) string {
	done := min(barWidth, int(fraction*barWidth))
	return "[" + strings.Repeat("=", done) + strings.Repeat(" ", barWidth-done) + "]"
}
