package sweep

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nbbnn/workbench/internal/testkit"
)

// TestLocalHelper is a process of a sweep: it ends with the status in SWEEP_HELPER, or waits for
// SIGTERM or the end of its input and ends with 75.
func TestLocalHelper(t *testing.T) {
	text := os.Getenv("SWEEP_HELPER")
	if text == "" {
		t.Skip("part of the tests of Local")
	}
	if status, err := strconv.Atoi(text); err == nil {
		os.Exit(status)
	}
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	os.Stdout.WriteString("ready\n")
	if text == "input" {
		_, _ = io.Copy(io.Discard, os.Stdin)
	} else {
		<-terminated
	}
	os.Exit(ExitStopped)
}

func helper(text string) *exec.Cmd {
	command := exec.Command(os.Args[0], "-test.run=^TestLocalHelper$")
	command.Env = append(os.Environ(), "SWEEP_HELPER="+text)
	return command
}

// Each point is tried as often as its exit status asks for, in one of two slots. A stop isn't
// counted as a failure.
func TestLocalRepeatsWhatMayCure(t *testing.T) {
	statuses := map[int][]int{0: {0}, 1: {1, 0}, 2: {65}, 3: {75, 0}, 4: {1, 1}, 5: {75, 75}, 6: {75, 1, 0}, 7: {1, 75, 0}, 8: {2, 0}}
	var mu sync.Mutex
	tries := map[int]int{}
	local := Local{
		Parallel: 2, Retries: 1, Patience: time.Minute,
		Command: func(point, slot int) *exec.Cmd {
			mu.Lock()
			defer mu.Unlock()
			if slot < 0 || slot > 1 {
				t.Errorf("slot %d, want 0 or 1", slot)
			}
			status := statuses[point][tries[point]]
			tries[point]++
			return helper(strconv.Itoa(status))
		},
	}
	result := testkit.Must(local.Run(t.Context(), 9))(t)
	want := Result{Done: []int{0, 1, 3, 6, 7, 8}, Failed: []int{2, 4}, Unfinished: []int{5}}
	if !slices.Equal(result.Done, want.Done) || !slices.Equal(result.Failed, want.Failed) || !slices.Equal(result.Unfinished, want.Unfinished) {
		t.Errorf("%+v, want %+v", result, want)
	}
	for point, list := range statuses {
		if tries[point] != len(list) {
			t.Errorf("point %d was tried %d times, want %d", point, tries[point], len(list))
		}
	}
}

// When the context ends, the processes get SIGTERM and the end of their input, and are waited for.
func TestLocalAsksToStop(t *testing.T) {
	for _, waitsFor := range []string{"signal", "input"} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ready, writer := io.Pipe()
		local := Local{Parallel: 2, Patience: time.Minute, Command: func(point, _ int) *exec.Cmd {
			command := helper(waitsFor)
			command.Stdout = writer
			return command
		}}
		go func() {
			lines := bufio.NewScanner(ready)
			for range 2 {
				lines.Scan()
			}
			cancel()
			_, _ = io.Copy(io.Discard, ready)
		}()
		result, err := local.Run(ctx, 3)
		if err != nil || !slices.Equal(result.Unfinished, []int{0, 1, 2}) {
			t.Errorf("%s: %+v (%v), want all unfinished", waitsFor, result, err)
		}
	}
}

// A program that can't be started fails its points, and the error says so.
func TestLocalWithoutAProgram(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	local := Local{Parallel: 1, Command: func(int, int) *exec.Cmd { return exec.Command(missing) }}
	if result, err := local.Run(t.Context(), 1); err == nil || len(result.Failed) != 1 {
		t.Errorf("%+v (%v), want one failed and an error", result, err)
	}
}
