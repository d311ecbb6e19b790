package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nbbnn/workbench/internal/commandline"
)

// counting is an attacker that counts one attack on the first file of a target.
type counting struct{ tally *tally }

func (c counting) attack(_ context.Context, v victims, _ int, _ func() bool) error {
	c.tally.add("flips", v.rows()[0], noticed)
	return nil
}

// Targets without an attack are named, and --only must choose one.
func TestAttackEachSaysWhatWasNotTried(t *testing.T) {
	targets := []victims{{name: "run", files: []string{"a/card.json", "a/cells.csv"}}, {name: "export", files: []string{"weights"}}}
	for _, c := range []struct {
		only   string
		passed time.Duration // of the minute that is allowed
		want   []string
		misuse bool
	}{
		{"", 0, []string{"not tried: run: cells.csv"}, false},
		{"exp", 0, nil, false},
		{"", time.Hour, []string{"not tried: run: card.json", "not tried: run: cells.csv", "not tried: export: weights"}, false},
		{"nosuch", 0, nil, true},
	} {
		var out strings.Builder
		a := &assault{app: &app{out: &out, only: c.only, minutes: 1}, started: time.Now().Add(-c.passed)}
		err := attackEach(t.Context(), a, counting{&a.tally}, targets)
		if commandline.IsUsage(err) != c.misuse || !c.misuse && err != nil {
			t.Errorf("--only %q ends with %v", c.only, err)
		}
		if got := strings.Join(c.want, "\n"); strings.TrimSpace(out.String()) != got {
			t.Errorf("--only %q after %v prints %q, want %q", c.only, c.passed, out.String(), got)
		}
	}
	if err := (&app{only: "card"}).run(t.Context(), kind{name: "disk"}); !commandline.IsUsage(err) {
		t.Errorf("attack disk --only card ends with %v, want wrong usage", err)
	}
}
