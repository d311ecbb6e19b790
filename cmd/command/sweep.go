package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/cmd/sweep"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/paper"
)

func sweepCommand(a *app) *cobra.Command {
	return group(cobra.Command{
		Use:   "sweep",
		Short: "Plan many runs, and do them on one machine or a cluster",
		Long: "Plan many runs, and do them on one machine or a cluster. A manifest lists the " +
			"points; `nbbnn sweep point` does one of them,\n" +
			"and `nbbnn compare` compares those that are done. docs/cluster.md shows a sweep " +
			"from the plan to the table.",
		Example: "  nbbnn sweep plan --preset allcnnc-shapes10 --gamma 0,2 --seeds 1..3 " +
			"--manifest m.json\n  nbbnn sweep run --manifest m.json\n" +
			"  nbbnn sweep status --manifest m.json\n  nbbnn compare --manifest m.json",
	}, sweepPlanCommand(a), sweepRunCommand(a), sweepPointCommand(a), sweepStatusCommand(a),
		sweepSubmitCommand(a))
}

// addManifestFlag makes the flag of the manifest, which the command needs.
func addManifestFlag(c *cobra.Command, path *string) {
	c.Flags().StringVar(path, "manifest", "", "file of the manifest, as \"nbbnn sweep plan\" "+
		"writes it")
	_ = c.MarkFlagRequired("manifest") // it was just made
}

// readManifest reads a manifest; the points of a figure are tested as it measures runs in a
// directory.
func readManifest(path, runs string) (*sweep.Manifest, error) {
	m, err := sweep.Read(path)
	if err != nil || m.Figure == nil {
		return m, err
	}
	figure, scale, err := figureOf(m.Figure.Name(), m.Figure.Scale)
	if err != nil {
		return nil, commandline.Usage(err)
	}
	measured, err := figure.Measured(scale)
	m.Measure = figureMeasure{figure, scale, runs, measured}
	return m, commandline.Usage(err)
}

// figureOf returns the figure and the scale that have names.
func figureOf(name, scale string) (paper.Figure, paper.Scale, error) {
	figure, err := paper.ByName(name)
	if err != nil {
		return figure, "", err
	}
	err = check.Known("scale", paper.Scale(scale), paper.Scales...)
	if figure.Key == paper.Demo.Key {
		return figure, paper.Quick, err // its one scale
	}
	return figure, paper.Scale(scale), err
}

// figureMeasure measures runs as a figure needs them.
type figureMeasure struct {
	figure   paper.Figure
	scale    paper.Scale
	runs     string
	measured func(*nbbnn.Run) bool
}

func (f figureMeasure) Done(run *nbbnn.Run, _ nbbnn.Card) bool { return f.measured(run) }

func (f figureMeasure) Do(ctx context.Context, run *nbbnn.Run, progress nbbnn.Progress) error {
	return f.figure.MakeRun(ctx, f.scale, run.Config().RunName(),
		paper.Options{Runs: f.runs, Progress: progress})
}

func sweepStatusCommand(a *app) *cobra.Command {
	var path string
	var all bool
	command := &cobra.Command{
		Use:   "status",
		Short: "Say how far a sweep is: done, running, stopped, failed and waiting points",
		Long: `Say how far a sweep is, by the cards, histories and locks of its runs, and list the
points that run, stopped or failed, with the time that is left and the last error. It computes
nothing and can be asked at any time, from any machine.`,
		Example: `  nbbnn sweep status --manifest m.json
  nbbnn sweep status --manifest m.json --all --json`,
		RunE: func(*cobra.Command, []string) error {
			_, status, err := readSweep(a, path)
			if err != nil {
				return err
			}
			return printStatus(a, status, all)
		},
	}
	addManifestFlag(command, &path)
	command.Flags().BoolVar(&all, "all", false, "list points that are done or waiting, too")
	return command
}

// readSweep reads a manifest and the status of its points.
func readSweep(a *app, path string) (manifest *sweep.Manifest, status sweep.Status, err error) {
	if manifest, err = readManifest(path, a.runs); err == nil {
		status, err = manifest.Status(a.runs)
	}
	return manifest, status, err
}

// printStatus prints a line for each point that needs attention, or for each, and the summary.
func printStatus(a *app, status sweep.Status, all bool) error {
	text := ""
	for _, point := range status.Points {
		if all || point.State != sweep.Done && point.State != sweep.Waiting {
			text += fmt.Sprintf("%-8s point %d   %s   %s%s\n", point.State, point.Index, point.Name,
				point.Run, pointText(point))
		}
	}
	text += "sweep    " + status.String()
	if left := status.Left(); left > 0 {
		text += fmt.Sprintf("   about %s left with %s at a time", quantity.Span(left),
			quantity.Count(status.Count(sweep.Running), "point"))
	}
	return a.print(status, "%s\n", text)
}

// pointText describes a point in its state.
func pointText(point sweep.PointStatus) string {
	epochs := fmt.Sprintf("   epoch %d of %d", point.Epoch, point.Epochs)
	switch point.State {
	case sweep.Running:
		if point.Epoch == point.Epochs {
			epochs = "   in its evaluation"
		}
		if point.Left > 0 {
			epochs += ", " + quantity.Span(point.Left) + " left"
		}
		return epochs + "   " + point.Holder
	case sweep.Stopped:
		if point.Epoch == point.Epochs {
			return "   trained, not tested"
		}
		return epochs
	case sweep.Foreign:
		return "   " + point.Failure.Error
	case sweep.Failed:
		text := "   " + point.Failure.Error
		if point.Failure.Never {
			text += " (no repetition cures this)"
		}
		return text
	}
	return ""
}

func sweepSubmitCommand(a *app) *cobra.Command {
	var s sweep.Submission
	var dry bool
	command := &cobra.Command{
		Use:   "submit [-- ARGUMENT...]",
		Short: "Hand a sweep to Slurm, HyperQueue or Kubernetes by its own client",
		Long: `Hand a sweep to Slurm, HyperQueue or Kubernetes: fill in the files of
cmd/sweep/deploy and call sbatch, hq or kubectl. Points that are done end at once, so the same
command submits what is left. Arguments after -- go to the client. --dry-run prints what would be
called. For Kubernetes, paths are those in the containers, whose volume is /sweep.`,
		Example: "  nbbnn sweep submit --engine slurm --manifest m.json --parallel 8 --cpus 2 " +
			"--time 1:00:00 -- --partition=short\n" +
			"  nbbnn sweep submit --engine hyperqueue --manifest m.json --cpus 1 --chunk 4\n" +
			"  nbbnn sweep submit --engine kubernetes --manifest m.json --image registry/nbbnn " +
			"--claim runs --dry-run",
		RunE: func(c *cobra.Command, args []string) error {
			if given := c.ArgsLenAtDash(); given > 0 || given < 0 && len(args) > 0 {
				return commandline.Usagef("nbbnn sweep submit: %q is no flag: write -- "+
					"before arguments of the client", args[0])
			}
			s.Extra = args
			return submit(c.Context(), a, s, dry)
		},
	}
	addManifestFlag(command, &s.Manifest)
	f := command.Flags()
	f.StringVar(&s.Engine, "engine", "", "scheduler: "+strings.Join(sweep.Engines(), ", "))
	_ = command.MarkFlagRequired("engine") // it was just made
	f.StringVar(&s.Name, "name", "nbbnn-sweep", "name of the job")
	f.IntVar(&s.Chunk, "chunk", 1, "points of a task; short points share one")
	f.IntVar(&s.Parallel, "parallel", 0, "tasks at a time, for slurm and kubernetes; 0: any")
	f.IntVar(&s.CPUs, "cpus", 0, "cores of a task; 0 leaves it to the scheduler")
	f.IntVar(&s.GPUs, "gpus", 0, "GPUs of a task")
	f.StringVar(&s.Memory, "memory", "", "memory of a task, as slurm (4G) or kubernetes (4Gi) "+
		"writes it")
	f.StringVar(&s.Time, "time", "", "time limit of a task, for slurm and hyperqueue: 1:00:00")
	f.IntVar(&s.Retries, "retries", 2, "repetitions of a task that failed")
	f.StringVar(&s.Image, "image", "", "container's image, for kubernetes")
	f.StringVar(&s.Claim, "claim", "", "claim of the volume with manifest, runs and data, for "+
		"kubernetes")
	f.StringVar(&s.Queue, "queue", "", "local queue of Kueue, for kubernetes")
	f.BoolVar(&dry, "dry-run", false, "print the call, for a shell, and submit nothing")
	return command
}

// submit calls the scheduler's client, or prints the call.
func submit(ctx context.Context, a *app, s sweep.Submission, dry bool) error {
	manifest, err := sweep.Read(s.Manifest)
	if err != nil {
		return err
	}
	s.Tasks, s.Runs = manifest.Tasks(max(1, s.Chunk)), a.runs
	if s.Engine != "kubernetes" {
		if err := absolute(&s); err != nil {
			return err
		}
	}
	call, err := s.Call()
	if err != nil {
		return err
	}
	if dry {
		return printCall(a, call)
	}
	if s.Engine != "kubernetes" { // whose directory of runs is on the volume
		if err := os.MkdirAll(sweep.Folder(a.runs), 0o755); err != nil {
			return fmt.Errorf("nbbnn sweep submit: %w: choose another directory with --runs", err)
		}
	}
	client := exec.CommandContext(ctx, call.Arguments[0], call.Arguments[1:]...)
	client.Env = append(os.Environ(), call.Environment...)
	client.Stdin, client.Stdout, client.Stderr = strings.NewReader(call.Input), a.out, a.err
	if a.json {
		client.Stdout = a.err
	}
	err = client.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("nbbnn sweep submit: there's no %s on the PATH: run this where the "+
			"scheduler's client is, or add --dry-run and take the call there", call.Arguments[0])
	}
	if err != nil {
		return fmt.Errorf("nbbnn sweep submit: %s refused: %w", call.Arguments[0], err)
	}
	return a.print(call, "")
}

// absolute makes the paths of a submission independent of the folder in which tasks start.
func absolute(s *sweep.Submission) (err error) {
	if s.Program, err = os.Executable(); err != nil {
		return fmt.Errorf("nbbnn sweep submit: this program can't be found: %w", err)
	}
	for _, path := range []*string{&s.Manifest, &s.Runs} {
		if *path, err = filepath.Abs(*path); err != nil {
			return fmt.Errorf("nbbnn sweep submit: %w", err)
		}
	}
	return nil
}

// printCall prints a call for a shell, or as JSON.
func printCall(a *app, call sweep.Call) error {
	var words []string
	for _, variable := range call.Environment {
		name, value, _ := strings.Cut(variable, "=")
		words = append(words, name+"="+quote(value))
	}
	text := strings.Join(append(words, quoteAll(call.Arguments)), " ")
	if call.Input != "" {
		text += " << 'END'\n" + call.Input + "END"
	}
	return a.print(call, "%s\n", text)
}
