package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/powercut"
)

// power cuts the power after every step of writing.
func (a *assault) power(ctx context.Context) error {
	work, root := newSmallWork(), filepath.Join(a.place, "recorded")
	want := ""
	record, err := powercut.NewRecord(root, func() (err error) {
		want, err = work.do(ctx, root)
		return err
	})
	if err != nil {
		return err
	}
	target := fmt.Sprintf("training and test in %d steps", len(record.Steps))
	index, stride := 0, max(1, a.stride)
	for state := range record.States() {
		if a.over() {
			break
		}
		if index++; index%stride > 0 {
			continue
		}
		place := filepath.Join(a.place, "cut")
		if err := state.Restore(place); err != nil {
			return err
		}
		verdict, message := work.repeat(ctx, place, want)
		a.tally.add("power", target, verdict)
		if message != "" {
			fmt.Fprintf(a.out, "%-8s power cut after %d steps: %s\n", verdict, state.Steps, message)
		}
	}
	return nil
}
