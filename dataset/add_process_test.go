//go:build linux

package dataset

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// childVariable tells a process of this test what to do, and where.
const childVariable = "NBBNN_ADD_TEST"

// TestAddChild isn't a test: it is what the processes that the tests below start do.
func TestAddChild(t *testing.T) {
	task, directory, _ := strings.Cut(os.Getenv(childVariable), " ")
	waitAt, _ := strconv.Atoi(task) // 0 for no number
	switch task {
	case "":
		t.Skip("only for other tests")
	case "full":
		limitFiles(t, 20_000)
	}
	reports := 0
	progress := func(step, file string, done, total int64) {
		fmt.Println(step, file, done, total)
		if reports++; reports == waitAt {
			_, _ = os.Stdin.Read(make([]byte, 1)) // until this process is killed
		}
	}
	_, err := Add(t.Context(), dots("dots", 64, 4), AddOptions{Directory: directory,
		Progress: progress})
	fmt.Println("error:", err)
}

// limitFiles makes writes beyond a number of bytes fail in this process, as on a full disk.
func limitFiles(t *testing.T, bytes uint64) {
	signal.Ignore(syscall.SIGXFSZ)
	testkit.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE,
		&syscall.Rlimit{Cur: bytes, Max: bytes}))
}

func child(task, directory string) *exec.Cmd {
	command := exec.Command(os.Args[0], "-test.run=^TestAddChild$", "-test.v")
	command.Env = append(os.Environ(), childVariable+"="+task+" "+directory)
	return command
}

func TestAddOnAFullDisk(t *testing.T) {
	directory := t.TempDir()
	out, err := child("full", directory).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{"error: dataset: ", "file too large",
		`the set "dots" needs 0.2 MB`, "NBBNN_DATA"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}
	checkNothingLeft(t, directory)
}

// A process that is killed after any of its four files leaves no set, and the next one adds it.
func TestAddKilled(t *testing.T) {
	for reports := 1; reports <= 4; reports++ {
		directory := t.TempDir()
		command := child(strconv.Itoa(reports), directory)
		testkit.Must(command.StdinPipe())(t)
		out := testkit.Must(command.StdoutPipe())(t)
		testkit.NoError(t, command.Start())
		seen := 0
		for lines := bufio.NewScanner(out); seen < reports && lines.Scan(); {
			if strings.HasPrefix(lines.Text(), packing) {
				seen++
			}
		}
		testkit.NoError(t, command.Process.Kill())
		_ = command.Wait() // it was killed
		if sets, err := Added(directory); err != nil || len(sets) > 0 {
			t.Errorf("after %d reports: sets %v, error %v, want none", reports, sets, err)
		}
		add(t, directory, dots("dots", 64, 4))
		if _, err := Open(t.Context(), Config{Name: "dots", Directory: directory}); err != nil {
			t.Error(err)
		}
	}
}
