// Package command is the command line nbbnn. A program that imports it has all its commands, with
// the networks, methods of training, corruptions and metrics that the program itself adds:
//
//	func main() {
//		network.Define("birdnet", birdnet, network.Defaults{Width: 16})
//		command.Main()
//	}
//
// Tables, verdicts and, with --json, data go to standard output; everything else goes to standard
// error. The exit status is 0 when the command did its work; 1 after a failure, for example without
// the data set, or in a folder that can't be written; 2 after wrong usage, for example an unknown
// word, a number out of range, or a run or a file that isn't there, and after what no repetition
// cures (65 for a point of a sweep); and 75 when it was stopped and saved: the same command
// continues from there.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/cmd/sweep"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// Main executes the command line of this process and ends it with the exit status. Call it in main,
// after everything that the program adds: sweeps and --parallel start the program again.
func Main() {
	// a reader that is gone must not end the program before it has saved
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), commandline.StopSignals()...)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], renamed(newStreams())))
}

// renamedWriter writes texts whose commands begin with the name of this program.
type renamedWriter struct {
	io.Writer
	commands *regexp.Regexp // of nbbnn
	own      []byte         // what replaces one, with the name of this program
}

// renamed returns the streams of a program that people may have started by another name, or by its
// path.
func renamed(s streams) streams {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if name == "nbbnn" {
		return s
	}
	if _, err := exec.LookPath(name); err != nil && !strings.Contains(os.Args[0], "go-build") {
		name = os.Args[0] // as in ./mine, but not the path of `go run`
	}
	names := quantity.Texts(newRoot(streams{}).Commands(), (*cobra.Command).Name)
	commands := regexp.MustCompile(`\bnbbnn( \[| --| (?:` + strings.Join(names, "|") + `)\b)`)
	own := []byte(strings.ReplaceAll(quote(name), "$", "$$") + "$1")
	s.out, s.err = renamedWriter{s.out, commands, own}, renamedWriter{s.err, commands, own}
	return s
}

func (w renamedWriter) Write(text []byte) (int, error) {
	_, err := w.Writer.Write(w.commands.ReplaceAll(text, w.own))
	return len(text), err
}

// Exit statuses.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	// a point of a sweep that no repetition does: EX_DATAERR, since Go ends with 2 after a crash
	exitNever   = 65
	exitStopped = 75 // EX_TEMPFAIL: run me again
)

// run executes a command line and returns the exit status. Errors are one line on standard error.
func run(ctx context.Context, args []string, streams streams) int {
	written := &checkedWriter{Writer: streams.out}
	streams.out = written
	root := newRoot(streams)
	root.SetArgs(args)
	command, err := root.ExecuteContextC(ctx)
	if err == nil || written.err != nil && errors.Is(err, written.err) {
		err = written.problem()
	}
	status := exitStatus(err)
	if status == exitUsage && command.Name() == "point" {
		status = exitNever
	}
	switch status {
	case exitDone:
	case exitStopped:
		label := "stopped  "
		if errors.Is(err, nbbnn.ErrStopped) { // which says it itself
			label = "note     "
		}
		fmt.Fprintln(streams.err, streams.paint(yellow, label)+describe(err))
	default:
		fmt.Fprintln(streams.err, streams.paint(red, "error")+"    "+describe(err))
	}
	return status
}

func exitStatus(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, nbbnn.ErrStopped), errors.Is(err, nbbnn.ErrLocked),
		errors.Is(err, context.Canceled):
		return exitStopped
	case commandline.IsUsage(err), errors.Is(err, sweep.ErrNever):
		return exitUsage
	default:
		return exitFailed
	}
}

// app holds the streams and the flags that all commands share.
type app struct {
	streams
	runs string // --runs
	json bool   // --json
}

func newRoot(streams streams) *cobra.Command {
	a, stops := &app{streams: streams}, false
	root := &cobra.Command{
		Use: "nbbnn",
		Short: "Node-based Bayesian neural networks: train, evaluate under corruption, make " +
			"the paper's figures",
		Long:    "Pages and first steps: https://github.com/nbbnn/workbench",
		Example: "  nbbnn doctor\n  nbbnn figure 3 --scale smoke",
		Version: machine.Version(),
		PersistentPreRunE: func(c *cobra.Command, args []string) error {
			if stops {
				c.SetContext(untilEnd(c.Context(), os.Stdin))
			}
			a.runs = files.Home(a.runs)
			name := strings.TrimPrefix(c.CommandPath(), "nbbnn ")
			// which set the same text
			return commandline.Usage(cmp.Or(checkGiven(c.Flags(), name),
				checkRuns(c.Flags(), a.runs, name), checkPlace(c.Flags(), a.runs, name, args),
				exclusive(c.Flags(), name, "suite", "corruptions")))
		},
	}
	root.SetVersionTemplate("nbbnn {{.Version}}\n")
	root.PersistentFlags().StringVar(&a.runs, "runs", cmp.Or(files.Home(os.Getenv("NBBNN_RUNS")),
		"runs"), "directory of the runs, or of records that --cards has written; the variable "+
		"NBBNN_RUNS changes the default")
	root.PersistentFlags().BoolVar(&a.json, "json", false,
		"print the result as JSON on standard output")
	root.PersistentFlags().BoolVar(&stops, stopFlag, false, "save and stop when standard input "+
		"ends, as it does when the program at its other end ends")
	_ = root.PersistentFlags().MarkHidden(stopFlag) // it was just made
	for _, command := range []func(*app) *cobra.Command{doctorCommand, trainCommand,
		posthocCommand, runsCommand, evaluateCommand, predictCommand, compareCommand, reportCommand,
		verifyCommand, weightsCommand, figureCommand, sweepCommand, dataCommand, corruptCommand} {
		root.AddCommand(command(a))
	}
	commandline.Prepare(root, streams.out, streams.err)
	showGroups(root)
	if err := completeCommands(a, root); err != nil {
		panic(err) // a flag that isn't there, or twice
	}
	return root
}

// group makes a command of subcommands.
func group(command cobra.Command, subcommands ...*cobra.Command) *cobra.Command {
	command.AddCommand(subcommands...)
	return &command
}

// withZero are flags of numbers for which 0 is a value like others.
var withZero = strings.Fields("seed seeds evaluation-seed gamma label-noise validation first " +
	"train-first index latent-scale batch-statistics keep-every parallel cpus gpus retries")

// withEmpty are the flags of texts, behind their commands, for which an empty one means something;
// their help says what.
var withEmpty = strings.Split("compare suite,compare as,compare out,report out,corrupt rank out,"+
	"posthoc mode,evaluate latents,evaluate part,weights export latents", ",")

// checkGiven refuses a 0 and an empty text, which a command would take for the flag's default, and
// negative counts.
func checkGiven(given *pflag.FlagSet, command string) (err error) {
	given.Visit(func(f *pflag.Flag) {
		kind, _, _ := strings.Cut(f.Value.Type(), ",")
		text := f.Value.String()
		if list, is := f.Value.(pflag.SliceValue); is {
			text = strings.Join(list.GetSlice(), "")
		}
		if text == "" && !slices.Contains(withEmpty, command+" "+f.Name) {
			err = fmt.Errorf("nbbnn %s: --%s is empty: give a value, or leave it out", command,
				f.Name)
		}
		if kind != "int" && kind != "float64" || err != nil {
			return
		}
		least, wanted := 1., "1 or more"
		switch isZero := slices.Contains(withZero, f.Name); {
		case kind == "float64" && isZero:
			return // its field names its values
		case kind == "float64":
			least, wanted = math.SmallestNonzeroFloat64, "a number above 0"
		case f.Name == "chains":
			least, wanted = 2, "2 or more"
		case isZero, f.Name == "epochs" && command == "posthoc":
			least, wanted = 0, "0 or more"
		}
		for _, text := range strings.Split(f.Value.String(), ",") {
			number, wrong := strconv.ParseFloat(text, 64)
			if whole, err := strconv.ParseInt(text, 0, 64); err == nil {
				number, wrong = float64(whole), nil
			}
			if wrong == nil && !(number >= least) {
				err = fmt.Errorf("nbbnn %s: --%s is %s: give %s, or leave it out", command, f.Name,
					text, wanted)
			}
		}
	})
	return err
}

// checkRuns refuses a file as the folder of runs, in commands that need the folder, and a given
// folder that isn't there in those that only read it.
func checkRuns(given *pflag.FlagSet, runs, command string) error {
	group, _, _ := strings.Cut(command, " ")
	info, err := os.Stat(runs)
	switch {
	case errors.Is(err, fs.ErrNotExist) &&
		(given.Changed("runs") || os.Getenv("NBBNN_RUNS") != "") &&
		(group == "runs" || slices.Contains([]string{"evaluate", "predict", "compare", "report",
			"weights export", "sweep status"}, command)):
		return fmt.Errorf("nbbnn %s: the folder of runs %s doesn't exist: give the one that has "+
			"them with --runs, or `nbbnn train --preset allcnnc-shapes10 --runs %[2]s`", command,
			quote(runs))
	case err == nil && info.IsDir(), err != nil && !errors.Is(err, syscall.ENOTDIR),
		!slices.Contains(strings.Fields("train posthoc runs evaluate predict compare report "+
			"verify weights figure sweep"), group):
		return nil
	}
	return fmt.Errorf("nbbnn %s: %s is no folder of runs: choose one with --runs or the variable "+
		"NBBNN_RUNS", command, quote(runs))
}

// checkPlace refuses to write what isn't a run into the folder of runs, unless the current folder is
// in it.
func checkPlace(given *pflag.FlagSet, runs, command string, arguments []string) error {
	var places []string
	given.Visit(func(f *pflag.Flag) {
		if f.Name == "out" || f.Name == "save" || command == "sweep plan" && f.Name == "manifest" {
			places = append(places, f.Value.String())
		}
	})
	if command == "weights export" {
		places = append(places, arguments[1:]...)
	}
	for _, place := range places {
		if place != "" && isWithin(runs, place) && !isWithin(runs, ".") {
			return fmt.Errorf("nbbnn %s: %s is in the folder of runs, %s: choose another place",
				command, place, runs)
		}
	}
	return nil
}

// isWithin reports whether a path is a folder's, or in it.
func isWithin(folder, path string) bool {
	folder, _ = filepath.Abs(folder) // fails without a current folder alone
	path, _ = filepath.Abs(path)
	within, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(within)
}

// exclusive refuses a flag together with one of others, separated by spaces.
func exclusive(given *pflag.FlagSet, command, flag, others string) error {
	for _, other := range strings.Fields(others) {
		if given.Changed(flag) && given.Changed(other) {
			return fmt.Errorf("nbbnn %s: --%s and --%s exclude each other: leave one out",
				command, flag, other)
		}
	}
	return nil
}

// goesWith refuses flags, separated by spaces, without one that they need.
func goesWith(given *pflag.FlagSet, command, needed, flags string) error {
	for _, flag := range strings.Fields(flags) {
		if given.Changed(flag) && !given.Changed(needed) {
			return fmt.Errorf("nbbnn %s: --%s needs --%s: add that, or leave --%[2]s out",
				command, flag, needed)
		}
	}
	return nil
}

// printJSON writes a value to standard output.
func (a *app) printJSON(value any) error { return files.WriteJSON(a.out, value) }

// note prints a line on standard error.
func (a *app) note(text string, arguments ...any) {
	fmt.Fprintln(a.err, "note     "+plain(fmt.Sprintf(text, arguments...)))
}

// print writes a value as JSON, or a text for people.
func (a *app) print(value any, text string, arguments ...any) error {
	if a.json {
		return a.printJSON(value)
	}
	fmt.Fprintf(a.out, text, arguments...)
	return nil
}

// printPaths names what a command wrote or removed: a line each that begins with a label, or a list
// as JSON.
func (a *app) printPaths(label string, paths ...string) error {
	text := ""
	for _, path := range paths {
		text += fmt.Sprintf("%-8s %s\n", label, path)
	}
	return a.print(paths, "%s", text)
}

// printTable writes tables to standard output.
func (a *app) printTable(tables ...viz.Table) error {
	for _, table := range tables {
		text, err := table.As("txt")
		if err != nil {
			return err
		}
		fmt.Fprintln(a.out, text)
	}
	return nil
}
