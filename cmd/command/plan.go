package command

import (
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/paper"
)

// announcePlan says on standard error what is going to be done, about how long it takes, and where
// the runs are kept.
func announcePlan(a *app, plan paper.Plan, speed paper.Speed) {
	fmt.Fprintln(a.err, "plan     "+planText(a, plan, speed))
	if !plan.Missing() {
		return
	}
	warnOfMemory(a, nbbnn.Cost{Memory: speed.Memory}, machine.MemoryLimit())
	if duration := speed.Duration(plan.Operations()); duration.Seconds() >= longSeconds {
		announceStop(a, duration, "a smaller --scale")
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

// printPlan lists the runs of a figure and their states.
func printPlan(a *app, plan paper.Plan, speed paper.Speed) {
	fmt.Fprintf(a.out, "plan     %s\ntest     %s\n", planText(a, plan, speed), plan.Test)
	width := 0
	for _, run := range plan.Runs {
		width = max(width, len([]rune(run.Name)))
	}
	for _, run := range plan.Runs {
		padding := strings.Repeat(" ", width-len([]rune(run.Name)))
		fmt.Fprintf(a.out, "run      %s%s   %s   %s\n", run.Name, padding, run.Directory, stateOf(run))
	}
}

// stateOf says how far a run is.
func stateOf(run paper.RunPlan) string {
	switch {
	case run.Measured && run.Recorded:
		return "done, restored without weights"
	case run.Measured:
		return "done"
	case run.Trained:
		return "trained, not evaluated"
	case run.Recorded:
		return "results without weights, not all that the figure needs: --" + replaceFlag + " trains it"
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
