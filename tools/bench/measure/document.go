package measure

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
)

// Document writes the page of measurements, in Markdown, from the records of one or several
// machines.
func Document(records []Record) string {
	var page strings.Builder
	page.WriteString(introduction)
	for _, r := range records {
		fmt.Fprintf(&page, "\n## %s\n", r.title())
		for _, part := range []string{
			r.steps("train", "A training step"), r.steps("evaluate", "Evaluation"), r.memory(),
			r.settings(), r.methods(), r.profiles(), r.scalings(), r.estimates(), r.corruption(), r.start(),
		} {
			page.WriteString(part)
		}
	}
	return page.String()
}

const introduction = `# Performance

This page is written by ` + "`make performance`" + ` from the measurements in docs/performance/processor-*.json and from the assembly of the kernels; no number in it is typed by hand.

How fast is it? A training step (forward pass, gradients, one step of SGD) and an evaluation (forward pass only) of 32 images with 4 samples
each, on the processor. Compared with what? With PyTorch on the same machine, channels-last, as many threads as cores; with the same PyTorch
whose C library keeps freed memory instead of returning it to the system (MALLOC_* variables); and with XLA on the processor where its plugin
is present. PyTorch's networks are in tools/bench/pytorch; from the same weights and draws they give the same losses, step by step (check.py there).

How was it measured? The programs run in turn, each time in a new process with some steps for warming up. A time is the median over these
rounds of the median step. A ratio is our time over theirs within one round; below 1 we're faster. Behind the ratio stand its quartiles over the rounds.
GFLOP/s count two operations for each multiplication of the layers with weights, as the layers are defined; algorithms that need fewer can exceed the speed of a plain
matrix product, which is measured with them. Memory is the largest resident size of the process, libraries included.

How to repeat it?

    make bench          # this machine alone: training, evaluation, corruptions, start
    make bench-peers    # with PyTorch, in an environment of its own; some 4 GB of packages the first time
    go run ./tools/bench peers --networks resnet18:16 --what train --rounds 9
`

// title names the machine, and the kernels in plain Go where they were chosen: what they take is
// what a processor without kernels of its own takes.
func (r Record) title() string {
	m := r.Machine
	title := fmt.Sprintf("%s, %d cores, %s, %s", m.Model, m.Cores, m.Instructions, quantity.Bytes(m.Memory))
	if slices.ContainsFunc(r.Comparisons, func(c Comparison) bool { return strings.Contains(c.Entries[0].Engine, "portable") }) {
		title += ": kernels in plain Go"
	}
	return title
}

// table writes a Markdown table below a heading; without rows it writes nothing.
func table(heading, text string, header []string, rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "\n### %s\n\n", heading)
	if text != "" {
		out.WriteString(text + "\n\n")
	}
	out.WriteString("| " + strings.Join(header, " | ") + " |\n|" + strings.Repeat("---|", len(header)) + "\n")
	for _, row := range rows {
		out.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	return out.String()
}

// others are the programs that we're compared with, in the order of the table's columns.
var others = []string{"PyTorch", "PyTorch, malloc tuned", "XLA on the CPU"}

// steps is the table of one measurement on all networks, with the programs that were run.
func (r Record) steps(what, heading string) string {
	header := []string{"network", "width", "nbbnn", "GFLOP/s", "of a matrix product"}
	comparisons := slices.DeleteFunc(slices.Clone(r.Comparisons), func(c Comparison) bool { return c.What != what })
	engines, present := map[string]bool{}, map[string]bool{}
	for _, c := range comparisons {
		for _, e := range c.Entries {
			engines[e.engine()], present[e.Name] = true, true
		}
	}
	programs := slices.DeleteFunc(slices.Clone(others), func(name string) bool { return !present[name] })
	for _, name := range programs {
		header = append(header, name, "ratio")
	}
	var rows [][]string
	for _, c := range comparisons {
		ours := c.Entries[0]
		gflops := perSecond(ours.Operations, ours.Seconds.Median) / 1e9
		row := []string{c.Network, fmt.Sprint(c.Width), quantity.Seconds(ours.Seconds.Median), fmt.Sprintf("%.0f", gflops), fmt.Sprintf("%.2f", gflops/ours.PeakGFLOPS)}
		for _, name := range programs {
			row = append(row, c.against(name)...)
		}
		rows = append(rows, row)
	}
	return table(heading, strings.Join(sorted(engines), "; ")+".", header, rows)
}

// engine names what computed, and on which device.
func (e Entry) engine() string {
	if e.Device == "" {
		return e.Engine
	}
	return e.Engine + " on " + e.Device
}

// against returns the time of a program and our ratio to it; dashes if it wasn't run.
func (c Comparison) against(name string) []string {
	for _, e := range c.Entries {
		if e.Name == name {
			return []string{quantity.Seconds(e.Seconds.Median), fmt.Sprintf("**%.2f** (%.2f to %.2f)", e.Ratio.Median, e.Ratio.FirstQuartile, e.Ratio.ThirdQuartile)}
		}
	}
	return []string{"-", "-"}
}
