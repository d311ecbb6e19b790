package lab

import (
	"context"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/janpfeifer/gonb/gonbui"
)

// Check ends the cell with a message if there is an error.
func Check(err error) {
	if err == nil {
		return
	}
	if gonbui.IsNotebook {
		gonbui.Sync() // what the cell has shown before must reach the notebook
	}
	log.New(os.Stderr, "", 0).Fatal(err)
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
	ctx, _ := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM) // for the life of the cell
	return ctx
}

// headlessVariable names the environment variable that says that nobody looks at the notebook.
const headlessVariable = "NBBNN_HEADLESS"

// Headless reports whether nobody looks at the notebook, because the environment variable
// NBBNN_HEADLESS is set: panels then show their first figure and end.
func Headless() bool { return os.Getenv(headlessVariable) != "" }
