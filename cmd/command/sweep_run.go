package command

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/sweep"
)

// localFlags are the flags of the command `sweep run`.
type localFlags struct {
	manifest          string
	parallel, retries int
}

func sweepRunCommand(a *app) *cobra.Command {
	var flags localFlags
	command := &cobra.Command{
		Use:   "run",
		Short: "Do all points of a sweep on this machine, some at a time",
		Long: "Do all points of a sweep on this machine, each in a process of its own; the processes share the cores, and the GPUs:\n" +
			"those in CUDA_VISIBLE_DEVICES, or all. After an interrupt, or if this process is killed, all of them save and end, and\n" +
			"the same command continues. What a process said is in the folder .sweep of the runs, in a file with the name of the run.",
		Example: "  nbbnn sweep run --manifest m.json --parallel 2",
		Args:    commandline.Arguments(),
		RunE:    func(c *cobra.Command, _ []string) error { return sweepHere(c.Context(), a, flags) },
	}
	addManifestFlag(command, &flags.manifest)
	command.Flags().IntVar(&flags.parallel, "parallel", 1, "processes at a time, which share the cores")
	command.Flags().IntVar(&flags.retries, "retries", 1, "repetitions of a point that failed")
	return command
}

// sweepHere does what is missing of a sweep.
func sweepHere(ctx context.Context, a *app, flags localFlags) error {
	if flags.parallel < 1 || flags.retries < 0 {
		return commandline.Usage(fmt.Errorf("nbbnn sweep run: --parallel %d and --retries %d: give 1 process or more, and 0 repetitions or more", flags.parallel, flags.retries))
	}
	manifest, status, err := readSweep(a, flags.manifest)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.err, "sweep    "+status.String())
	var points []int
	for _, point := range status.Points {
		if point.State != sweep.Done {
			points = append(points, point.Index)
		}
	}
	processes := processes{parallel: flags.parallel, retries: flags.retries, done: status.Count(sweep.Done), all: manifest.Len()}
	processes.task = func(point int) task {
		return task{
			name: fmt.Sprintf("point %d   %s", point, nameOf(manifest, point)), run: manifest.RunName(point),
			arguments: []string{"sweep", "point", "--manifest", flags.manifest, "--index", strconv.Itoa(point), "--runs", a.runs},
		}
	}
	result, err := processes.do(ctx, a, points)
	if err != nil {
		return err
	}
	return sweepEnd(a, flags, manifest, result, ctx.Err() != nil)
}

// nameOf names a point.
func nameOf(manifest *sweep.Manifest, point int) string {
	config, err := manifest.Config(point)
	if err != nil {
		return ""
	}
	return manifest.Name(config)
}

// sweepEnd reports how a sweep ended.
func sweepEnd(a *app, flags localFlags, manifest *sweep.Manifest, result ended, isStopping bool) error {
	count := quantity.Count(manifest.Len(), "point")
	look := fmt.Sprintf("`nbbnn sweep status --manifest %s --runs %s`", quote(flags.manifest), quote(a.runs))
	if len(result.Failed) > 0 {
		log := logPath(a.runs, manifest.RunName(result.Failed[0]))
		return fmt.Errorf("nbbnn sweep run: %d of %s failed: %s says why, or the end of the log of each, such as %s",
			len(result.Failed), count, look, quote(log))
	}
	if err := unfinishedError("nbbnn sweep run", count, len(result.Unfinished), isStopping); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "done     %s: `nbbnn sweep collect --manifest %s --runs %s` shows the numbers\n", count, quote(flags.manifest), quote(a.runs))
	return nil
}

// stopFlag is the flag with which a process saves and stops when the one that started it ends.
const stopFlag = "stop-with-input"

// stopWithInput is the value of that flag.
type stopWithInput bool

func (s *stopWithInput) add(f *pflag.FlagSet) {
	f.BoolVar((*bool)(s), stopFlag, false, "save and stop when standard input ends, as it does when the program at its other end ends")
}

// addHidden adds the flag to a command that people start themselves.
func (s *stopWithInput) addHidden(f *pflag.FlagSet) {
	s.add(f)
	f.Lookup(stopFlag).Hidden = true
}

// context returns a context that also ends with the standard input, if the flag is given.
func (s stopWithInput) context(ctx context.Context) (context.Context, context.CancelFunc) {
	if !s {
		return context.WithCancel(ctx)
	}
	return sweep.UntilEnd(ctx, os.Stdin)
}
