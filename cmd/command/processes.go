package command

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/sweep"
	"github.com/nbbnn/workbench/paper"
)

// savePatience is how long a process may take to save before it is killed.
const savePatience = 30 * time.Second

// task is the work of one process of this program.
type task struct {
	name      string   // for its line on standard error
	run       string   // name of its run's directory, and of its log
	arguments []string // of the command line
}

// processes are tasks that share this machine, some at a time.
type processes struct {
	tasks             []task
	parallel, retries int
	done              int // tasks that aren't among them because they are done
}

// ended is how the tasks of processes ended.
type ended struct {
	sweep.Result
	statuses map[int]int // exit status of each task's last process; -1 after a signal
}

// do runs the tasks. If the context ends, each of them saves.
func (p processes) do(ctx context.Context, a *app) (result ended, err error) {
	program, err := os.Executable()
	if err != nil {
		return result, fmt.Errorf("nbbnn: this program can't be found: %w", err)
	}
	if err := os.MkdirAll(sweep.Folder(a.runs), 0o755); err != nil {
		return result, fmt.Errorf("nbbnn: %w: choose another directory with --runs", err)
	}
	share, all := newShare(p.parallel, len(p.tasks)), p.done+len(p.tasks)
	for _, note := range share.notes() {
		fmt.Fprintln(a.err, "note     "+note)
	}
	result.statuses = map[int]int{}
	local := sweep.Local{
		Parallel: share.processes, Retries: p.retries, Patience: savePatience,
		Command: func(index, slot int) *exec.Cmd {
			return start(program, p.tasks[index], a.runs, share.variables(slot))
		},
		Ended: func(index, status int, took time.Duration) {
			if result.statuses[index] = status; status == exitDone {
				p.done++
			}
			fmt.Fprintf(a.err, "%-8s %s   %s   %d/%d\n",
				endedLabel(status, ctx.Err() != nil), p.tasks[index].name, quantity.Span(took), p.done, all)
		},
	}
	result.Result, err = local.Run(ctx, len(p.tasks))
	return result, err
}

// endedLabel says how the process of a task ended, by its exit status. If nothing stopped it,
// exitStopped means that another process works on its run.
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

// logPath returns the file with the output of a run's processes.
func logPath(runs, run string) string { return filepath.Join(sweep.Folder(runs), run+".log") }

// start returns the process of a task. Its log begins with the attempts before it.
func start(program string, t task, runs string, variables []string) *exec.Cmd {
	command := exec.Command(program, append(slices.Clone(t.arguments), "--"+stopFlag)...)
	command.Env = append(os.Environ(), variables...)
	log, err := os.OpenFile(logPath(runs, t.run), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil { // a task needs no log
		fmt.Fprintf(log, "attempt  %s   %s\n", t.name, time.Now().Format(time.RFC3339))
		command.Stdout, command.Stderr = log, log
	}
	return command
}

// machineShare divides the cores and the GPUs of this machine among processes.
type machineShare struct {
	processes, cores int
	gpus             []string
}

// newShare divides the machine among as many processes as there are tasks for.
func newShare(parallel, tasks int) machineShare {
	return machineShare{max(1, min(parallel, tasks)), runtime.GOMAXPROCS(0), engine.GPUs()}
}

// notes says where processes wait for each other.
func (s machineShare) notes() (notes []string) {
	if s.processes > s.cores {
		notes = append(notes, fmt.Sprintf("%d processes are more than the %s here, and wait for each other: --parallel %d needs less memory and is as fast",
			s.processes, quantity.Count(s.cores, "core"), s.cores))
	}
	if len(s.gpus) > 0 && s.processes > len(s.gpus) {
		notes = append(notes, fmt.Sprintf("%d processes share %s: they compute side by side under NVIDIA's MPS (nvidia-cuda-mps-control -d), else in turn",
			s.processes, quantity.Count(len(s.gpus), "GPU")))
	}
	return notes
}

// variables returns the variables that give a process its part of the machine.
func (s machineShare) variables(slot int) []string {
	cores := s.cores / s.processes
	if slot < s.cores%s.processes {
		cores++
	}
	variables := []string{"GOMAXPROCS=" + strconv.Itoa(max(1, cores))}
	if len(s.gpus) > 1 {
		variables = append(variables, "CUDA_VISIBLE_DEVICES="+s.gpus[slot%len(s.gpus)])
	}
	return variables
}

// parallelHelp is the help text of --parallel.
const parallelHelp = "runs at a time, each in a process of its own with its share of the cores, and a GPU of its own if there are several"

// checkParallel refuses a number of processes below 1.
func checkParallel(command string, parallel int) error {
	if parallel < 1 {
		return fmt.Errorf("nbbnn %s: --parallel is %d: give 1 process or more", command, parallel)
	}
	return nil
}

// makeRuns trains and measures the runs that a figure, named as on the command line, lacks, some at
// a time. flags change the figure's set-up.
func makeRuns(ctx context.Context, a *app, figure string, plan paper.Plan, parallel int, flags []string) error {
	var tasks []task
	for _, run := range plan.Runs {
		if run.Measured {
			continue
		}
		arguments := append([]string{"figure", figure, "--scale", string(plan.Scale), "--runs", a.runs, "--run", run.Directory}, flags...)
		tasks = append(tasks, task{run.Name, run.Directory, arguments})
	}
	return processes{tasks: tasks, parallel: parallel, done: plan.Measured()}.toEnd(ctx, a, "nbbnn figure", "run")
}

// toEnd does the tasks, and says how they ended. noun names one, such as "run".
func (p processes) toEnd(ctx context.Context, a *app, command, noun string) error {
	if len(p.tasks) == 0 {
		return nil
	}
	fmt.Fprintf(a.err, "%ss%s%d in %s; the output of each goes to %s\n", noun, strings.Repeat(" ", 8-len(noun)),
		len(p.tasks), processCount(min(p.parallel, len(p.tasks))), logPath(a.runs, "RUN"))
	result, err := p.do(ctx, a)
	if err != nil {
		return err
	}
	return p.end(a, command, quantity.Count(len(p.tasks), noun), result, ctx.Err() != nil)
}

func processCount(count int) string {
	if count == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", count)
}

// end returns the error of tasks that aren't all done. count names all, such as "4 runs".
func (p processes) end(a *app, command, count string, result ended, isStopping bool) error {
	unfinished := len(result.Unfinished)
	switch {
	case len(result.Failed) > 0:
		first := result.Failed[0]
		log := logPath(a.runs, p.tasks[first].run)
		return fmt.Errorf("%s: %d of %s failed, the others are kept: %s, %s; its log is %s",
			command, len(result.Failed), count, p.tasks[first].name, whyFailed(result.statuses[first], log), quote(log))
	case unfinished == 0:
		return nil
	case isStopping:
		return fmt.Errorf("%s: %d of %s aren't done: %w", command, unfinished, count, nbbnn.ErrStopped)
	}
	return fmt.Errorf("%s: another process is at work on %d of %s: %w; then repeat the command", command, unfinished, count, nbbnn.ErrLocked)
}

// whyFailed says why a process failed that ended with an exit status, by its log.
func whyFailed(status int, log string) string {
	if status < 0 {
		return "a signal ended it, as when memory is short"
	}
	return cmp.Or(lastError(log), fmt.Sprintf("status %d without an error in its log", status))
}

// lastError returns the last line of a log that is an error of its last attempt; "" without one.
func lastError(path string) (text string) {
	log, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(log)) {
		label, rest, _ := strings.Cut(line, " ")
		switch label {
		case "attempt":
			text = ""
		case "error":
			text = strings.TrimSpace(rest)
		}
	}
	return text
}
