package command

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/paper"
)

// makeRuns trains and measures missing runs in separate processes.
func (o figureOrder) makeRuns(ctx context.Context, plan paper.Plan) error {
	missing := processes{parallel: o.flags.parallel, done: plan.Measured}
	for _, run := range plan.Runs {
		if !run.Measured {
			arguments := []string{"figure", o.figure.Command(), "--scale", string(plan.Scale),
				"--runs", o.runs, "--run", run.Directory}
			missing.add(run.Name, run.Directory, append(arguments, o.options.Flags...)...)
		}
	}
	return missing.toEnd(ctx, o.app, "figure", "run")
}

// makeRun trains and evaluates the run that --run names as in the figure's plan.
func (o figureOrder) makeRun(ctx context.Context) error {
	name := o.flags.run
	if _, err := announceEngine(o.app); err != nil {
		return err
	}
	progress := newProgress(o.streams, o.figure.Name())
	o.options.Progress = progress.report("")
	ctx, cancel := withLimit(ctx, o.flags.hours)
	defer cancel()
	err := o.figure.MakeRun(ctx, o.scale, name, o.options)
	progress.finish()
	if err != nil {
		return err
	}
	value := map[string]string{"figure": o.figure.Command(), "run": name}
	return o.app.print(value, "done     run %s of figure %s\n", name, o.figure.Command())
}

// withLimit returns a context that ends after some hours; 0 hours are no limit.
func withLimit(ctx context.Context, hours float64) (context.Context, context.CancelFunc) {
	if hours <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(hours*float64(time.Hour)))
}

// checkFigure refuses a folder that the files of a figure can't be written into, or whose files
// they would replace.
func checkFigure(out string, figure paper.Figure) error {
	name := figure.Name() // .csv, .json, .svg, .pdf, .png and more
	return checkOut("figure", "out", out, name+".[cjs][sv]*", name+".p[dn]*", name+"-all.png",
		name+"-marginals.*")
}

// draw draws the existing results and names what is left out.
func (o figureOrder) draw(ctx context.Context) error {
	if err := checkFigure(o.options.Out, o.figure); err != nil {
		return err
	}
	result, files, err := paper.Make(ctx, o.figure, o.scale, o.options)
	if result == nil {
		return err
	}
	for _, left := range result.LeftOut {
		fmt.Fprintln(o.err, "left out "+left)
	}
	if err != nil {
		return err
	}
	return o.print(result, files)
}

// atOnce returns the number of missing runs to make at a time: one if a record lacks results, which
// this process then refuses.
func (o figureOrder) atOnce(plan paper.Plan) int {
	if slices.ContainsFunc(plan.Runs, func(run paper.RunPlan) bool {
		return run.Recorded && !run.Measured
	}) {
		return 1
	}
	return atOnce(o.flags.parallel, len(plan.Runs)-plan.Measured, plan.Memory)
}

// make announces the work, does it, and prints the results. Separate processes first make several
// runs at a time; this one does the rest.
func (o figureOrder) make(ctx context.Context) error {
	if err := checkFigure(o.options.Out, o.figure); err != nil {
		return err
	}
	plan, err := o.figure.Plan(o.scale, o.options)
	if err != nil {
		return err
	}
	if len(plan.Data) > 0 && plan.Missing() && !slices.ContainsFunc(plan.Data, dataIsHere) {
		return fmt.Errorf("nbbnn figure: %s isn't here: `nbbnn data get %[1]s` downloads it, "+
			"--scale quick or smoke takes Shapes10 in its place, and --no-train draws the "+
			"existing runs", plan.Data[0])
	}
	o.noteData(plan)
	o.flags.parallel = o.atOnce(plan)
	if err := o.announce(ctx, plan); err != nil {
		return err
	}
	ctx, cancel := withLimit(ctx, o.flags.hours)
	defer cancel()
	if o.flags.parallel > 1 {
		if err := o.makeRuns(ctx, plan); err != nil {
			return err
		}
	}
	progress := newProgress(o.streams, plan.Test)
	o.options.Progress = progress.report("")
	result, files, err := paper.Make(ctx, o.figure, o.scale, o.options)
	progress.finish()
	if err != nil {
		return err
	}
	return o.print(result, files)
}

// announce prints the engine, the plan, its approximate duration and the directory of the runs to
// standard error. It opens no GPU that the runs' processes need: this process would keep some of
// its memory.
func (o figureOrder) announce(ctx context.Context, plan paper.Plan) error {
	if o.flags.parallel > 1 && plan.Missing() && len(engine.GPUs()) > 0 {
		fmt.Fprintln(o.err, "plan     "+plan.String())
		return nil
	}
	if _, err := announceEngine(o.app); err != nil {
		return err
	}
	if err := plan.Measure(ctx); err != nil {
		return err
	}
	fmt.Fprintln(o.err, "plan     "+o.planText(plan))
	if !plan.Missing() {
		return nil
	}
	warnOfMemory(o.app, nbbnn.Cost{Memory: plan.NetworkMemory}, machine.MemoryLimit())
	if plan.Left.Seconds() >= longSeconds {
		announceStop(o.app)
	}
	return nil
}

// print draws the figure in further formats, and prints the table, the verdicts and the names of
// the files, or all of it as JSON.
func (o figureOrder) print(result *paper.Result, files []string) error {
	formats := slices.DeleteFunc(slices.Clone(o.flags.formats), func(format string) bool {
		return format == "png"
	})
	if len(formats) > 0 {
		figure, err := result.Draw()
		if err != nil {
			return err
		}
		further, err := report.SaveFormats(figure, filepath.Join(o.options.Out,
			result.Figure.Name()), formats...)
		if err != nil {
			return err
		}
		files = append(files, further...)
	}
	noteRecorded(o.app, result)
	report, err := result.Report()
	if err != nil {
		return err
	}
	if o.json {
		return o.printJSON(report)
	}
	fmt.Fprintln(o.out)
	tables, err := result.Tables()
	if err != nil {
		return err
	}
	for _, table := range tables {
		if err := o.printTable(table); err != nil {
			return err
		}
	}
	fmt.Fprintf(o.out, "test     %s\nfinding  %s\n", report.Test, report.Finding)
	printVerdicts(o.app, report.Verdicts, report.Checks)
	if result.Scale == paper.Smoke {
		config := result.Setup.Config.WithDefaults()
		fmt.Fprintf(o.out, "note     an illustration: the smoke scale (%s on %s) gives no "+
			"verdicts; --scale quick does, in minutes\n",
			config.Network.Name, config.Data.Name)
	}
	fmt.Fprintln(o.out, "wrote    "+strings.Join(files, "  "))
	return nil
}

// noteRecorded names the drawn runs that have no weights.
func noteRecorded(a *app, result *paper.Result) {
	var names []string
	for _, run := range result.Runs {
		if run.Recorded() {
			names = append(names, run.Name())
		}
	}
	if len(names) == 0 {
		return
	}
	text := "records without weights: " + quantity.List(names, mostNamed)
	if slices.ContainsFunc(result.Runs, func(run paper.RunResult) bool {
		return run.ECE == nil && !run.Cells.Binned()
	}) {
		text += "; ECE, which some cards lack, is left out"
	}
	a.note("%s", text)
}
