package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// reference is a Python process with the reference's code.
type reference struct {
	process   *exec.Cmd
	questions io.WriteCloser
	answers   *bufio.Scanner
	name      string // what is compared with, with the versions of its libraries
}

// startReference starts reference.py, which is next to this file.
func startReference(ctx context.Context, s settings) (*reference, error) {
	if s.reference == "" {
		return nil, errors.New("corruptions: no reference: -reference names the folder of make_cifar_c.py")
	}
	process := exec.CommandContext(ctx, s.python, "tools/bench/corruptions/reference.py", s.reference, s.images[0], s.images[1])
	process.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "MAGICK_THREAD_LIMIT=1")
	process.Stderr = os.Stderr
	questions, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	answers, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r := &reference{process: process, questions: questions, answers: bufio.NewScanner(answers)}
	if err := process.Start(); err != nil {
		return nil, err
	}
	versions, err := r.answer()
	r.name = "make_cifar_c.py and make_tinyimagenet_c.py of Hendrycks' robustness repository, to bytes; " + versions
	return r, err
}

// answer reads one line.
func (r *reference) answer() (string, error) {
	if !r.answers.Scan() {
		return "", errors.New("corruptions: the reference gives no answer: its own message is above")
	}
	return strings.TrimSpace(r.answers.Text()), nil
}

// imagesPerSecond asks for one measurement.
func (r *reference) imagesPerSecond(corruption string, side int, seconds float64) (float64, error) {
	if _, err := fmt.Fprintln(r.questions, corruption, side, seconds); err != nil {
		return 0, err
	}
	answer, err := r.answer()
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(answer, 64)
}

func (r *reference) stop() {
	r.questions.Close()
	r.process.Wait() //nolint:errcheck // the measurements are done
}
