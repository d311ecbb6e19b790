package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/paper"
	"github.com/nbbnn/workbench/viz"
)

// printPlan says what the figure needs and starts nothing.
func (o figureOrder) printPlan(ctx context.Context) error {
	plan, err := o.figure.Plan(o.scale, o.options)
	if err != nil {
		return err
	}
	speed, err := plan.Speed(ctx)
	if err != nil {
		return err
	}
	o.noteData(plan)
	if o.json {
		return o.printJSON(newPlanData(plan, speed))
	}
	fmt.Fprintf(o.out, "plan     %s\ntest     %s\n\n", planText(o.app, plan, speed), plan.Test)
	table := viz.Table{Header: []string{"run", "directory", "state"}, Labels: 3}
	for _, run := range plan.Runs {
		table.Rows = append(table.Rows, []string{run.Name, run.Directory, stateOf(run)})
	}
	return o.printTable(table)
}

// noteData says which data the missing runs take if CIFAR-10, or another data set, isn't here.
func (o figureOrder) noteData(plan paper.Plan) {
	noteReplaced(o.app, o.figure.ReplacesData(o.scale))
	for _, name := range plan.Data {
		if plan.Missing() && !dataIsHere(name) {
			fmt.Fprintf(o.err, "note     %s isn't here, and the scale %s takes nothing in its place: `nbbnn data get %[1]s` downloads it; --scale quick or smoke takes images of Shapes10 instead\n", name, o.scale)
		}
	}
}

// noteReplaced says why runs on Shapes10 are looked for and made.
func noteReplaced(a *app, replaced bool) {
	if replaced {
		fmt.Fprintln(a.err, "note     CIFAR-10 isn't here, so runs on Shapes10 are looked for and trained: `nbbnn data get cifar10` downloads it")
	}
}

// planText is such as "4 runs: M16 and M32, seeds 1 2 · about 3 min · 0.4 GB memory · 12 MB disk ·
// runs/".
func planText(a *app, plan paper.Plan, speed paper.Speed) string {
	parts := []string{plan.String()}
	if plan.Missing() {
		parts = append(parts, "about "+quantity.Span(speed.Duration(plan.Operations())))
		if speed.Memory > 0 {
			parts = append(parts, quantity.Bytes(int64(speed.Memory))+" memory")
		}
		if plan.Disk > 0 {
			parts = append(parts, quantity.Bytes(int64(plan.Disk))+" disk")
		}
	}
	return strings.Join(append(parts, strings.TrimSuffix(a.runs, "/")+"/"), " · ")
}

// stateOf says how far a run is.
func stateOf(run paper.RunPlan) string {
	switch {
	case run.Measured && run.Recorded:
		return "done, a record without weights"
	case run.Measured:
		return "done"
	case run.Trained:
		return "trained, not evaluated"
	case run.Recorded:
		return "a record that lacks what the figure needs: --runs trains it elsewhere"
	case run.Begun:
		return "begun"
	default:
		return "missing"
	}
}

// planData is a plan as JSON.
type planData struct {
	Figure   int           `json:"figure"`
	Scale    paper.Scale   `json:"scale"`
	Runs     int           `json:"runs"`
	Trained  int           `json:"trained"`
	Measured int           `json:"measured"`
	Hours    float64       `json:"hours"`        // of the missing part, about
	Memory   float64       `json:"memory_bytes"` // 0 if unknown
	Disk     float64       `json:"disk_bytes"`   // of the missing runs, about
	Each     []planRunData `json:"each"`
}

// planRunData is one run of a plan as JSON.
type planRunData struct {
	Name      string `json:"name"`
	Directory string `json:"directory"`
	State     string `json:"state"`
}

func newPlanData(plan paper.Plan, speed paper.Speed) planData {
	data := planData{
		Figure: plan.Figure, Scale: plan.Scale, Runs: len(plan.Runs), Trained: plan.Trained(), Measured: plan.Measured(),
		Hours: speed.Duration(plan.Operations()).Hours(), Memory: speed.Memory, Disk: plan.Disk,
	}
	for _, run := range plan.Runs {
		data.Each = append(data.Each, planRunData{run.Name, run.Directory, stateOf(run)})
	}
	return data
}
