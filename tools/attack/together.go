package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/commandline"
)

// twice starts a command several times at once and compares the results.
type twice struct{ flips }

func (t *twice) attack(ctx context.Context, target killed, tries int, done func() bool) error {
	k := kills{flips: t.flips}
	want, err := k.undisturbed(ctx, target)
	if err != nil {
		return err
	}
	for try := 0; try < tries && !done(); try++ {
		if err := t.once(ctx, &k, target, rand.New(rand.NewPCG(t.seed, uint64(try))), want); err != nil {
			return err
		}
	}
	return nil
}

// once starts two to four processes within the time of one, of which each ends well or says that
// another is at work. Every second time one of them is killed.
func (t *twice) once(ctx context.Context, k *kills, target killed, random *rand.Rand, want []reading) error {
	if err := k.copy(target.victims); err != nil {
		return err
	}
	const forever = time.Hour
	processes := 2 + random.IntN(3)
	answers := make(chan answer, processes)
	for i := range processes {
		start, life := time.Duration(random.Float64()*float64(k.span)/2), forever
		if i == 0 && random.IntN(2) == 0 {
			life = time.Duration(random.Float64() * float64(k.span))
		}
		go func() {
			time.Sleep(start)
			_, got, err := killAfter(ctx, t.scene.program, k.place, life, target.arguments)
			if err != nil {
				got.Status = -1
			}
			answers <- got
		}()
	}
	verdict, message, complete := harmless, "", false
	for range processes {
		got := <-answers
		complete = complete || got.Status == 0
		if got.Status > 0 && got.Status != commandline.Stopped && !strings.Contains(got.Err, completed) {
			verdict, message = unclear, lastLine(got.Err)
		}
	}
	var last answer
	if !complete {
		var err error
		if last, err = t.scene.program.run(ctx, k.place, target.arguments...); err != nil {
			return err
		}
	}
	if now, text := k.verdict(ctx, target, last, want); now != harmless {
		verdict, message = now, text
	}
	t.tally.add("together", target.name, verdict)
	if verdict != harmless {
		fmt.Fprintf(t.report, "%-8s %d of %s at once: %s\n", verdict, processes, target.name, message)
	}
	return nil
}
