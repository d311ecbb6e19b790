package main

import "fmt"

// growth is how one of the numbers of a soak changed, by a line of least squares through the
// samples after the first third, in which caches fill.
type growth struct {
	Name   string  `json:"name"`
	Mean   float64 `json:"mean"`
	Change float64 `json:"change"` // of the line, from its beginning to its end
	Limit  float64 `json:"limit"`  // of the change
}

// soaked is the result of a soak.
type soaked struct {
	Rounds  int      `json:"rounds"`
	Views   int      `json:"views"` // that were drawn
	Numbers []growth `json:"numbers"`
	Flat    bool     `json:"flat"` // no number grew by more than its limit
}

// Limits of growth: of memory as a part of its mean, of counts less than one.
const (
	memoryGrowth = 0.03
	countGrowth  = 0.9
)

// flatness fits lines to the samples.
func flatness(samples []sample) soaked {
	result := soaked{Rounds: len(samples), Flat: true}
	late := samples[len(samples)/3:]
	for _, number := range []struct {
		name string
		of   func(sample) float64
		part bool // the limit is a part of the mean
	}{
		{"resident memory, MB", func(s sample) float64 { return s.Resident }, true},
		{"heap, MB", func(s sample) float64 { return s.Heap }, true},
		{"goroutines", func(s sample) float64 { return s.Goroutines }, false},
		{"open descriptors", func(s sample) float64 { return s.Descriptors }, false},
	} {
		mean, change := fit(late, number.of)
		g := growth{Name: number.name, Mean: mean, Change: change, Limit: countGrowth}
		if number.part {
			g.Limit = memoryGrowth * mean
		}
		result.Numbers = append(result.Numbers, g)
		result.Flat = result.Flat && g.Change <= g.Limit
	}
	const fewest = 6 // samples for a line
	result.Flat = result.Flat && len(late) >= fewest
	return result
}

// fit returns the mean of a number and the change of its line of least squares over all samples.
func fit(samples []sample, of func(sample) float64) (mean, change float64) {
	n := float64(len(samples))
	var time float64
	for _, s := range samples {
		time, mean = time+s.Minutes/n, mean+of(s)/n
	}
	var covariance, variance float64
	for _, s := range samples {
		covariance += (s.Minutes - time) * (of(s) - mean)
		variance += (s.Minutes - time) * (s.Minutes - time)
	}
	if variance == 0 {
		return mean, 0
	}
	return mean, covariance / variance * (samples[len(samples)-1].Minutes - samples[0].Minutes)
}

func (s soaked) String() string {
	text := fmt.Sprintf("soak     %d rounds, %d views drawn, flat: %v", s.Rounds, s.Views, s.Flat)
	for _, g := range s.Numbers {
		text += fmt.Sprintf("\nsoak     %-20s mean %.1f, change %+.2f, limit %.2f", g.Name, g.Mean, g.Change, g.Limit)
	}
	return text
}
