package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
)

// app holds the flags that all attacks share.
type app struct {
	out     io.Writer
	program string
	seed    uint64
	minutes float64
	tries   int
	stride  int
	only    string
	record  string
}

func rootCommand(a *app) *cobra.Command {
	command := &cobra.Command{
		Use:   "attack",
		Short: "Damage what nbbnn writes, and count what is noticed",
		Args:  commandline.Subcommand,
	}
	flags := command.PersistentFlags()
	flags.StringVar(&a.program, "program", "bin/nbbnn", "the program to attack")
	flags.Uint64Var(&a.seed, "seed", 1, "of every random choice")
	flags.Float64Var(&a.minutes, "minutes", 0, "begin no attack of a kind after this time; 0 means no limit")
	flags.IntVar(&a.tries, "tries", 20, "attacks on each target: damages of a file, kills of a command, downloads from a server")
	flags.IntVar(&a.stride, "stride", 1, "try every n-th step of writing, and every n-th power cut")
	flags.StringVar(&a.only, "only", "", "attack only targets whose name contains this")
	flags.StringVar(&a.record, "record", "", "JSON file of counts, in which those of these attacks are replaced; with --only, those of the targets, which need the same arguments")
	command.CompletionOptions.DisableDefaultCmd = true
	for _, k := range kinds {
		command.AddCommand(attackCommand(a, k))
	}
	command.AddCommand(soakCommand(a), shapesCommand(a), overheadCommand(a), pageCommand())
	return command
}

// kind is a kind of attack, which is a subcommand.
type kind struct {
	name, short string
	attack      func(*assault, context.Context) error
	needsScene  bool
}

var kinds = []kind{
	{"flips", "Damage a file of each kind, and read it with every command", (*assault).flips, true},
	{"kills", "Kill commands until they end by themselves", (*assault).kills, true},
	{"together", "Start a command several times at once", (*assault).together, true},
	{"disk", "Let each step of writing fail", (*assault).disk, false},
	{"power", "Cut the power after each step of writing", (*assault).power, false},
	{"downloads", "Fetch a file from bad servers on this machine", (*assault).downloads, false},
}

// assault is one call of the tool: a scene, and the counts so far.
type assault struct {
	*app
	scene   *scene
	place   string // temporary folder
	started time.Time
	tally   tally
}

func attackCommand(a *app, k kind) *cobra.Command {
	return &cobra.Command{
		Use: k.name, Short: k.short, Args: commandline.Arguments(), Example: "  attack " + k.name + " --tries 5 --seed 2",
		RunE: func(c *cobra.Command, _ []string) error { return a.run(c.Context(), k) },
	}
}

// run makes a scene, attacks it and prints the counts. It fails if an attack ended badly.
func (a *app) run(ctx context.Context, k kind) error {
	if a.only != "" && !k.needsScene {
		return commandline.Usage(fmt.Errorf("attack %s: there are no targets of which --only could choose %q: leave it out", k.name, a.only))
	}
	if a.only != "" && a.record != "" {
		if _, err := replaceable(a.record, newRecord(a, k.name, 0, nil)); err != nil {
			return err
		}
	}
	place, err := os.MkdirTemp("", "nbbnn-attack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(place)
	fmt.Fprintf(a.out, "attack   %s, seed %d\n", k.name, a.seed)
	all := &assault{app: a, place: place, started: time.Now()}
	if k.needsScene {
		if all.scene, err = a.newScene(ctx, place); err != nil {
			return err
		}
	}
	if err := k.attack(all, ctx); err != nil {
		return err
	}
	bad := 0
	for _, r := range all.tally.rows {
		fmt.Fprintln(a.out, r)
		bad += r.bad()
	}
	if a.record != "" {
		add := addRecord
		if a.only != "" {
			add = addRows
		}
		if err := add(a.record, newRecord(a, k.name, time.Since(all.started), all.tally.rows)); err != nil {
			return err
		}
	}
	if bad > 0 {
		return fmt.Errorf("attack: %d attacks ended badly", bad)
	}
	return nil
}

// newScene makes a scene in a temporary folder.
func (a *app) newScene(ctx context.Context, place string) (*scene, error) {
	path, err := filepath.Abs(a.program)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(place, "scene")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return nil, err
	}
	return newScene(ctx, newProgram(path, filepath.Join(place, "data")), folder)
}

// over reports whether the time of --minutes has passed.
func (a *assault) over() bool {
	return a.minutes > 0 && time.Since(a.started).Minutes() > a.minutes
}

// newFlips returns what the attacks with a scene have in common.
func (a *assault) newFlips() flips {
	return flips{scene: a.scene, place: filepath.Join(a.place, "damaged"), seed: a.seed, tally: &a.tally, report: a.out}
}

// attacker attacks a target a number of times. done ends it early.
type attacker[T any] interface {
	attack(ctx context.Context, target T, tries int, done func() bool) error
}

// aim is something to attack: files, or a command.
type aim interface {
	title() string  // what --only is compared with
	rows() []string // the targets that its attacks are counted for
}

// attackEach attacks the targets that --only chooses, and says which the time of --minutes left
// none for. It fails if --only chooses none.
func attackEach[T aim](ctx context.Context, a *assault, by attacker[T], targets []T) error {
	var titles []string
	found := false
	for _, target := range targets {
		titles = append(titles, target.title())
		if !strings.Contains(target.title(), a.only) {
			continue
		}
		found = true
		if !a.over() {
			if err := by.attack(ctx, target, a.tries, a.over); err != nil {
				return err
			}
		}
		for _, name := range target.rows() {
			if !a.tally.counted(name) {
				fmt.Fprintf(a.out, "not tried: %s\n", name)
			}
		}
	}
	if !found {
		return commandline.Usage(fmt.Errorf("attack: no target is called %q: choose of %s", a.only, strings.Join(slices.Compact(titles), ", ")))
	}
	return nil
}

// flips damages files of every kind.
func (a *assault) flips(ctx context.Context) error {
	if err := a.scene.addVictims(ctx); err != nil {
		return err
	}
	f := a.newFlips()
	return attackEach(ctx, a, &f, a.scene.allVictims())
}

// kills kills every command.
func (a *assault) kills(ctx context.Context) error {
	return attackEach(ctx, a, &kills{flips: a.newFlips()}, allKilled(a.scene))
}

// together starts every command several times at once.
func (a *assault) together(ctx context.Context) error {
	return attackEach(ctx, a, &twice{kills{flips: a.newFlips()}}, allKilled(a.scene))
}
