package command

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/cmd/sweep"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

func sweepRunCommand(a *app) *cobra.Command {
	var path string
	missing := processes{}
	command := &cobra.Command{
		Use:   "run",
		Short: "Do all points of a sweep on this machine, some at a time",
		Long: `Do all points of a sweep on this machine, each in a separate process; the processes
share the cores, and the GPUs: those in CUDA_VISIBLE_DEVICES, or all. After an interrupt, or if
this process is killed, all of them save and end, and the same command continues. What a process
said is in the folder .sweep of the runs, in a file with the name of the run.`,
		Example: "  nbbnn sweep run --manifest m.json",
		RunE: func(c *cobra.Command, _ []string) error {
			return sweepHere(c.Context(), a, path, missing)
		},
	}
	addManifestFlag(command, &path)
	command.Flags().IntVar(&missing.parallel, "parallel", 0, parallelHelp)
	command.Flags().IntVar(&missing.retries, "retries", 1, "repetitions of a point that failed")
	return command
}

// sweepHere does a sweep's missing points, with the given processes and repetitions.
func sweepHere(ctx context.Context, a *app, path string, missing processes) error {
	manifest, status, err := readSweep(a, path)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.err, "sweep    "+status.String())
	missing.done = status.Count(sweep.Done)
	memory := 0. // of a point's process
	for _, point := range status.Points {
		if point.State != sweep.Done {
			memory = max(memory, memoryOf(manifest.Points[point.Index].Config))
			missing.add(fmt.Sprintf("point %d   %s", point.Index, point.Name), point.Run,
				"sweep", "point", "--manifest", path, "--index", strconv.Itoa(point.Index),
				"--runs", a.runs)
		}
	}
	missing.parallel = atOnce(missing.parallel, len(missing.tasks), memory)
	failed := missing.toEnd(ctx, a, "sweep run", "point")
	var runs []*nbbnn.Run
	for i := range manifest.Points {
		if point, err := manifest.Open(a.runs, i); err == nil {
			runs = append(runs, point.Run)
		}
	}
	noteUnsound(a, runs...)
	if a.json {
		if _, status, err = readSweep(a, path); err == nil {
			err = a.printJSON(status)
		}
		return cmp.Or(failed, err)
	}
	if failed != nil {
		return failed
	}
	next := "compare --manifest " + quote(path)
	if figure := manifest.Figure; figure != nil {
		next = fmt.Sprintf("figure %s --scale %s --no-train", figure.Name(), figure.Scale)
	}
	fmt.Fprintf(a.out, "done     %s: `nbbnn %s --runs %s` shows the numbers\n",
		quantity.Count(len(manifest.Points), "point"), next, quote(a.runs))
	return nil
}

// runFlags are the flags of the run command.
type runFlags struct {
	manifest     string
	index, chunk int
}

func sweepPointCommand(a *app) *cobra.Command {
	var flags runFlags
	command := &cobra.Command{
		Use:   "point",
		Short: "Train and evaluate one point of a sweep, as a task of any scheduler",
		Long: `Train and evaluate one point of a sweep's manifest. It continues where an earlier
task stopped, and ends at once if the point is done. Without --index the index is the scheduler's:
PARALLEL_SEQ (from 1), HQ_TASK_ID, JOB_COMPLETION_INDEX or SLURM_ARRAY_TASK_ID (from 0). The exit
status tells the scheduler what to do: 0 done; 75 run it again: it was stopped and saved, or
another process does the point; 1 failed, a repetition may succeed; 65 no repetition does.`,
		Example: `  nbbnn sweep point --manifest m.json --index 0
  nbbnn sweep point --manifest m.json --chunk 8 --index 2   # points 16 to 23`,
		RunE: func(c *cobra.Command, _ []string) error {
			return runPoints(c.Context(), a, flags, c.Flags().Changed("index"))
		},
	}
	addManifestFlag(command, &flags.manifest)
	command.Flags().IntVar(&flags.index, "index", 0, "index of the point, or of the chunk, from "+
		"0; if left out, the scheduler's")
	command.Flags().IntVar(&flags.chunk, "chunk", 1, "points of a task, for short ones: index N "+
		"does the points from N times this")
	return command
}

// runPoints does the points of a task. A point that fails doesn't keep the next ones from being
// done; a stop does.
func runPoints(ctx context.Context, a *app, flags runFlags, given bool) error {
	manifest, err := readManifest(flags.manifest, a.runs)
	if err != nil {
		return err
	}
	index := flags.index
	if !given {
		variable := ""
		if index, variable, err = sweep.Index(os.LookupEnv); err != nil {
			return err
		}
		fmt.Fprintf(a.err, "index    %d, by %s\n", index, variable)
	}
	points, err := manifest.Chunk(index, flags.chunk)
	if err != nil {
		return err
	}
	var worst error
	for _, at := range points {
		err := runPoint(ctx, a, manifest, at)
		if ctx.Err() != nil && err != nil {
			return err
		}
		if urgency(err) <= urgency(worst) {
			worst, err = err, worst
		}
		if err != nil { // the other one is reported at the end
			fmt.Fprintln(a.err, "error    "+describe(err))
		}
	}
	return worst
}

// urgency ranks the errors of the points of a task: the lowest rank gives the task's exit status.
func urgency(err error) int {
	return slices.Index([]int{exitFailed, exitStopped, exitUsage, exitDone}, exitStatus(err))
}

// runPoint does a point unless its card shows that it's done.
func runPoint(ctx context.Context, a *app, manifest *sweep.Manifest, index int) error {
	point, err := manifest.Open(a.runs, index)
	if err != nil {
		return err
	}
	if !point.Done() {
		if err := doPoint(ctx, a, point); err != nil {
			return err
		}
	}
	value := struct {
		Index     int    `json:"index"`
		Name      string `json:"name"`
		Directory string `json:"directory"`
	}{index, point.Name, point.Run.Directory()}
	return a.print(value, "done     point %d   %s   %s\n", index, point.Name, value.Directory)
}

// doPoint trains and tests a point.
func doPoint(ctx context.Context, a *app, point *sweep.Point) error {
	if err := checkData(ctx, point.Run.Config()); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("nbbnn sweep point: stopped before the training: %w", ctx.Err())
		}
		err = sweep.JudgeOpen(err)
		point.Record(err)
		return err
	}
	if _, err := announceEngine(a); err != nil {
		point.Record(err)
		return err
	}
	fmt.Fprintf(a.err, "point    %d   %s   %s\n", point.Index, point.Name, point.Run.Directory())
	progress := newProgress(a.streams, "")
	err := point.Do(ctx, nbbnn.TrainOptions{Progress: progress.report(point.Name)})
	progress.finish()
	return err
}
