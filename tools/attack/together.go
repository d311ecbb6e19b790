package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/commandline"
)

// twice starts a command several times at once and compares the results.
type twice struct{ kills }

func (t *twice) attack(ctx context.Context, target killed, tries int, done func() bool) error {
	want, err := t.undisturbed(ctx, target)
	if err != nil {
		return err
	}
	for try := 0; try < tries && !done(); try++ {
		if err := t.once(ctx, target, rand.New(rand.NewPCG(t.seed, uint64(try))), want); err != nil {
			return err
		}
	}
	return nil
}

// once starts two to four processes within the time of one, of which each ends well or says that
// another is at work. Every second time one of them is killed.
func (t *twice) once(ctx context.Context, target killed, random *rand.Rand, want []reading) error {
	if err := t.copy(target.victims); err != nil {
		return err
	}
	const forever = time.Hour
	processes := 2 + random.IntN(3)
	ends := make(chan end, processes)
	for i := range processes {
		start, life := time.Duration(random.Float64()*float64(t.span)/2), forever
		if i == 0 && random.IntN(2) == 0 {
			life = time.Duration(random.Float64() * float64(t.span))
		}
		go func() {
			time.Sleep(start)
			killed, got, err := killAfter(ctx, t.scene.program, t.place, life, target.arguments)
			ends <- end{got, killed, err}
		}()
	}
	verdict, message, complete := harmless, "", false
	var failures error
	for range processes {
		got := <-ends
		failures = errors.Join(failures, got.err)
		complete = complete || got.Status == 0
		if now := got.verdict(); worse(verdict, now) != verdict {
			verdict, message = now, lastLine(got.Err)
		}
	}
	if failures != nil {
		return failures
	}
	var last answer
	if !complete {
		var err error
		if last, err = t.scene.program.run(ctx, t.place, target.arguments...); err != nil {
			return err
		}
	}
	if now, text := t.verdict(ctx, target, last, want); worse(verdict, now) != verdict {
		verdict, message = now, text
	}
	t.tally.add("together", target.name, verdict)
	if verdict != harmless {
		fmt.Fprintf(t.report, "%-8s %d of %s at once: %s\n", verdict, processes, target.name, message)
	}
	return nil
}

// end is how one of several processes ended.
type end struct {
	answer
	killed bool  // by the attack
	err    error // it couldn't be started
}

// verdict judges one process. It may be killed, end well, or say that another is at work or has
// completed the work.
func (e end) verdict() string {
	switch {
	case e.killed:
		return harmless
	case e.crashed():
		return crashed
	case e.Status == 0, e.Status == commandline.Stopped, strings.Contains(e.Err, completed):
		return harmless
	}
	return unclear
}
