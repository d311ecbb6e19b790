package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nbbnn/workbench/cmd/sweep"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/progress"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/trial"
	"github.com/nbbnn/workbench/nbbnn"
)

// savePatience is the time that a process has to save before it's killed.
const savePatience = 30 * time.Second

// task is the work of one process of this program.
type task struct {
	name      string   // for its line on standard error
	run       string   // name of its run's directory, and of its log
	arguments []string // of the command line

	// exit status of its last process: -1 after a signal, exitStopped before the first
	status          int
	stops, failures int // of its processes
}

// processes are tasks that share this machine, some at a time.
type processes struct {
	tasks             []*task
	parallel, retries int
	done              int // tasks that were done before
	clock             progress.Clock
}

// add adds a task.
func (p *processes) add(name, run string, arguments ...string) {
	p.tasks = append(p.tasks, &task{name: name, run: run, arguments: arguments,
		status: exitStopped})
}

// do runs the tasks, each of which saves if the context ends. A task to repeat waits until the
// others are begun.
func (p *processes) do(ctx context.Context, a *app) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("nbbnn: this program can't be found: %w", err)
	}
	if err := os.MkdirAll(sweep.Folder(a.runs), 0o755); err != nil {
		return fmt.Errorf("nbbnn: %w: choose another directory with --runs", err)
	}
	share := newShare(p.parallel, len(p.tasks))
	for _, note := range share.notes() {
		a.note("%s", note)
	}
	var group sync.WaitGroup
	var mutex sync.Mutex // of all that the slots share
	queue, atWork := slices.Clone(p.tasks), make([]*task, share.processes)
	defer showInTurn(a, &mutex, atWork)()
	p.clock.Remaining(p.state())
	for slot := range share.processes {
		group.Go(func() {
			mutex.Lock()
			defer mutex.Unlock()
			for len(queue) > 0 && ctx.Err() == nil {
				next, started := queue[0], time.Now()
				queue, atWork[slot] = queue[1:], next
				mutex.Unlock()
				status, err := next.try(ctx, program, a.runs, share.variables(slot))
				mutex.Lock()
				atWork[slot] = nil
				isStopping := ctx.Err() != nil
				if next.repeats(status, p.retries, isStopping) {
					queue = append(queue, next)
				}
				p.report(a, next, status, err, time.Since(started), isStopping)
			}
		})
	}
	group.Wait()
	return nil
}

// report prints how a task's process ended and how many tasks are done.
func (p *processes) report(a *app, t *task, status int, err error, took time.Duration,
	isStopping bool) {
	if a.terminal {
		fmt.Fprint(a.err, "\r\x1b[K") // the progress of a task
	}
	if err != nil {
		fmt.Fprintln(a.err, "error    "+describe(err))
	}
	state := p.state()
	line := fmt.Sprintf("%-8s %s   %s   %d/%d", endedLabel(status, isStopping), t.name,
		quantity.Span(took), p.done+state.Done, p.done+state.Total)
	if left := p.clock.Remaining(state); left > 0 {
		line += "   " + quantity.Span(left) + " left"
	}
	fmt.Fprintln(a.err, line)
}

// repeats notes how the task's process ended, and reports whether another may continue: once after
// a stop, since another process may have held the run, and up to retries times after failures.
func (t *task) repeats(status, retries int, isStopping bool) bool {
	t.status = status
	switch {
	case status == exitDone || status == exitNever:
		return false
	case status == exitStopped:
		t.stops++
		return t.stops == 1
	case isStopping:
		t.status = exitStopped // it may have failed because of that
	}
	if t.failures++; t.failures > retries {
		return false
	}
	t.status = exitStopped // until it's tried again
	return true
}

// endedLabel describes how a task's process ended, from its exit status. If nothing stopped it,
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

// ownGroup keeps the terminal's Ctrl-C from processes, since a second one would end them before
// they have saved; nil on systems where they can't be kept apart.
var ownGroup *syscall.SysProcAttr

// logPath returns the file with the output of a run's processes.
func logPath(runs, run string) string { return filepath.Join(sweep.Folder(runs), run+".log") }

// try does the task in a process and returns its exit status. The log begins with the attempts
// before.
func (t *task) try(ctx context.Context, program, runs string, variables []string) (status int,
	err error) {
	command := exec.CommandContext(ctx, program, append(slices.Clone(t.arguments), "--"+
		stopFlag)...)
	command.Args[0] = os.Args[0] // its name in messages
	command.Env = append(os.Environ(), variables...)
	log, err := os.OpenFile(logPath(runs, t.run), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil { // a task needs no log
		defer log.Close()
		fmt.Fprintf(log, "attempt  %s   %s\n", t.name, time.Now().Format(time.RFC3339))
		command.Stdout, command.Stderr = log, log
	}
	input, err := command.StdinPipe() // the system ends it however this process ends
	if err != nil {
		return exitFailed, fmt.Errorf("nbbnn: a process can't be started: %w", err)
	}
	command.Cancel, command.WaitDelay, command.SysProcAttr = input.Close, savePatience, ownGroup
	if err := command.Start(); ctx.Err() != nil && command.Process == nil {
		return exitStopped, nil
	} else if err != nil {
		return exitFailed, fmt.Errorf("nbbnn: a process can't be started: %w", err)
	}
	_ = command.Wait() // its status is read below
	return command.ProcessState.ExitCode(), nil
}

// stopFlag is a flag of all commands: a process saves and stops when its standard input ends, for
// example when its parent process ends.
const stopFlag = "stop-with-input"

// untilEnd returns a context that ends with the given one, and when input does.
func untilEnd(ctx context.Context, input io.Reader) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, input)
		cancel()
	}()
	return ctx
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

// notes describes where processes wait for each other.
func (s machineShare) notes() (notes []string) {
	if s.processes > s.cores {
		notes = append(notes, fmt.Sprintf("%d processes are more than the %s here, and wait for "+
			"each other: --parallel %d needs less memory and is as fast",
			s.processes, quantity.Count(s.cores, "core"), s.cores))
	}
	if len(s.gpus) > 0 && s.processes > len(s.gpus) {
		notes = append(notes, fmt.Sprintf("%d processes share %s: they compute side by side "+
			"under NVIDIA's MPS (nvidia-cuda-mps-control -d), else in turn",
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

const parallelHelp = "runs at a time, each in a separate process with its share of the cores, " +
	"and a GPU each if there are several; 0 means one a core if memory allows, and 1 on a " +
	"GPU or XLA"

// memoryOf returns about how much memory, in bytes, a process takes that makes a run; 0 if unknown.
func memoryOf(config nbbnn.Config) float64 {
	config = config.WithDefaults()
	return trial.MostMemory(config.Settings(), config.Data.Images().Size())
}

// atOnce returns the number of runs to make at a time: as asked, or for 0 one a core, as far as the
// machine has memory bytes for each.
func atOnce(asked, runs int, memory float64) int {
	most := asked
	if asked == 0 && engine.IsOnCores() {
		most = runtime.GOMAXPROCS(0)
		if limit := machine.MemoryLimit(); limit > 0 && memory > 0 {
			most = min(most, int(float64(limit)/memory))
		}
	}
	return max(1, min(most, runs))
}

// toEnd does the tasks for a command, for example "train", and prints how they ended. noun names
// one, for example "run".
func (p *processes) toEnd(ctx context.Context, a *app, command, noun string) error {
	if len(p.tasks) == 0 {
		return nil
	}
	fmt.Fprintf(a.err, "%-8s %d, %d at a time; the output of each goes to %s\n",
		noun+"s", len(p.tasks), min(p.parallel, len(p.tasks)), logPath(a.runs, "RUN"))
	if err := p.do(ctx, a); err != nil {
		return err
	}
	return p.problem(a, command, quantity.Count(len(p.tasks), noun), ctx.Err() != nil)
}

// problem returns the error of tasks that aren't all done. count names all, for example "4 runs".
func (p *processes) problem(a *app, command, count string, isStopping bool) error {
	var first *task
	var failed []string // names
	stopped := 0
	for _, t := range p.tasks {
		if t.status == exitStopped {
			stopped++
		} else if t.status != exitDone {
			first, failed = cmp.Or(first, t), append(failed, t.name)
		}
	}
	switch {
	case len(failed) > 0:
		log := logPath(a.runs, first.run)
		err := fmt.Errorf("nbbnn %s: %d of %s failed: %s, %s; its log is %s",
			command, len(failed), count, first.name, whyFailed(first.status, log), quote(log))
		if len(failed) > 1 {
			err = fmt.Errorf("%w; and %s", err, quantity.List(failed[1:], mostNamed))
		}
		return err
	case stopped == 0:
		return nil
	case isStopping:
		return fmt.Errorf("nbbnn %s: %d of %s aren't done: %w", command, stopped, count,
			nbbnn.ErrStopped)
	}
	return fmt.Errorf("nbbnn %s: another process is at work on %d of %s: %w; then repeat the "+
		"command", command, stopped, count, nbbnn.ErrLocked)
}

// whyFailed explains a process's failure from its exit status and log.
func whyFailed(status int, log string) string {
	if status < 0 {
		return "a signal ended it, as when memory is short"
	}
	return cmp.Or(lastError(log), fmt.Sprintf("status %d without an error in its log", status))
}

// lastError returns the last line of a log that is an error of its last attempt; "" without one.
func lastError(path string) string {
	line := lastLogged(path, func(line string) bool { return strings.HasPrefix(line, "error ") })
	return strings.TrimSpace(strings.TrimPrefix(line, "error "))
}

// lastLogged returns the last line that is wanted of the last attempt in a log; "" without one.
func lastLogged(path string, wanted func(line string) bool) (last string) {
	log, err := files.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(log)) {
		if strings.HasPrefix(line, "attempt ") {
			last = ""
		} else if wanted(line) {
			last = strings.TrimSpace(line)
		}
	}
	return last
}
