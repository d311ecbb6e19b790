package command

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
)

// printEstimate prints, instead of a training, how long it takes for all seeds; as JSON, for each.
func printEstimate(ctx context.Context, a *app, config nbbnn.Config, seeds seedCount) error {
	if _, err := announceEngine(a); err != nil {
		return err
	}
	estimate, err := nbbnn.EstimateTraining(ctx, config)
	if err != nil {
		return err
	}
	noteAbsent(a, config.WithDefaults().Data.Name)
	if a.json {
		return a.printJSON(estimate)
	}
	seeds.print(a, a.out, config, estimate)
	return nil
}

// noteAbsent says which of some data sets aren't here, and how to get them.
func noteAbsent(a *app, names ...string) {
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if !dataIsHere(name) {
			a.note("%s isn't here: `nbbnn data get %[1]s` downloads it", name)
		}
	}
}

// seedCount is the number of seeds of a training, and the number trained at a time in separate
// processes.
type seedCount struct{ runs, parallel int }

// oneSeed counts a training in this process.
var oneSeed = seedCount{1, 0}

// text returns a text like " · x 50 runs, 2 at a time"; "" for one run.
func (s seedCount) text() string {
	if s.runs == 1 {
		return ""
	}
	return fmt.Sprintf(" · x %s, %d at a time", quantity.Count(s.runs, "run"), s.parallel)
}

// fewSteps is the number of steps below which a training of latents only gets a note.
const fewSteps = 30

// print prints the estimate of a training for all seeds and returns its seconds. Runs at a time
// share the cores, so that several seeds take as long as one after the other.
func (s seedCount) print(a *app, out io.Writer, config nbbnn.Config, e nbbnn.Cost) float64 {
	text, all := estimateText(config, e)+s.text(), e.TotalSeconds*float64(s.runs)
	if s.runs > 1 {
		text += ": about " + seconds(all) + " without tests"
	}
	fmt.Fprintln(out, "plan     "+text)
	if steps := e.Steps * config.WithDefaults().Training.Epochs; config.Posthoc.Weights != "" &&
		steps < fewSteps {
		a.note("%s may be too few to train latents: give more --epochs or a smaller --batch",
			quantity.Count(steps, "step"))
	}
	warnOfMemory(a, e, machine.MemoryLimit())
	return all
}

// announceEstimate prints, before a training, how long it will take, or why that is unknown. It
// returns an error after a cancellation and for trainings of hours that weren't named.
func announceEstimate(ctx context.Context, a *app, config nbbnn.Config, seeds seedCount,
	named bool) error {
	estimate, err := nbbnn.EstimateTraining(ctx, config)
	if err != nil && (ctx.Err() != nil || config.Network.Precision != "") { // training fails alike
		return err
	}
	if err != nil {
		fmt.Fprintln(a.err, "plan     unknown: "+err.Error())
		return nil
	}
	return admit(a, config, seeds.print(a, a.err, config, estimate), seeds.runs, named)
}

// warnOfMemory explains how to reduce memory if a training needs more than the machine has.
func warnOfMemory(a *app, e nbbnn.Cost, have int64) {
	if opened, err := engine.Open(); err != nil || opened.IsDevice() || have == 0 ||
		e.Memory <= float64(have) {
		return
	}
	a.note("the training needs about %s, this process may have %s: take a "+
		"smaller --batch, fewer --samples or a smaller --width",
		quantity.Bytes(int64(e.Memory)), quantity.Bytes(have))
}

// longSeconds is the duration from which a training must be named on the command line.
const longSeconds = 3600

// admit refuses trainings that take hours together, unless they were named.
func admit(a *app, config nbbnn.Config, total float64, runs int, named bool) error {
	if total < longSeconds {
		return nil
	}
	if named {
		announceStop(a)
		return nil
	}
	config = config.WithDefaults()
	count := ""
	if runs > 1 {
		count = quantity.Count(runs, "run") + " of "
	}
	return commandline.Usagef("nbbnn train: %s%s with %s would take about %s: pass "+
		"--network %s to confirm, or try --preset allcnnc-shapes10 alone",
		count, config.Network.Name, quantity.Count(config.Training.Epochs, "epoch"), seconds(total),
		config.Network.Name)
}

// announceStop prints how to stop work that takes hours.
func announceStop(a *app) { a.note("control-C stops and saves; the same command continues") }

// subjectOf describes a training, "resnet18, width 64, cifar10", with the method in front if it
// isn't the node-BNN.
func subjectOf(config nbbnn.Config) string {
	config = config.WithDefaults()
	text := config.Network.Name + ", " + config.Data.Name
	if config.Network.Graph() == nil { // a file's network has no width
		text = fmt.Sprintf("%s, width %d, %s", config.Network.Name, config.Network.Width,
			config.Data.Name)
	}
	if method := methods.Of(config.Method, config.Settings()); method != baseline.NodeBNN {
		text = string(method) + ", " + text
	}
	return text
}

// estimateText returns "resnet18, width 64, cifar10 · 390 steps an epoch · 12 min an epoch, 20 h
// for 100 epochs · 6.2 GB".
func estimateText(config nbbnn.Config, e nbbnn.Cost) string {
	text := fmt.Sprintf("%s · %s an epoch · %s a step, %s an epoch, %s for %s", subjectOf(config),
		quantity.Count(e.Steps, "step"), quantity.Seconds(e.StepSeconds),
		seconds(e.EpochSeconds), seconds(e.TotalSeconds),
		quantity.Count(config.WithDefaults().Training.Epochs, "epoch"))
	if e.Memory > 0 {
		text += " · about " + quantity.Bytes(int64(e.Memory))
	}
	return text
}

// seconds writes a duration, with milliseconds if it is short.
func seconds(count float64) string {
	if count < 1 {
		return quantity.Seconds(count)
	}
	return quantity.Span(quantity.Duration(count))
}
