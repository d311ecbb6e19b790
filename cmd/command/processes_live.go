package command

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/nbbnn/workbench/nbbnn/progress"
)

// state counts the tasks that are done.
func (p *processes) state() progress.Update {
	u := progress.Update{Total: len(p.tasks)}
	for _, t := range p.tasks {
		if t.status == exitDone {
			u.Done++
		}
	}
	return u
}

// showInTurn shows on a terminal the progress of each task at work for a second, until stop is
// called. The mutex guards the tasks, nil if a slot has none, and the terminal.
func showInTurn(a *app, mutex sync.Locker, atWork []*task) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	show := func(slot int) {
		mutex.Lock()
		defer mutex.Unlock()
		if t := atWork[slot]; t != nil {
			fmt.Fprint(a.err, "\r"+t.latest(a.runs, a.columns)+"\x1b[K")
		}
	}
	go func() {
		defer close(ended)
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for count := 0; ; count++ {
			select {
			case <-ticker.C:
				show(count % len(atWork))
			case <-quit:
				return
			}
		}
	}()
	return func() { close(quit); <-ended }
}

// latest returns the latest line of progress in the log of a task, cut to the columns of a
// terminal; 0 columns have room for all.
func (t *task) latest(runs string, columns int) string {
	line := cmp.Or(lastLogged(logPath(runs, t.run), func(line string) bool {
		return strings.Contains(line, "   [") // its bar
	}), "begun    "+t.name)
	if columns > 0 && utf8.RuneCountInString(line) >= columns {
		line = string([]rune(line)[:columns-1])
	}
	return line
}
