// Package quantity writes numbers, durations and amounts of memory the way people read them.
package quantity

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/width"
)

// Thousands writes a number with a comma after each group of three digits: 1,480.
func Thousands[T int | int64 | float64](value T) string {
	digits := strconv.FormatFloat(math.Round(float64(value)), 'f', 0, 64)
	var text strings.Builder
	for i, digit := range digits {
		if left := len(digits) - i; i > 0 && left%3 == 0 {
			text.WriteByte(',')
		}
		text.WriteRune(digit)
	}
	return text.String()
}

// Count writes a number of things: 1 epoch, 2 epochs, 1,563 steps.
func Count(count int, thing string) string {
	return Thousands(count) + " " + Noun(count, thing)
}

// CountOrAll is Count, and "all images" for 0, which means all.
func CountOrAll(count int, thing string) string {
	if count > 0 {
		return Count(count, thing)
	}
	return "all " + Noun(count, thing)
}

// Range writes the least and the most of one or more counts: 1 to 32 samples.
func Range(counts []int, thing string) string {
	text := Count(slices.Max(counts), thing)
	if least := slices.Min(counts); least < slices.Max(counts) {
		return Thousands(least) + " to " + text
	}
	return text
}

// First returns the first of some texts, and how many more there are.
func First(texts []string, most int) []string {
	if len(texts) <= most {
		return texts
	}
	return append(slices.Clone(texts[:most]), fmt.Sprintf("%d more", len(texts)-most))
}

// List joins the first of some names, and how many more there are.
func List(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Texts returns a text of each of several things, for example their names.
func Texts[T any](all []T, text func(T) string) (texts []string) {
	for _, one := range all {
		texts = append(texts, text(one))
	}
	return texts
}

// AddNew adds a value at the end of values, unless it's among them.
func AddNew[T comparable](values []T, value T) []T {
	if slices.Contains(values, value) {
		return values
	}
	return append(values, value)
}

// Words returns names as texts.
func Words[Name ~string](names ...Name) []string {
	return Texts(names, func(name Name) string { return string(name) })
}

// Spaced writes numbers with spaces between them: "1 2 3".
func Spaced[T any](numbers []T) string { return strings.Trim(fmt.Sprint(numbers), "[]") }

// Noun writes the counted thing: image after 1, images after any other number.
func Noun(count int, thing string) string {
	if count == 1 {
		return thing
	}
	return thing + "s"
}

// Plain writes a number that is given as text without the error of an earlier rounding: 0.04 for
// 0.04000000000000001. Other texts stay unchanged, including integers of any length.
func Plain(text string) string {
	const (
		exact = 15 // significant digits that a float64 keeps
		saved = 4  // digits that an error of rounding adds at least
	)
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || !strings.Contains(text, ".") {
		return text
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(number, 'g', exact, 64), 64)
	if plain := fmt.Sprint(rounded); len(plain)+saved <= len(text) {
		return plain
	}
	return text
}

// Duration returns a number of seconds, at most the 292 years that a duration can hold.
func Duration(seconds float64) time.Duration {
	if seconds >= time.Duration(math.MaxInt64).Seconds() {
		return math.MaxInt64
	}
	return time.Duration(seconds * float64(time.Second))
}

// Span writes a duration for people: 45 s, 12 min, 3 h 20 min, 2 days.
func Span(d time.Duration) string {
	switch {
	case d < 100*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 100*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		minutes := int(d.Round(10 * time.Minute).Minutes())
		return fmt.Sprintf("%d h %02d min", minutes/60, minutes%60)
	case d == math.MaxInt64: // the cap of a duration
		return "290 years or more"
	default:
		return fmt.Sprintf("%.0f days", d.Hours()/24)
	}
}

// Seconds writes a measured duration with three digits: 7.25 ms, 123 ms, 1.23 s.
func Seconds(seconds float64) string {
	switch milliseconds := 1e3 * seconds; {
	case milliseconds < 10:
		return fmt.Sprintf("%.2f ms", milliseconds)
	case milliseconds < 100:
		return fmt.Sprintf("%.1f ms", milliseconds)
	case milliseconds < 1000:
		return fmt.Sprintf("%.0f ms", milliseconds)
	default:
		return fmt.Sprintf("%.2f s", seconds)
	}
}

// Bytes writes an amount of memory: 320 MB, 1.9 GB. Zero or less means that it wasn't measured.
func Bytes(count int64) string {
	if count <= 0 {
		return "not measured"
	}
	if count < 1e9 {
		return fmt.Sprintf("%.0f MB", float64(count)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(count)/1e9)
}

// Printable returns a text of a file, a server or a label as a part of one line: characters that a
// terminal would obey or hide (an escape sequence, a line break or a change of direction) are
// escaped as in a Go string, \x1b.
func Printable(text string) string {
	quoted := strconv.QuoteToGraphic(text)
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(quoted[1 : len(quoted)-1])
}

// Pad adds spaces behind a text to fill terminal columns: East Asian letters take two, combining
// marks none.
func Pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(0, columns-Columns(text)))
}

// Columns returns the number of terminal columns of a text.
func Columns(text string) (columns int) {
	for _, letter := range text {
		switch kind := width.LookupRune(letter).Kind(); {
		case unicode.In(letter, unicode.Mn, unicode.Me, unicode.Cf):
		case kind == width.EastAsianWide || kind == width.EastAsianFullwidth:
			columns += 2
		default:
			columns++
		}
	}
	return columns
}

// PrintableLines is Printable for each line of a text, for example an error with a cure below it.
func PrintableLines(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, Printable(line))
	}
	return strings.Join(lines, "\n")
}

// WithInterval writes "-0.445 [-0.490, -0.399]", without the brackets if there is no interval.
func WithInterval(mean float64, interval *[2]float64, write func(float64) string) string {
	if interval == nil {
		return write(mean)
	}
	return fmt.Sprintf("%s [%s, %s]", write(mean), write(interval[0]), write(interval[1]))
}

// Signed writes a number with its sign; one that rounds to zero, or NaN, has none.
func Signed(value float64, decimals int) string {
	text := fmt.Sprintf("%+.*f", decimals, value)
	if strings.Trim(text, "+-0.Na") == "" {
		return text[1:]
	}
	return text
}

// FirstSeeds returns the seeds 1 to count.
func FirstSeeds(count int) []uint64 {
	seeds := make([]uint64, count)
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	return seeds
}

// MeanStd returns the text of a cell, as in "0.447 ± 0.012". With fewer than two seeds it is only
// the mean.
func MeanStd(mean, std float64, seeds, decimals int) string {
	text := strings.TrimPrefix(Signed(mean, decimals), "+")
	if seeds > 1 {
		text += " ± " + strconv.FormatFloat(std, 'f', decimals, 64)
	}
	return text
}
