package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/engine"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "doctor",
		Short:   "Say which engine is used, why, and what would make it faster",
		Example: "  nbbnn doctor\n  GOMLX_BACKEND=go nbbnn doctor",
		Args:    exactly(),
		RunE:    func(*cobra.Command, []string) error { return a.doctor() },
	}
}

// diagnosis is what `doctor` prints.
type diagnosis struct {
	Engine  string   `json:"engine"`
	Cores   int      `json:"cores"`
	Reason  string   `json:"reason"`           // why this engine was chosen
	Advice  []string `json:"advice,omitempty"` // what would make it faster, one line each
	Go      string   `json:"go"`
	System  string   `json:"system"`
	Version string   `json:"version"`
}

func (a *app) doctor() error {
	opened, err := engine.Open()
	if err != nil {
		return err
	}
	d := diagnosis{
		opened.Name, opened.Cores, opened.Reason, opened.Advice,
		runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, version(),
	}
	if a.json {
		return a.printJSON(d)
	}
	fmt.Fprintf(a.out, "engine   %s, %d cores\n", d.Engine, d.Cores)
	fmt.Fprintf(a.out, "reason   %s\n", d.Reason)
	for _, advice := range d.Advice {
		fmt.Fprintf(a.out, "advice   %s\n", advice)
	}
	fmt.Fprintf(a.out, "system   %s, %s, nbbnn %s\n", d.System, d.Go, d.Version)
	return nil
}
