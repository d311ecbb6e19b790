package lab

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/nbbnn/workbench/internal/testkit"
)

// submission is a cell with an exercise, which MODE answers or ends.
const submission = `package main

import (
	"math"
	"os"
	"time"

	"github.com/nbbnn/workbench/lab"
)

var mode = os.Getenv("MODE")

func init() {
	if mode == "init" {
		os.Exit(0)
	}
}

func sigma(curvature, prior, gamma float64) float64 {
	switch mode {
	case "exit":
		os.Exit(0)
	case "later":
		go func() { time.Sleep(time.Millisecond); os.Exit(0) }()
	case "right":
		return math.Sqrt((gamma + 1) / (curvature + 1/(prior*prior)))
	}
	return 1
}

func main() {
	good := lab.Grade("4.1", sigma)
	if mode == "later" {
		time.Sleep(time.Second)
	}
	lab.Assert(good, "exercise 4.1 is right")
}
`

// Ending the program passes no exercise, wherever a submission does it.
func TestExitPassesNoExercise(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	program := filepath.Join(t.TempDir(), "cell")
	testkit.NoError(t, os.WriteFile(program+".go", []byte(submission), 0o600))
	if out, err := exec.Command("go", "build", "-o", program,
		program+".go").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	const ended = "the program ended before lab.Grade"
	for mode, want := range map[string]string{"right": "", "wrong": "it isn't true that",
		"exit": ended, "later": ended, "init": ended} {
		run := exec.Command(program)
		run.Env = append(run.Environ(), "MODE="+mode, protocol.GONB_PIPE_ENV+"=") // no notebook
		out, err := run.CombinedOutput()
		if (err == nil) != (want == "") || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v with %q, want %q", mode, err, out, want)
		}
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		marks       string
		mustBeRight bool
		fails       bool
	}{
		{"?+", true, false}, {"?-", false, false}, {"?+?+", true, false}, {"?-?+", false, false},
		{"", false, true}, {"?", false, true}, {"?+?", false, true}, {"?-", true, true},
		{"?+?-", true, true},
	} {
		if err := judge(c.marks, c.mustBeRight); (err != nil) != c.fails {
			t.Errorf("%q, must be right %v: %v", c.marks, c.mustBeRight, err)
		}
	}
}
