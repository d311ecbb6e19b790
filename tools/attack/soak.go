package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/janpfeifer/gonb/gonbui/protocol"
	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/lab"
	"github.com/nbbnn/workbench/nbbnn"
)

// soakCommand trains, tests and draws live views in one process for hours, and fails if it grows.
func soakCommand(a *app) *cobra.Command {
	var inside string
	command := &cobra.Command{
		Use: "soak", Short: "Train, test and draw live views in one process, and measure what it holds",
		Args: commandline.Arguments(), Example: "  attack soak --minutes 15",
		RunE: func(c *cobra.Command, _ []string) error {
			if inside != "" {
				return soakInside(c.Context(), a, inside)
			}
			return a.soak(c.Context())
		},
	}
	command.Flags().StringVar(&inside, "inside", "", "folder of the runs, in the process that is measured")
	_ = command.Flags().MarkHidden("inside")
	return command
}

// soakMinutes is how long a soak takes by default.
const soakMinutes = 120

// soak starts the process that is measured, with the pipes of a notebook's kernel, so that its live
// views are drawn. This process takes the place of the kernel.
func (a *app) soak(ctx context.Context) error {
	if _, err := takeSample(0, ownProcess); err != nil {
		return err
	}
	place, err := os.MkdirTemp("", "nbbnn-soak-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(place)
	views, answers := filepath.Join(place, "views"), filepath.Join(place, "answers")
	if out, err := exec.CommandContext(ctx, "mkfifo", views, answers).CombinedOutput(); err != nil {
		return fmt.Errorf("attack soak: no pipes for the live view: %w: %s", err, out)
	}
	if a.minutes == 0 {
		a.minutes = soakMinutes
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	started := time.Now()
	command := exec.CommandContext(ctx, self, "soak", "--inside", place, "--minutes", fmt.Sprint(a.minutes))
	command.Env = append(os.Environ(), protocol.GONB_PIPE_ENV+"="+views, protocol.GONB_PIPE_BACK_ENV+"="+answers)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	drawn := make(chan int, 1)
	go func() { drawn <- kernel(views, answers) }()
	samples, err := readSamples(out, a.out)
	if err := errors.Join(err, command.Wait()); err != nil {
		return err
	}
	measured := flatness(samples)
	measured.Views = <-drawn
	fmt.Fprintln(a.out, measured)
	if a.record != "" {
		r := newRecord(a, "soak", time.Since(started), nil)
		r.Command, r.Soak = fmt.Sprintf("attack soak --minutes %g", a.minutes), &measured
		if err := addRecord(a.record, r); err != nil {
			return err
		}
	}
	if !measured.Flat {
		return errors.New("attack soak: the process grows")
	}
	return nil
}

// soakInside repeats a training and a test with live views, and prints a sample after each round.
func soakInside(ctx context.Context, a *app, place string) error {
	work, encoder, started := newSmallWork(), json.NewEncoder(a.out), time.Now()
	work.config.Data.Train = 64
	for round := 1; time.Since(started).Minutes() < a.minutes; round++ {
		folder := filepath.Join(place, "runs")
		work.config.Seed = uint64(round)
		run, err := nbbnn.Open(folder, work.config)
		if err != nil {
			return err
		}
		if err := run.Train(ctx, lab.Live("soak")); err != nil {
			return err
		}
		if _, err := run.Evaluate(ctx, work.evaluation, lab.Live("soak")); err != nil {
			return err
		}
		if _, err := run.History(); err != nil {
			return err
		}
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
		taken, err := takeSample(time.Since(started), ownProcess)
		if err != nil {
			return err
		}
		if err := encoder.Encode(taken); err != nil {
			return err
		}
	}
	return nil
}

// sample is what a process holds.
type sample struct {
	Minutes     float64 `json:"minutes"`
	Resident    float64 `json:"resident_mb"` // memory, after garbage collection
	Heap        float64 `json:"heap_mb"`
	Goroutines  float64 `json:"goroutines"`
	Descriptors float64 `json:"descriptors"`
}

// ownProcess is where Linux tells what this process holds.
const ownProcess = "/proc/self"

// takeSample looks at this process. Without the files of its folder it's an error: numbers that are
// missing would be flat.
func takeSample(since time.Duration, process string) (sample, error) {
	runtime.GC()
	debug.FreeOSMemory()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	const megabyte = 1 << 20
	pages, err := residentPages(filepath.Join(process, "statm"))
	if err != nil {
		return sample{}, err
	}
	descriptors, err := os.ReadDir(filepath.Join(process, "fd"))
	if err != nil {
		return sample{}, unreadable(err)
	}
	return sample{
		Minutes: since.Minutes(), Resident: pages * float64(os.Getpagesize()) / megabyte, Heap: float64(memory.HeapAlloc) / megabyte,
		Goroutines: float64(runtime.NumGoroutine()), Descriptors: float64(len(descriptors)),
	}, nil
}

// residentPages reads the second number of a file like /proc/self/statm.
func residentPages(path string) (float64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, unreadable(err)
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0, unreadable(fmt.Errorf("%s holds %q", path, data))
	}
	pages, err := strconv.ParseFloat(fields[1], 64)
	if err != nil {
		return 0, unreadable(fmt.Errorf("%s: %w", path, err))
	}
	return pages, nil
}

// unreadable says that the system doesn't tell what a soak measures.
func unreadable(err error) error {
	return fmt.Errorf("attack soak: memory and descriptors can't be counted on %s: %w: run it on Linux", runtime.GOOS, err)
}

// readSamples reads the samples that a process prints, and shows one now and then.
func readSamples(from io.Reader, show io.Writer) (samples []sample, err error) {
	const every = 50
	for decoder := json.NewDecoder(from); ; {
		var s sample
		if err := decoder.Decode(&s); errors.Is(err, io.EOF) {
			return samples, nil
		} else if err != nil {
			return samples, err
		}
		if samples = append(samples, s); len(samples)%every == 1 {
			fmt.Fprintf(show, "soak     %5.1f min, round %d: %.1f MB resident, %.1f MB heap, %.0f goroutines, %.0f descriptors\n",
				s.Minutes, len(samples), s.Resident, s.Heap, s.Goroutines, s.Descriptors)
		}
	}
}
