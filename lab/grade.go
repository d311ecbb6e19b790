package lab

import (
	"errors"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"time"
)

const (
	gradeLimit  = 5 * time.Second // for all properties of an exercise
	outputLimit = 2000            // bytes of a submission's own output that are shown
)

// property must hold for a solution of type F; hint helps one that lacks it.
type property[F any] struct {
	text, hint string
	holds      func(solution F) bool
}

// exercise returns a submission's fault, with a hint, or nil if it's right.
type exercise func(submission any) error

// exerciseOf makes an exercise of properties, which are tried in their order.
func exerciseOf[F any](properties []property[F]) exercise {
	return func(submission any) error {
		solution, ok := submission.(F)
		if !ok {
			return fmt.Errorf("wanted: a %T. Hint: this is a %T", solution, submission)
		}
		for _, p := range properties {
			if !p.holds(solution) {
				return fmt.Errorf("wanted: %s. Hint: %s", p.text, p.hint)
			}
		}
		return nil
	}
}

// like makes an exercise whose solution equals a function of numbers, which are drawn.
func like[F any](right F, text, hint string) exercise {
	want := reflect.ValueOf(right)
	return exerciseOf([]property[F]{{text, hint, func(solution F) bool {
		drawn, alike := make([]reflect.Value, want.Type().NumIn()), true
		for range 20 {
			for i := range drawn {
				drawn[i] = reflect.ValueOf(0.1 + 0.8*rand.Float64())
			}
			got := reflect.ValueOf(solution).Call(drawn)[0].Float()
			alike = alike && near1(got, want.Call(drawn)[0].Float())
		}
		return alike
	}}})
}

// try is the exercise, which takes a panic for a wrong submission.
func (e exercise) try(submission any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it panics: %.200v", r)
		}
	}()
	return e(submission)
}

// Grade tries a reader's function on the properties of a solution of an exercise, for example
// "1.1". It prints that all hold, or shows a folded hint at the first that doesn't, and reports
// whether they do. A function that panics is wrong. Grade shows the first 2,000 bytes that it
// prints with fmt. Go can't stop a function that still runs after five seconds: Grade abandons it
// and ends the cell.
// The function has the rights of the notebook, to remove files for example. A program that can call
// Grade runs itself again and fails if it ends there, by os.Exit(0) for example, without an answer
// of Grade, or if the answer was wrong and the program can call Assert.
func Grade(exercise string, yourFunction any) bool {
	mark(begun)
	err := grade(exercise, yourFunction, gradeLimit, os.Stdout)
	if errors.Is(err, errAtWork) {
		Check(err)
	}
	if err != nil {
		mark(wrong)
		tell("✗ not yet: "+err.Error(), "<details><summary>✗ not yet: why, and a hint</summary>"+
			html.EscapeString(err.Error())+"</details>")
		return false
	}
	mark(right)
	fmt.Printf("✓ exercise %s is right\n", exercise)
	return true
}

var errAtWork = errors.New("the function is still at work. Go can't stop it, so the cell ends. " +
	"Does every loop end?")

// grade is Grade with the time limit and the place of the submission's output.
func grade(number string, submission any, limit time.Duration, output io.Writer) error {
	chosen, known := exercises[number]
	if !known {
		return fmt.Errorf("lab: unknown exercise %q: give a number of the lesson, for example "+
			"\"1.1\"", number)
	}
	end := captureOutput(output)
	found := make(chan error, 1)
	go func() { found <- chosen.try(submission) }()
	select {
	case err := <-found:
		end(false)
		return err
	case <-time.After(limit):
		end(true)
		return fmt.Errorf("lab: exercise %s, after %v: %w", number, limit, errAtWork)
	}
}

// captureOutput sends what the program prints with package os to a writer, up to a limit, until the
// returned function is called. Then os.Stdout is closed if the submission may still print.
func captureOutput(output io.Writer) (end func(stillPrints bool)) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return func(bool) {} // it's printed as always
	}
	stdout, stderr, rest := os.Stdout, os.Stderr, make(chan int64)
	os.Stdout, os.Stderr = writer, writer
	go func() {
		io.CopyN(output, reader, outputLimit)
		count, _ := io.Copy(io.Discard, reader)
		rest <- count
	}()
	return func(stillPrints bool) {
		os.Stderr = stderr
		if !stillPrints {
			os.Stdout = stdout
		}
		writer.Close()
		if count := <-rest; count > 0 {
			fmt.Fprintf(output, "\n... and %d bytes more\n", count)
		}
		reader.Close()
	}
}
