package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/quantity"
)

func doctorCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "doctor",
		Short:   "Say which engine is used, why, what would make it faster, and what notebooks lack",
		Example: "  nbbnn doctor\n  GOMLX_BACKEND=go nbbnn doctor",
		Args:    commandline.Arguments(),
		RunE:    func(*cobra.Command, []string) error { return printDoctor(a, engine.Inspect()) },
	}
}

// diagnosis is the output of `doctor`.
type diagnosis struct {
	Engine     string      `json:"engine"`           // that is used, "" with a problem
	Reason     string      `json:"reason,omitempty"` // why it was chosen
	Advice     []string    `json:"advice,omitempty"` // what would make it faster, one line each
	Problem    string      `json:"problem,omitempty"`
	Candidates []candidate `json:"candidates"`
	Notebooks  []finding   `json:"notebooks"` // what they need
	Runs       []finding   `json:"runs"`      // those that can be read, and each that can't
	Processor  string      `json:"processor"`
	Cores      int         `json:"cores"`
	GPU        bool        `json:"gpu"`
	System     string      `json:"system"`
	Go         string      `json:"go"`
	Version    string      `json:"version"` // of this program
}

// candidate is an engine that could be used.
type candidate struct {
	Name   string `json:"name"`
	Found  bool   `json:"found"`
	Detail string `json:"detail"`
}

func diagnose(report engine.Report, runs string) diagnosis {
	d := diagnosis{
		Problem: report.Problem, Processor: report.Processor, Cores: report.Cores, GPU: report.GPU,
		System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Version: commandline.Version(),
		Notebooks: diagnoseNotebooks("."), Runs: diagnoseRuns(runs),
	}
	if report.Chosen != nil {
		d.Engine, d.Reason, d.Advice = report.Chosen.Name, report.Chosen.Reason, report.Chosen.Advice
	}
	for _, c := range report.Candidates {
		d.Candidates = append(d.Candidates, candidate{c.Name, c.Found, c.Detail})
	}
	return d
}

// printDoctor prints what was found. An engine that can't be opened is a failure, after the report.
func printDoctor(a *app, report engine.Report) error {
	d := diagnose(report, a.runs)
	if a.json {
		if err := a.printJSON(d); err != nil {
			return err
		}
	} else {
		printDiagnosis(a, d)
	}
	if d.Problem != "" {
		return errors.New(d.Problem)
	}
	return nil
}

func printDiagnosis(a *app, d diagnosis) {
	if d.Engine != "" {
		fmt.Fprintf(a.out, "engine   %s, %s\n", d.Engine, quantity.Count(d.Cores, "core"))
		fmt.Fprintf(a.out, "reason   %s\n", d.Reason)
	}
	for _, advice := range d.Advice {
		fmt.Fprintf(a.out, "advice   %s\n", advice)
	}
	for _, c := range d.Candidates {
		fmt.Fprintf(a.out, "engines  %-9s %s   %s\n", c.Name, foundText(a, c.Found), c.Detail)
	}
	for _, f := range d.Notebooks {
		fmt.Fprintf(a.out, "notebook %-10s %s   %s\n", f.Name, foundText(a, f.Found), f.Text)
	}
	for _, f := range d.Runs {
		fmt.Fprintf(a.out, "runs     %-10s %s   %s\n", f.Name, foundText(a, f.Found), f.Text)
	}
	fmt.Fprintf(a.out, "machine  %s, %s\n", d.Processor, quantity.Count(d.Cores, "core"))
	fmt.Fprintf(a.out, "program  nbbnn %s, %s, %s\n", d.Version, d.Go, d.System)
}

func foundText(a *app, found bool) string {
	if found {
		return a.paintOut(green, "found  ")
	}
	return a.paintOut(grey, "missing")
}

// diagnoseRuns looks for runs that can't be read: edited, renamed, half-written or of another
// version of the program. Those that can be are counted.
func diagnoseRuns(directory string) []finding {
	paths, err := inRuns(directory, "config.json")
	if err != nil || len(paths) == 0 {
		return nil // `nbbnn runs` says that there are none
	}
	var broken []finding
	foreign := 0
	for _, path := range paths {
		if undefinedNetwork(path) != "" {
			foreign++
			continue
		}
		if err := readableRun(filepath.Dir(path)); err != nil {
			broken = append(broken, finding{Name: "run", Text: err.Error()})
		}
	}
	text := fmt.Sprintf("%d in %s", len(paths)-len(broken)-foreign, directory)
	if foreign > 0 {
		text += fmt.Sprintf(", and %d of networks that other programs define", foreign)
	}
	readable := finding{"runs", true, text}
	return append([]finding{readable}, broken...)
}

// readableRun returns what is wrong with a run, its card and its history.
func readableRun(directory string) error {
	if _, err := readListed(directory); err != nil {
		return err
	}
	run, err := openRun(directory)
	if err == nil {
		_, err = run.History()
	}
	return err
}

// announceEngine opens the engine and says which it is, and what would make it faster.
func announceEngine(a *app) (*engine.Engine, error) {
	opened, err := engine.Open()
	if err != nil {
		return nil, err
	}
	line := fmt.Sprintf("engine   %s, %s", opened.Name, quantity.Count(opened.Cores, "core"))
	if len(opened.Advice) > 0 {
		line += "; " + opened.Advice[0] + ": nbbnn doctor"
	}
	fmt.Fprintln(a.err, line)
	return opened, nil
}
