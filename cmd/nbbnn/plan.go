package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/paper"
)

// Speeds of the engines in floating-point operations a second, measured on training steps of All-CNN-C; they serve the
// estimate that is printed before a figure starts.
const (
	kernelSpeed  = 50e9  // pure Go with kernels, a core
	stockSpeed   = 1e9   // pure Go without, a core
	xlaCPUSpeed  = 30e9  // XLA, a core
	xlaCUDASpeed = 10e12 // XLA, a GPU
)

// guess is how long the engine takes for so many operations.
func guess(operations float64, engine *engine.Engine) time.Duration {
	cores := float64(engine.Cores)
	speed := stockSpeed * cores
	switch {
	case strings.Contains(engine.Name, "cuda"):
		speed = xlaCUDASpeed
	case strings.HasPrefix(engine.Name, "xla"):
		speed = xlaCPUSpeed * cores
	case strings.Contains(engine.Name, "kernels"):
		speed = kernelSpeed * cores
	}
	return time.Duration(operations / speed * float64(time.Second))
}

// announcePlan says what is going to be done, about how long it takes, and where it goes.
func (a *app) announcePlan(plan paper.Plan, took time.Duration) {
	parts := []string{plan.String()}
	if plan.Missing() {
		parts = append(parts, "about "+quantity.Span(took), fmt.Sprintf("%.1f GB", plan.Memory/1e9))
	}
	parts = append(parts, strings.TrimSuffix(a.runs, "/")+"/")
	fmt.Fprintln(a.err, "plan     "+strings.Join(parts, " · "))
	if plan.Missing() && took.Seconds() >= longSeconds {
		a.announceStop()
	}
}
