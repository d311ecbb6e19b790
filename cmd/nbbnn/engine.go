package main

import (
	"fmt"

	"github.com/nbbnn/workbench/internal/engine"
)

// announceEngine opens the engine and says which it is, and what would make it faster.
func (a *app) announceEngine() (*engine.Engine, error) {
	opened, err := engine.Open()
	if err != nil {
		return nil, err
	}
	line := fmt.Sprintf("engine   %s, %s", opened.Name, coresText(opened.Cores))
	if len(opened.Advice) > 0 {
		line += "; " + opened.Advice[0] + ": nbbnn doctor"
	}
	fmt.Fprintln(a.err, line)
	return opened, nil
}

func coresText(cores int) string {
	if cores == 1 {
		return "1 core"
	}
	return fmt.Sprintf("%d cores", cores)
}
