package paper

import (
	"context"
	"fmt"
	"html"
	"os/signal"
	"syscall"
	"time"

	"github.com/janpfeifer/gonb/gonbui"
)

// Interruptible returns a context that ends when the person in front of the machine interrupts it: with control-C in a
// terminal, with the stop button of a notebook. Training then saves and returns. A broken pipe, which a notebook's
// restart leaves behind, doesn't end the program before it has saved.
func Interruptible() (context.Context, context.CancelFunc) {
	signal.Ignore(syscall.SIGPIPE)
	return signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
}

// notebookProgress returns a function that shows progress in one line under the notebook's cell and does nothing elsewhere.
func notebookProgress() func(Update) {
	if !gonbui.IsNotebook {
		return func(Update) {}
	}
	var shown time.Time
	line := "progress_" + gonbui.UniqueId()
	return func(u Update) {
		last := u.Done == u.Total && u.Place == u.Runs
		if !last && time.Since(shown) < time.Second/2 {
			return
		}
		shown = time.Now()
		gonbui.UpdateHtml(line, "<pre>"+html.EscapeString(u.String())+"</pre>")
		if last {
			gonbui.Sync()
		}
	}
}

// String is one line such as "train    M32 seed 2   epoch 12/12   loss 0.412   1480 img/s   4/4   12s left".
func (u Update) String() string {
	text := fmt.Sprintf("%-8s %s   %s", u.Phase, u.Name, u.Text)
	if u.Rate > 0 {
		text += fmt.Sprintf("   %.0f img/s", u.Rate)
	}
	text += fmt.Sprintf("   %d/%d", u.Place, u.Runs)
	if u.Remaining > 0 {
		text += fmt.Sprintf("   %v left", u.Remaining.Round(time.Second))
	}
	return text
}
