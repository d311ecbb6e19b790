package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"

	"github.com/nbbnn/workbench/internal/files"
)

//go:embed page.tmpl
var pageText string

// writePage writes the page of a file of measurements.
func writePage(page, file string) error {
	m, err := readMeasurements(file)
	if err != nil {
		return err
	}
	text, err := m.page()
	if err != nil {
		return err
	}
	return files.WriteBytes(page, text)
}

// page returns the page: every number in it comes from the measurements.
func (m measurements) page() ([]byte, error) {
	t, err := template.New("page").Parse(pageText)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = t.Execute(&text, map[string]any{
		"Machine": m.Machine, "Gradients": m.gradientTable(), "Tensors": m.tensorTables(),
		"Convolutions": m.convolutionTable(), "Samples": samples, "Narrow": narrowImages, "Wide": wideImages,
		"Move":  number(move),
		"Kinks": percent(m.worst(func(r gradientResult) bool { return !r.Smooth && isKernels(r.How) })),
		"Moved": percent(m.worst(func(r gradientResult) bool { return !r.Smooth && r.How == movedWay })),
		"Smooth": number(m.worst(func(r gradientResult) bool {
			return r.Smooth && isKernels(r.How)
		})),
		"SmoothDirect": number(m.worst(func(r gradientResult) bool {
			return r.Smooth && isKernels(r.How) && strings.HasSuffix(r.How, "direct")
		})),
		"Ratio": fmt.Sprintf("%.1f", m.largestRatio()),
	})
	return text.Bytes(), err
}

func isKernels(how string) bool { return how != movedWay && how != stockWay }

// number writes a small number so that columns are easy to compare.
func number(x float64) string {
	if x == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1e", x)
}

// percent writes a larger one.
func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// worst is the largest error of any tensor in the results that count.
func (m measurements) worst(counts func(r gradientResult) bool) (largest float64) {
	for _, r := range m.Gradients {
		if counts(r) {
			largest = max(largest, r.worst().Error)
		}
	}
	return largest
}

func (r gradientResult) worst() tensorError { return slices.MaxFunc(r.Tensors, compareErrors) }

// compareErrors takes NaN for the largest error; cmp.Compare takes it for the smallest.
func compareErrors(a, b tensorError) int {
	switch aNaN, bNaN := math.IsNaN(a.Error), math.IsNaN(b.Error); {
	case aNaN && !bNaN:
		return 1
	case bNaN && !aNaN:
		return -1
	}
	return cmp.Compare(a.Error, b.Error)
}

func (r gradientResult) median() float64 {
	var all []float64
	for _, t := range r.Tensors {
		all = append(all, t.Error)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// largestRatio is how many times as far Winograd's algorithm is from float64 as the direct one.
func (m measurements) largestRatio() (largest float64) {
	for _, c := range m.Convolutions {
		largest = max(largest, c.Winograd/c.Direct)
	}
	return largest
}

// gradientTable has a row for each step and way, with kinks and without.
func (m measurements) gradientTable() string {
	var text strings.Builder
	text.WriteString("| step | computed in | worst | of | median | smooth, worst | smooth, median |\n|--|--|--|--|--|--|--|\n")
	for _, r := range m.Gradients {
		if r.Smooth {
			continue
		}
		worst, smooth := r.worst(), []string{"", ""}
		if s := m.smoothOf(r); s != nil {
			smooth = []string{number(s.worst().Error), number(s.median())}
		}
		fmt.Fprintf(&text, "| %s, width %d, seed %d | %s | %s | %s | %s | %s | %s |\n", r.Network, r.Width, r.Seed, r.How,
			number(worst.Error), worst.Name, number(r.median()), smooth[0], smooth[1])
	}
	return text.String()
}

// smoothOf returns the result of the same step without kinks, or nil.
func (m measurements) smoothOf(r gradientResult) *gradientResult {
	r.Smooth = true
	for i, other := range m.Gradients {
		if other.gradientCase == r.gradientCase && other.How == r.How {
			return &m.Gradients[i]
		}
	}
	return nil
}

// tensorTables has a table for each wide network: a row for each tensor, and a column for each way.
func (m measurements) tensorTables() string {
	var text strings.Builder
	for from := 0; from < len(m.Gradients); {
		c := m.Gradients[from].gradientCase
		to := from
		for to < len(m.Gradients) && m.Gradients[to].gradientCase == c {
			to++
		}
		if c.isWide() {
			fmt.Fprintf(&text, "\n### %s\n\n%s", c, tensorTable(m.Gradients[from:to]))
		}
		from = to
	}
	return text.String()
}

// tensorTable is the table of the results of one step.
func tensorTable(results []gradientResult) string {
	var text strings.Builder
	text.WriteString("| tensor |")
	for _, r := range results {
		text.WriteString(" " + r.How + " |")
	}
	text.WriteString("\n|--|" + strings.Repeat("--|", len(results)) + "\n")
	for i, tensor := range results[0].Tensors {
		text.WriteString("| " + tensor.Name + " |")
		for _, r := range results {
			text.WriteString(" " + number(r.Tensors[i].Error) + " |")
		}
		text.WriteString("\n")
	}
	return text.String()
}

func (m measurements) convolutionTable() string {
	var text strings.Builder
	text.WriteString("| images | channels | kernels | result | direct | Winograd | ratio |\n|--|--|--|--|--|--|--|\n")
	for _, c := range m.Convolutions {
		fmt.Fprintf(&text, "| %d x %d | %d | %s | %s | %s | %s | %.1f |\n", c.Side, c.Side, c.Channels, c.Kernels, c.What,
			number(c.Direct), number(c.Winograd), c.Winograd/c.Direct)
	}
	return text.String()
}
