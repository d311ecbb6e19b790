package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/purego/executor"
	"github.com/nbbnn/workbench/internal/purego/kernel"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// gradientCase is one training step, of which the gradients are compared.
type gradientCase struct {
	Network string `json:"network"`
	Width   int    `json:"width"`
	Seed    uint64 `json:"seed"`   // of weights, images and draws
	Smooth  bool   `json:"smooth"` // without kinks: see network.StepGraph
}

// gradientResult is how far one way of computing is from float64.
type gradientResult struct {
	gradientCase
	How     string        `json:"how"`
	Tensors []tensorError `json:"tensors"` // in the order of their names
}

// tensorError is the length of a difference as a part of that of the gradient in float64.
type tensorError struct {
	Name  string  `json:"name"`
	Error float64 `json:"error"`
}

// The size of a step: it has images times samples rows. Wide networks take fewer images, for the
// sake of the reference.
const (
	narrowImages = 8
	wideImages   = 4
	samples      = 2
)

func (c gradientCase) images() int {
	if c.isWide() {
		return wideImages
	}
	return narrowImages
}

// gradientCases are the steps of a network with its width, such as vgg16:64: with and without
// kinks, for each seed. A wide network has one seed.
func gradientCases(text string, seeds int) (cases []gradientCase, err error) {
	name, width, _ := strings.Cut(text, ":")
	c := gradientCase{Network: name}
	if c.Width, err = strconv.Atoi(width); err != nil {
		return nil, fmt.Errorf("network %q: give its name, a colon and its width", text)
	}
	if c.isWide() {
		seeds = 1
	}
	for seed := range seeds {
		for _, smooth := range []bool{false, true} {
			c.Seed, c.Smooth = uint64(seed), smooth
			cases = append(cases, c)
		}
	}
	return cases, nil
}

// isWide reports whether the network has about its published width.
func (c gradientCase) isWide() bool { return c.Width > 32 }

func (c gradientCase) String() string {
	kinks := "with kinks"
	if c.Smooth {
		kinks = "smooth"
	}
	return fmt.Sprintf("%s of width %d, seed %d, %s", c.Network, c.Width, c.Seed, kinks)
}

// way is one way of computing a step.
type way struct {
	name    string
	kernels executor.Choice
	direct  bool      // without Winograd's algorithm
	numbers precision // of the step
}

// The names of ways that pages look for.
const (
	referenceWay = "float64"
	movedWay     = "float64, weights moved"
	stockWay     = "float32, GoMLX's executors"
)

// ways lists the reference first. Wide networks leave out what takes long and says little.
func (c gradientCase) ways() []way {
	all := []way{{referenceWay, executor.Off, false, double}}
	if !c.isWide() || !c.Smooth {
		all = append(all, way{movedWay, executor.Off, false, movedDouble})
	}
	if !c.isWide() {
		all = append(all, way{stockWay, executor.Off, false, single})
	}
	for _, set := range kernel.Available() {
		choice := executor.Choice(strings.ToLower(strings.ReplaceAll(set.Name, "-", "")))
		all = append(all, way{"float32, " + set.Name + ", direct", choice, true, single},
			way{"float32, " + set.Name + ", Winograd", choice, false, single})
	}
	return all
}

// measure compares ways of computing with the first of them, the reference.
func (c gradientCase) measure(ctx context.Context, ways []way) (results []gradientResult, err error) {
	var reference map[string][]float64
	for _, w := range ways {
		start := time.Now()
		got, err := c.gradients(ctx, w)
		if err != nil {
			return nil, fmt.Errorf("%v, %s: %w", c, w.name, err)
		}
		if reference == nil {
			reference = got
		}
		result := gradientResult{gradientCase: c, How: w.name, Tensors: errorsOf(got, reference)}
		worst := result.worst()
		log.Printf("%v, %s: worst %.2e in %s (%.0f s)", c, w.name, worst.Error, worst.Name, time.Since(start).Seconds())
		if w.name != referenceWay {
			results = append(results, result)
		}
	}
	return results, nil
}

// errorsOf returns the error of each tensor that has a gradient.
func errorsOf(got, want map[string][]float64) (all []tensorError) {
	for name, values := range want {
		if slices.ContainsFunc(values, func(x float64) bool { return x != 0 }) {
			all = append(all, tensorError{name, rounded(relativeError(got[name], values))})
		}
	}
	slices.SortFunc(all, func(a, b tensorError) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// rounded keeps three digits, which is more than a page shows.
func rounded(x float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64)
	return short
}

// gradients takes a step and returns the gradients of all parameters, by name.
func (c gradientCase) gradients(ctx context.Context, w way) (map[string][]float64, error) {
	kernel.WithoutWinograd = w.direct
	defer func() { kernel.WithoutWinograd = false }()
	if err := os.Setenv(executor.Setting, string(w.kernels)); err != nil {
		return nil, err
	}
	opened, err := engine.OpenNamed("go")
	if err != nil {
		return nil, err
	}
	if w.kernels != executor.Off && !opened.IsObservable() {
		return nil, fmt.Errorf("%s has no kernels, but %s=%s asks for them: choose others", opened.Name, executor.Setting, w.kernels)
	}
	data, err := dataset.Open(ctx, dataset.Config{Name: dataset.Shapes10, TrainCount: c.images(), TestCount: 1, Seed: c.Seed})
	if err != nil {
		return nil, err
	}
	m, err := network.NewModel(c.settings(), data, network.ModelOptions{Engine: opened, Noise: network.HostNoise})
	if err != nil {
		return nil, err
	}
	s, err := network.NewStepper(m, data.Train, network.StepperOptions{Rule: gradientRule(w.numbers, c.Smooth)})
	if err != nil {
		return nil, err
	}
	if _, err := s.Step(ctx); err != nil {
		return nil, err
	}
	state, err := s.State()
	return keptGradients(state.Variables), err
}

func (c gradientCase) settings() network.Settings {
	return network.Settings{
		Network:   network.Network{Name: c.Network, Width: c.Width},
		Posterior: network.Posterior{Mode: network.Output, Components: samples},
		Training:  network.Training{Batch: c.images(), Samples: samples, NoAugmentation: true},
		Seed:      c.Seed,
	}
}
