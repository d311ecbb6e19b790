package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
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
	columns, terminal := terminalColumns(os.Stderr)
	_, outTerminal := terminalColumns(os.Stdout)
	var in io.Reader
	if _, terminal := terminalColumns(os.Stdin); terminal {
		in = os.Stdin
	}
	return streams{
		in: in, out: os.Stdout, err: os.Stderr,
		terminal: terminal, outTerminal: outTerminal,
		colour:  os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
		columns: columns,
	}
}

// colour is the code of a terminal's colour.
type colour string

const (
	red    colour = "31"
	green  colour = "32"
	yellow colour = "33"
	grey   colour = "90"
)

// paint colours a text for standard error.
func (s streams) paint(c colour, text string) string { return paintIf(s.terminal && s.colour, c, text) }

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

// checkedWriter remembers the first error of a writer, such as a full disk behind standard output.
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

// problem returns an error if not everything could be written. A reader that has seen enough, such
// as head, is none.
func (w *checkedWriter) problem() error {
	if w.err == nil || errors.Is(w.err, syscall.EPIPE) {
		return nil
	}
	return fmt.Errorf("nbbnn: standard output can't be written: %w: write to a file on a disk with room", w.err)
}
