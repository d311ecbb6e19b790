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

// peerName says what is compared with.
const peerName = "make_cifar_c.py and make_tinyimagenet_c.py of Hendrycks' robustness repository, one image at a time, to bytes"

// reference is a Python process with the reference's code.
type reference struct {
	process   *exec.Cmd
	questions io.WriteCloser
	answers   *bufio.Scanner
}

// startReference starts reference.py, which stands beside this file.
func startReference(ctx context.Context, s settings) (*reference, error) {
	if s.reference == "" {
		return nil, errors.New("corruptions: no reference: -reference names the folder of make_cifar_c.py")
	}
	process := exec.CommandContext(ctx, s.python, "bench/corruptions/reference.py", s.reference, s.images[0], s.images[1])
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
	return &reference{process, questions, bufio.NewScanner(answers)}, process.Start()
}

// imagesPerSecond asks for one measurement.
func (r *reference) imagesPerSecond(corruption string, side int, seconds float64) (float64, error) {
	if _, err := fmt.Fprintln(r.questions, corruption, side, seconds); err != nil {
		return 0, err
	}
	if !r.answers.Scan() {
		return 0, fmt.Errorf("corruptions: the reference gave no answer about %s: its own message is above", corruption)
	}
	return strconv.ParseFloat(strings.TrimSpace(r.answers.Text()), 64)
}

func (r *reference) stop() {
	r.questions.Close()
	r.process.Wait() //nolint:errcheck // the measurements are done
}
