package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/paper"
	"github.com/nbbnn/workbench/sweep"
)

// parallelHelp is the help text of --parallel.
const parallelHelp = "runs at a time, each in a process of its own with its share of the cores, and a GPU of its own if there are several"

// checkParallel refuses a number of processes that can't be.
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
	fmt.Fprintf(a.err, "runs     %d in %s; each writes what it says to %s\n", len(tasks), processCount(min(parallel, len(tasks))), logPath(a.runs, "RUN"))
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
func tasksEnd(a *app, command string, tasks []task, result sweep.Result, isStopping bool) error {
	count := quantity.Count(len(tasks), "run")
	switch {
	case len(result.Failed) > 0:
		first := tasks[result.Failed[0]]
		log := logPath(a.runs, first.run)
		return fmt.Errorf("%s: %d of %s failed, the others are kept: %s, %s, by its log %s", command, len(result.Failed), count, first.name, lastLine(log), log)
	case len(result.Unfinished) > 0 && !isStopping:
		return fmt.Errorf("%s: another process is at work on %d of %s: %w; then repeat the command", command, len(result.Unfinished), count, nbbnn.ErrLocked)
	case len(result.Unfinished) > 0:
		return fmt.Errorf("%s: %d of %s aren't done: %w", command, len(result.Unfinished), count, nbbnn.ErrStopped)
	}
	return nil
}

// lastLine returns the last line of a log, which says why a process failed.
func lastLine(path string) (line string) {
	file, err := os.Open(path)
	if err != nil {
		return "no reason is known"
	}
	defer func() { _ = file.Close() }() // it was only read
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if text := strings.TrimSpace(lines.Text()); text != "" {
			line = text
		}
	}
	return strings.TrimSpace(strings.TrimPrefix(line, "error"))
}
