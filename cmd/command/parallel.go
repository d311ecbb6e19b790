package command

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/paper"
)

// parallelHelp is the help text of --parallel.
const parallelHelp = "runs at a time, each in a process of its own with its share of the cores, and a GPU of its own if there are several"

// checkParallel refuses a number of processes below 1.
func checkParallel(command string, parallel int) error {
	if parallel < 1 {
		return fmt.Errorf("nbbnn %s: --parallel is %d: give 1 process or more", command, parallel)
	}
	return nil
}

// makeRuns trains and measures the runs that a figure lacks, some at a time. flags change the
// figure's set-up.
func makeRuns(ctx context.Context, a *app, plan paper.Plan, parallel int, flags []string) error {
	var tasks []task
	for _, run := range plan.Runs {
		if run.Measured || slices.ContainsFunc(tasks, func(t task) bool { return t.run == run.Directory }) {
			continue
		}
		arguments := append([]string{"figure", strconv.Itoa(plan.Figure), "--scale", string(plan.Scale), "--runs", a.runs, "--run", run.Directory}, flags...)
		tasks = append(tasks, task{run.Name, run.Directory, arguments})
	}
	return doTasks(ctx, a, "nbbnn figure", tasks, parallel, plan.Measured())
}

// doTasks does tasks, some at a time, and says how they ended. done counts those that aren't among
// them because they are done.
func doTasks(ctx context.Context, a *app, command string, tasks []task, parallel, done int) error {
	if len(tasks) == 0 {
		return nil
	}
	indices := make([]int, len(tasks))
	for i := range indices {
		indices[i] = i
	}
	p := processes{parallel: parallel, task: func(i int) task { return tasks[i] }, done: done, all: done + len(tasks)}
	fmt.Fprintf(a.err, "runs     %d in %s; the output of each goes to %s\n",
		len(tasks), processCount(min(parallel, len(tasks))), logPath(a.runs, "RUN"))
	result, err := p.do(ctx, a, indices)
	if err != nil {
		return err
	}
	return tasksEnd(a, command, tasks, result, ctx.Err() != nil)
}

func processCount(count int) string {
	if count == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", count)
}

// tasksEnd returns the error of tasks that aren't all done.
func tasksEnd(a *app, command string, tasks []task, result ended, isStopping bool) error {
	count := quantity.Count(len(tasks), "run")
	if len(result.Failed) == 0 {
		return unfinishedError(command, count, len(result.Unfinished), isStopping)
	}
	first := result.Failed[0]
	log := logPath(a.runs, tasks[first].run)
	return fmt.Errorf("%s: %d of %s failed, the others are kept: %s, %s; its log is %s",
		command, len(result.Failed), count, tasks[first].name, whyFailed(result.statuses[first], log), quote(log))
}

// unfinishedError returns the error of tasks that were stopped, or that another process works on;
// nil if there are none. count names all tasks, such as "4 runs".
func unfinishedError(command, count string, unfinished int, isStopping bool) error {
	switch {
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
