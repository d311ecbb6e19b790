package main

import (
	"fmt"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/quantity"
)

// announceEngine opens the engine and says which it is, and what would make it faster.
func (a *app) announceEngine() (*engine.Engine, error) {
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
