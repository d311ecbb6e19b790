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
	line := fmt.Sprintf("engine   %s, %d cores", opened.Name, opened.Cores)
	if opened.Cores == 1 {
		line = fmt.Sprintf("engine   %s, 1 core", opened.Name)
	}
	if len(opened.Advice) > 0 {
		line += "; " + opened.Advice[0] + ": nbbnn doctor"
	}
	fmt.Fprintln(a.err, line)
	return opened, nil
}
