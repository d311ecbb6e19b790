// Command nbbnn trains node-based Bayesian neural networks, evaluates them under corruption and makes the figures of
// "Tackling covariate shift with node-based Bayesian neural networks" (ICML 2022):
//
//	nbbnn figure 3 --scale smoke
//
// Tables, verdicts and, with --json, data go to standard output; everything else goes to standard error. The exit status is
// 0 when the command did its work, 1 after a failure, 2 after wrong usage and 75 when it was stopped and saved: the same
// command goes on from there.
package main

import (
	"context"
	"os"

	"github.com/nbbnn/workbench/paper"
)

func main() {
	ctx, stop := paper.Interruptible()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], newStreams()))
}
