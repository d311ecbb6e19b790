package command

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nbbnn/workbench/internal/progress"
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

// showInTurn shows the progress of each task at work in turn, until stop is called: on a terminal
// for a second, elsewhere as a line every logEvery, or logShare of the time so far. The mutex
// guards the tasks, nil if a slot has none, and the output.
func showInTurn(a *app, mutex sync.Locker, atWork []*task) (stop func()) {
	quit, ended := make(chan struct{}), make(chan struct{})
	before, after, started := "\r", "\x1b[K", time.Now()
	if !a.terminal {
		before, after = "", "\n"
	}
	show := func(slot int) {
		mutex.Lock()
		defer mutex.Unlock()
		if t := atWork[slot]; t != nil {
			fmt.Fprint(a.err, before+t.latest(a.runs, a.columns)+after)
		}
	}
	go func() {
		defer close(ended)
		for count := 0; ; count++ {
			wait := time.Second
			if !a.terminal {
				wait = max(logEvery, time.Duration(logShare*float64(time.Since(started))))
			}
			select {
			case <-time.After(wait):
				show(count % len(atWork))
			case <-quit:
				return
			}
		}
	}()
	return func() { close(quit); <-ended }
}

// latest returns the latest progress in a task's log, without its bar, cut to a terminal's columns;
// 0 columns keep all.
func (t *task) latest(runs string, columns int) string {
	const between, bar = "   ", "   ["
	line, _, found := strings.Cut(lastLogged(logPath(runs, t.run), func(line string) bool {
		return strings.Contains(line, bar)
	}), bar)
	if !found {
		return "at work  " + t.name
	}
	label := line[:min(len(line), len("train    "))]
	var parts []progress.Part
	for rank, text := range strings.Split(line[len(label):], between) {
		parts = append(parts, progress.Part{Text: text, Rank: rank})
	}
	parts[0].Text = label + parts[0].Text
	parts[len(parts)-1].Rank = 0 // the remaining time
	return fit(parts, columns)
}
