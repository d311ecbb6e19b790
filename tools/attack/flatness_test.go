package main

import (
	"math"
	"testing"
)

// A level process is flat, and one that gains a descriptor now and then, or memory, isn't.
func TestFlatness(t *testing.T) {
	level := func(change func(minute float64, s *sample)) []sample {
		var samples []sample
		for minute := range 60 {
			s := sample{Minutes: float64(minute), Resident: 100 + float64(minute%3), Heap: 10, Goroutines: 5, Descriptors: 12}
			change(float64(minute), &s)
			samples = append(samples, s)
		}
		return samples
	}
	for _, c := range []struct {
		name   string
		change func(minute float64, s *sample)
		want   bool
	}{
		{"level", func(float64, *sample) {}, true},
		{"warming up", func(m float64, s *sample) { s.Resident += math.Min(m, 15) }, true},
		{"memory that leaks", func(m float64, s *sample) { s.Resident += m / 5 }, false},
		{"descriptors that leak", func(m float64, s *sample) { s.Descriptors += math.Floor(m / 20) }, false},
	} {
		if got := flatness(level(c.change)); got.Flat != c.want {
			t.Errorf("%s: flat is %v, want %v: %v", c.name, got.Flat, c.want, got)
		}
	}
	mean, change := fit([]sample{{Minutes: 0, Heap: 1}, {Minutes: 2, Heap: 3}, {Minutes: 4, Heap: 5}}, func(s sample) float64 { return s.Heap })
	if math.Abs(mean-3) > 1e-12 || math.Abs(change-4) > 1e-12 {
		t.Errorf("mean %g and change %g, want 3 and 4", mean, change)
	}
}
