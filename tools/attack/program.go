package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// program is the user's binary with the environment that every attack gives it.
type program struct {
	path        string
	environment []string
}

// newProgram returns a program whose data sets are in the folder data.
func newProgram(path, data string) program {
	return program{path, append(os.Environ(), "NBBNN_DATA="+data, "NO_COLOR=1", "GOMLX_BACKEND=", "NBBNN_KERNELS=")}
}

// with returns the program with more variables in its environment.
func (p program) with(variables ...string) program {
	p.environment = slices.Concat(p.environment, variables)
	return p
}

// answer holds the output of a command and how it ended.
type answer struct {
	Out, Err string
	Status   int // -1 after a signal
}

// patience is how long a command of a tiny network may take, even with the lowest priority on a
// loaded machine.
const patience = 15 * time.Minute

// command prepares a command in a folder.
func (p program) command(ctx context.Context, folder string, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, p.path, arguments...)
	command.Dir, command.Env = folder, p.environment
	return command
}

// run runs a command in a folder to its end.
func (p program) run(ctx context.Context, folder string, arguments ...string) (answer, error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var out, problems bytes.Buffer
	command := p.command(limited, folder, arguments...)
	command.Stdout, command.Stderr = &out, &problems
	err := command.Run()
	got := answer{out.String(), problems.String(), command.ProcessState.ExitCode()}
	if _, failed := errors.AsType[*exec.ExitError](err); failed && ctx.Err() == nil {
		err = nil
	}
	return got, err
}

// succeed is run of a command that can't fail.
func (p program) succeed(ctx context.Context, folder string, arguments ...string) (answer, error) {
	got, err := p.run(ctx, folder, arguments...)
	if err == nil && got.Status != 0 {
		err = fmt.Errorf("attack: nbbnn %s ended with %d: %s", strings.Join(arguments, " "), got.Status, lastLine(got.Err))
	}
	return got, err
}

// crashed reports whether the program ended in a way that no command may: by a signal, by a panic,
// or because it hung.
func (a answer) crashed() bool {
	return a.Status < 0 || strings.Contains(a.Err, "goroutine ") && strings.Contains(a.Err, "[running]")
}

// volatile are the keys of JSON whose values differ between two equal runs: times, memory, the
// program's version and the checksum of a card that has them.
var volatile = []string{"sha256", "wall_seconds", "seconds", "total_seconds", "created", "changed", "peak_memory_bytes", "commit", "commit_modified"}

// notes returns the lines that say more than how far the work is.
func (a answer) notes() (lines []string) {
	for line := range strings.Lines(a.Err) {
		if strings.HasPrefix(line, "note ") || strings.HasPrefix(line, "error ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// result returns what the command printed, without what differs between equal runs.
func (a answer) result() string {
	var value any
	if json.Unmarshal([]byte(a.Out), &value) != nil {
		return a.Out
	}
	data, err := json.Marshal(steady(value))
	if err != nil {
		return a.Out
	}
	return string(data)
}

// steady removes volatile keys from a JSON value.
func steady(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range volatile {
			delete(v, key)
		}
		for key := range v {
			v[key] = steady(v[key])
		}
	case []any:
		for i := range v {
			v[i] = steady(v[i])
		}
	}
	return value
}

// lastLine returns the last line of a text.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
