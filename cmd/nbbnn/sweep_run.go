package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/sweep"
)

// savePatience is how long a process may take to save before it is killed.
const savePatience = 30 * time.Second

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
		Long: "Do all points of a sweep on this machine, each in a process of its own; the processes share the cores, and the GPUs in\n" +
			"CUDA_VISIBLE_DEVICES. After an interrupt, or if this process is killed, all of them save and end, and the same command\n" +
			"continues. What a process said is in the folder .sweep of the runs, in a file with the name of the run.",
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
	starter, err := newStarter(a, manifest, flags)
	if err != nil {
		return err
	}
	ended := status.Count(sweep.Done)
	local := sweep.Local{
		Parallel: flags.parallel, Retries: flags.retries, Patience: savePatience, Command: starter.command,
		Ended: func(point, status int, took time.Duration) {
			if status == exitDone {
				ended++
			}
			fmt.Fprintf(a.err, "%-8s point %d   %s   %s   %d/%d\n", endedLabel(status, ctx.Err() != nil), point, nameOf(manifest, point), quantity.Span(took), ended, manifest.Len())
		},
	}
	result, err := local.Run(ctx, points)
	if err != nil {
		return err
	}
	return sweepEnd(a, flags, manifest, result, ctx.Err() != nil)
}

// endedLabel says how the process of a point ended, by its exit status. One that ends with exitStopped
// without a stop found another process at work on the point.
func endedLabel(status int, isStopping bool) string {
	switch {
	case status == exitDone:
		return "done"
	case status != exitStopped:
		return "failed"
	case isStopping:
		return "stopped"
	}
	return "busy"
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
func sweepEnd(a *app, flags localFlags, manifest *sweep.Manifest, result sweep.Result, isStopping bool) error {
	count := manifest.Len()
	look := fmt.Sprintf("`nbbnn sweep status --manifest %s --runs %s`", quote(flags.manifest), quote(a.runs))
	switch {
	case len(result.Failed) > 0:
		log := logPath(a.runs, manifest.RunName(result.Failed[0]))
		return fmt.Errorf("nbbnn sweep run: %d of %s failed: %s says why, or the end of the log of each, such as %s",
			len(result.Failed), quantity.Count(count, "point"), look, quote(log))
	case len(result.Unfinished) > 0 && !isStopping:
		return fmt.Errorf("nbbnn sweep run: another process is at work on %d of %s: %w; then repeat the command", len(result.Unfinished), quantity.Count(count, "point"), nbbnn.ErrLocked)
	case len(result.Unfinished) > 0:
		return fmt.Errorf("nbbnn sweep run: %d of %s aren't done: %w", len(result.Unfinished), quantity.Count(count, "point"), nbbnn.ErrStopped)
	}
	fmt.Fprintf(a.out, "done     %s: `nbbnn sweep collect --manifest %s --runs %s` shows the numbers\n", quantity.Count(count, "point"), quote(flags.manifest), quote(a.runs))
	return nil
}

// starter makes the processes of a sweep.
type starter struct {
	program, manifest, runs string
	parallel, cores         int
	gpus                    []string
	names                   func(point int) string // of the run
}

func newStarter(a *app, manifest *sweep.Manifest, flags localFlags) (starter, error) {
	program, err := os.Executable()
	if err != nil {
		return starter{}, fmt.Errorf("nbbnn sweep run: this program can't be found: %w", err)
	}
	if err := os.MkdirAll(sweep.Folder(a.runs), 0o755); err != nil {
		return starter{}, fmt.Errorf("nbbnn sweep run: %w: choose another directory with --runs", err)
	}
	var gpus []string
	if visible := os.Getenv("CUDA_VISIBLE_DEVICES"); visible != "" {
		gpus = strings.Split(visible, ",")
	}
	return starter{program, flags.manifest, a.runs, flags.parallel, runtime.GOMAXPROCS(0), gpus, manifest.RunName}, nil
}

// logPath returns the file with what the processes of a run's point said.
func logPath(runs, run string) string { return filepath.Join(sweep.Folder(runs), run+".log") }

// command returns the process of a point. Its log begins with the attempts before it.
func (s starter) command(point, slot int) *exec.Cmd {
	command := exec.Command(s.program, "run", "--manifest", s.manifest, "--index", strconv.Itoa(point), "--runs", s.runs, "--stop-with-input")
	command.Env = append(os.Environ(), s.share(slot)...)
	log, err := os.OpenFile(logPath(s.runs, s.names(point)), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil { // without a log the point is done all the same
		fmt.Fprintf(log, "attempt  point %d   %s\n", point, time.Now().Format(time.RFC3339))
		command.Stdout, command.Stderr = log, log
	}
	return command
}

// share returns the variables that give a process its part of the machine.
func (s starter) share(slot int) []string {
	cores := s.cores / s.parallel
	if slot < s.cores%s.parallel {
		cores++
	}
	variables := []string{"GOMAXPROCS=" + strconv.Itoa(max(1, cores))}
	if len(s.gpus) > 1 {
		variables = append(variables, "CUDA_VISIBLE_DEVICES="+s.gpus[slot%len(s.gpus)])
	}
	return variables
}
