package lab

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// Check ends the cell with a message if there is an error.
func Check(err error) {
	if err == nil {
		return
	}
	messages := log.New(os.Stderr, "", 0)
	// earlier output of the cell may be missing
	if late := flush(); errors.Is(late, errNotebookLate) {
		messages.Print(late)
	}
	messages.Fatal(err)
}

// Must returns the value, or ends the cell with a message if there is an error.
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// Interruptible returns a context that ends when the cell is interrupted, with the notebook's stop
// button or control-C. Training then saves and returns. A pipe that a restart of the kernel has
// broken doesn't end the program before that.
func Interruptible() context.Context {
	signal.Ignore(syscall.SIGPIPE)
	// for the life of the cell
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	return ctx
}

// showLimit is the time that a cell waits for a notebook that has stopped answering, and
// lookInterval the interval at which it looks for the kernel meanwhile.
const (
	showLimit    = 30 * time.Second
	lookInterval = 100 * time.Millisecond
)

var errNotebookLate = errors.New("the notebook did not answer within 30 s: restart its kernel " +
	"and run the cell again")

// flush sends messages and waits until the notebook has them and everything that was sent before.
// It returns an error if the kernel is gone, as after a restart, because gonbui.Sync then waits
// forever: the program of the cell would stay behind, perhaps with the lock of a run.
func flush(messages ...*protocol.DisplayData) error {
	if !gonbui.IsNotebook {
		return nil
	}
	taken, broken, over := make(chan struct{}), make(chan error, 1), make(chan struct{})
	defer close(over)
	go func() {
		for _, message := range messages {
			gonbui.SendData(message) // blocks if the notebook has stopped reading
		}
		gonbui.Sync()
		close(taken)
	}()
	go watchPipes(broken, over)
	select {
	case <-taken:
		return gonbui.Open()
	case err := <-broken:
		return err
	case <-time.After(showLimit):
		return errNotebookLate
	}
}

// watchPipes reports the error that broke the pipes to the kernel, unless the wait is over before.
func watchPipes(broken chan<- error, over <-chan struct{}) {
	look := time.NewTicker(lookInterval)
	defer look.Stop()
	for {
		select {
		case <-over:
			return
		case <-look.C:
			if err := gonbui.Open(); err != nil {
				broken <- err
				return
			}
		}
	}
}

// headlessVariable names the environment variable that headless reads.
const headlessVariable = "NBBNN_HEADLESS"

// headless reports whether NBBNN_HEADLESS is set, for a run without a reader: panels then show
// their first figure and end.
func headless() bool { return os.Getenv(headlessVariable) != "" }

// Assert prints a sentence with a check mark if it is true, or ends the cell with a message. Text
// and numbers of a notebook can't contradict each other if its sentences are asserted:
//
//	lab.Assert(own < foreign, "M16 does better on its own corruptions than on M32's")
func Assert(isTrue bool, sentence string) {
	Check(untrue(isTrue, sentence))
	fmt.Println("✓ " + sentence)
}

// untrue returns an error unless the sentence is true.
func untrue(isTrue bool, sentence string) error {
	if isTrue {
		return nil
	}
	return errors.New("lab: with these networks and images it isn't true that " + sentence)
}
