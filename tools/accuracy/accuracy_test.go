package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/purego/executor"
)

const committed = "../../docs/accuracy/measurements.json"

func TestPageIsThatOfTheMeasurements(t *testing.T) {
	m, err := readMeasurements(committed)
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.page()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../docs/accuracy.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/accuracy.md isn't that of its measurements: run go run ./tools/accuracy page docs/accuracy.md docs/accuracy/measurements.json")
	}
}

// The page says so, of the committed measurements.
func TestOnlyKinksTakeGradientsFar(t *testing.T) {
	m, err := readMeasurements(committed)
	if err != nil {
		t.Fatal(err)
	}
	smooth := m.worst(func(r gradientResult) bool { return r.Smooth && isKernels(r.How) })
	kinks := m.worst(func(r gradientResult) bool { return !r.Smooth && isKernels(r.How) })
	moved := m.worst(func(r gradientResult) bool { return !r.Smooth && r.How == movedWay })
	if smooth > 5e-5 || kinks < 1e-3 || moved < kinks/10 {
		t.Errorf("worst error %.1e smooth, %.1e with kinks, %.1e of float64 with moved weights: the page says rounding, then jumps", smooth, kinks, moved)
	}
}

// A tensor that isn't a number is the worst of all, wherever it is in the list.
func TestNaNIsTheWorst(t *testing.T) {
	for place := range 3 {
		tensors := []tensorError{{"a", 1}, {"b", 2}, {"c", 3}}
		tensors[place].Error = math.NaN()
		if worst := (gradientResult{Tensors: tensors}).worst(); !math.IsNaN(worst.Error) {
			t.Errorf("of %v the worst is %v, want the one that isn't a number", tensors, worst)
		}
	}
}

// Without kinks, rounding moves no tensor further than a change of the weights in the 7th digit.
func TestSmoothGradientsAreThoseOfFloat64(t *testing.T) {
	t.Setenv(executor.Setting, "") // gradients changes it
	for _, network := range []string{"vgg16:8", "resnet18:4"} {
		cases, err := gradientCases(network, 1)
		if err != nil {
			t.Fatal(err)
		}
		c := cases[1]
		if !c.Smooth {
			t.Fatalf("the second case is %v, want a smooth one", c)
		}
		ways := slices.DeleteFunc(c.ways(), func(w way) bool { return w.direct || w.name == stockWay })
		results, err := c.measure(context.Background(), ways)
		if err != nil {
			t.Fatal(err)
		}
		moved := results[0].worst()
		for _, r := range results[1:] {
			if worst := r.worst(); !(worst.Error <= moved.Error) {
				t.Errorf("%v, %s: %s is %.1e off, want at most the %.1e of moved weights", c, r.How, worst.Name, worst.Error, moved.Error)
			}
		}
	}
}

// Winograd's algorithm rounds at most ten times as much as the definition.
func TestWinogradRoundsLikeTheDirectAlgorithm(t *testing.T) {
	const most = 10
	for _, size := range [][2]int{{16, 32}, {8, 64}, {4, 128}} {
		c := newConvolved(size[0], size[1])
		for _, r := range c.results() {
			if !(r.Winograd <= most*r.Direct) || r.Winograd <= r.Direct {
				t.Errorf("%+v: Winograd's error is %.1f times the direct one, want more than 1 and at most %d", r, r.Winograd/r.Direct, most)
			}
		}
	}
}
