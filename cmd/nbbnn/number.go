package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// thousands writes a number with a comma after each group of three digits: 1,480.
func thousands(value float64) string {
	digits := strconv.FormatFloat(math.Round(value), 'f', 0, 64)
	var text strings.Builder
	for i, digit := range digits {
		if left := len(digits) - i; i > 0 && left%3 == 0 {
			text.WriteByte(',')
		}
		text.WriteRune(digit)
	}
	return text.String()
}

// counting writes a number of things: 1 epoch, 2 epochs.
func counting(count int, thing string) string {
	if count != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", count, thing)
}

// span writes a duration as a person would say it: 45 s, 12 min, 3 h 20 min, 2 days.
func span(d time.Duration) string {
	switch {
	case d < 100*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 100*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		minutes := int(d.Round(10 * time.Minute).Minutes())
		return fmt.Sprintf("%d h %02d min", minutes/60, minutes%60)
	default:
		return fmt.Sprintf("%.0f days", d.Hours()/24)
	}
}
