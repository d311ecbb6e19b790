package paper

import (
	"context"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	"github.com/janpfeifer/gonb/gonbui"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// Interruptible returns a context that ends when the person in front of the machine interrupts it: with control-C in a
// terminal, with the stop button of a notebook. Training then saves and returns. A broken pipe, which a notebook's
// restart leaves behind, doesn't end the program before it has saved.
func Interruptible() (context.Context, context.CancelFunc) {
	signal.Ignore(syscall.SIGPIPE)
	return signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
}

// liveInterval is the least time between two drawings of the live view.
const liveInterval = time.Second / 2

// notebookProgress returns a function that draws a live view of the work under the notebook's cell, and one that ends it. Elsewhere
// they do nothing.
func notebookProgress() (report func(Update), end func()) {
	if !gonbui.IsNotebook {
		return func(Update) {}, func() {}
	}
	view := &liveView{element: "training_" + gonbui.UniqueId(), draw: gonbui.UpdateHTML}
	return view.report, func() { view.end(); gonbui.Sync() }
}

// liveView draws how far the work is in one element that is replaced.
type liveView struct {
	element string
	draw    func(element, html string)
	shown   time.Time
	latest  Update
}

// report draws an update, unless one was drawn a moment ago.
func (v *liveView) report(u Update) {
	v.latest = u
	if time.Since(v.shown) < liveInterval {
		return
	}
	v.shown = time.Now()
	view := u.view()
	view.Element = v.element
	v.draw(v.element, view.HTML())
}

// end leaves a view of the last update that stays as it is, if there was any.
func (v *liveView) end() {
	if v.latest.Runs > 0 {
		v.draw(v.element, v.latest.view().HTML())
	}
}

// view is the update as a picture, with the terms of the loss that the run has recorded.
func (u Update) view() viz.Training {
	text := u.Text
	if u.Runs > 1 {
		text += fmt.Sprintf("   run %d of %d", u.Place, u.Runs)
	}
	view := viz.Training{Phase: u.Phase, Name: u.Name, Text: text, Fraction: u.Fraction(), Rate: u.Rate, Remaining: u.Remaining}
	if u.history == nil || u.Phase != "train" {
		return view
	}
	if history, err := u.history(); err == nil && len(history) > 1 {
		view.Curves = progressions(history)
	}
	return view
}

// progressions are the terms of the loss over the epochs.
func progressions(history []nbbnn.Epoch) []viz.Progression {
	likelihood, crossEntropy, entropy := viz.Progression{Name: "NLL"}, viz.Progression{Name: "cross-entropy"}, viz.Progression{Name: "entropy"}
	for _, epoch := range history {
		if epoch.Epoch > 0 { // the state before training has no likelihood
			likelihood.Values = append(likelihood.Values, epoch.NLL)
		}
		crossEntropy.Values = append(crossEntropy.Values, epoch.CrossEntropy)
		entropy.Values = append(entropy.Values, epoch.Entropy)
	}
	return []viz.Progression{likelihood, crossEntropy, entropy}
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
