package command

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/sweep"
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
	parallel, retries int
	task              func(index int) task
	done, all         int // tasks that are done already, and all of them
}

// ended is how the tasks of processes ended.
type ended struct {
	sweep.Result
	statuses map[int]int // exit status of each task's last process; -1 after a signal
}

// do runs the tasks with the given indices. If the context ends, each of them saves.
func (p processes) do(ctx context.Context, a *app, indices []int) (result ended, err error) {
	program, err := os.Executable()
	if err != nil {
		return result, fmt.Errorf("nbbnn: this program can't be found: %w", err)
	}
	if err := os.MkdirAll(sweep.Folder(a.runs), 0o755); err != nil {
		return result, fmt.Errorf("nbbnn: %w: choose another directory with --runs", err)
	}
	share := newShare(p.parallel, len(indices))
	for _, note := range share.notes(p.parallel) {
		fmt.Fprintln(a.err, "note     "+note)
	}
	result.statuses = make(map[int]int, len(indices))
	local := sweep.Local{
		Parallel: share.processes, Retries: p.retries, Patience: savePatience,
		Command: func(index, slot int) *exec.Cmd {
			return start(program, p.task(index), a.runs, share.variables(slot))
		},
		Ended: func(index, status int, took time.Duration) {
			if result.statuses[index] = status; status == exitDone {
				p.done++
			}
			fmt.Fprintf(a.err, "%-8s %s   %s   %d/%d\n",
				endedLabel(status, ctx.Err() != nil), p.task(index).name, quantity.Span(took), p.done, p.all)
		},
	}
	result.Result, err = local.Run(ctx, indices)
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
