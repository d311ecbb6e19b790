package main

import (
	"cmp"
	_ "embed" // faults.tsv
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
)

// pageCommand writes docs/reliability.md from the counts in docs/reliability.
func pageCommand() *cobra.Command {
	return &cobra.Command{
		Use: "page PAGE ATTACKS", Short: "Write the page of counts, docs/reliability.md",
		Example: "  attack page docs/reliability.md docs/reliability/attacks.json",
		Args:    commandline.Arguments("PAGE", "ATTACKS"),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := pageOf(args[1])
			if err != nil {
				return err
			}
			return files.WriteBytes(args[0], []byte(text))
		},
	}
}

// pageOf returns the page of the counts in a file.
func pageOf(attacks string) (string, error) {
	if _, err := os.Stat(attacks); err != nil {
		return "", fmt.Errorf("attack page: %w: give a file that attack --record has written", err)
	}
	records, err := readRecords(attacks)
	if err != nil {
		return "", err
	}
	var page strings.Builder
	page.WriteString(introduction)
	for _, section := range sections {
		writeSection(&page, section, records[section.kind])
	}
	writeSoak(&page, records["soak"])
	writeShapes(&page, records["shapes"])
	writeCost(&page, records["overhead"])
	return page.String() + faultTable(), nil
}

const introduction = `# Reliability

What was done to the workbench on purpose, and what it noticed. The line under each table has the arguments of its counts, to
repeat them after ` + "`make build`" + `. ` + "`make attack`" + ` does the same with arguments of its own and writes this page from its counts;
` + "`make attack-short`" + ` takes minutes and is part of the checks. All runs are of a network of width 4 on Shapes10.

Each attack has one verdict. **Harmless**: every result is exactly as without it. **Noticed**: a message names the file
or the data set, or the results name other images. **Unclear**: an error, or a note, that doesn't name it. **Left over**:
temporary files that the next command should have removed. **Silent**: other results without a word. **Crashed**: a panic,
a hang, or a command that can't be repeated. Progress and times aren't results.
`

// section is the part of the page about a kind of attack.
type section struct{ kind, title, text string }

var sections = []section{
	{"flips", "Damaged files", `A bit or a byte of a file is changed, then every command that reads the file is run: runs, cells, compare, evaluate,
train, report, figure, export, import, data and corrupt. The classes of bytes (header, keys, numbers, signs, end) are met
equally often. Rows with "whole" are files that were cut, emptied or replaced by that of another run. Implicit
corruptions are computed again from the weights. Own pictures are PNG files, which have checksums; a changed byte of a
JPEG file or an array that isn't added yet makes another picture, which nothing can tell. Own corrupted images have no
manifest: results name them by their content.`},
	{"kills", "Killed commands", `A command is killed by SIGKILL at random times, again and again, until it ends by itself. Then its files and numbers are
compared with those of an undisturbed one. Each kill counts.`},
	{"together", "Several processes at once", `Two to four processes of one command start at about the same time; in half of the cases one of them is killed.`},
	{"disk", "Disks that fail", `One step of writing fails: creating, writing, changing the mode, syncing, closing or renaming a file, making or syncing a
folder. A short write leaves a part of its content. Then the same call is repeated and compared with an undisturbed one.`},
	{"power", "Power cuts", `The steps of writing of a training and a test are recorded. For each number of them, each state in which a disk may be
after a power cut is made: with any number of the latest changes of names, and with all, half or nothing of content that
isn't synced. Each distinct content is restored once. Then the same call is repeated and compared with an undisturbed one.`},
	{"downloads", "Bad servers", `A file of 100 kB is fetched from a server on the same machine that is bad for the first requests, or always. Harmless:
the file arrived, and is the published one.`},
}

// notTried takes the place of counts that there are none of.
const notTried = "not tried"

// writeSection writes the counts of a kind of attack, if it has a record.
func writeSection(page *strings.Builder, s section, r record) {
	fmt.Fprintf(page, "\n## %s\n\n%s\n\n", s.title, s.text)
	if len(r.Rows) == 0 {
		fmt.Fprintf(page, "Not tried yet: `go run ./tools/attack %s` does.\n", s.kind)
		return
	}
	columns := []string{"tried", harmless, noticed, unclear, "left over", silent, crashed}
	fmt.Fprintf(page, "| |%s\n|--|%s\n", strings.Join(columns, "|")+"|", strings.Repeat("--:|", len(columns)))
	var total row
	total.Verdicts = map[string]int{}
	for _, counted := range r.Rows {
		writeRow(page, nameOf(counted), counted)
		total.Tried += counted.Tried
		for verdict, n := range counted.Verdicts {
			total.Verdicts[verdict] += n
		}
	}
	if s.kind == "disk" {
		writeUntried(page, r)
	}
	writeRow(page, "**all**", &total)
	fmt.Fprintf(page, "\nWith these arguments: `go run ./tools/%s`, %s, %.0f minutes on %s.\n", r.Command, r.Date, r.Minutes, cmp.Or(r.Machine, "an unknown machine"))
}

// writeUntried names the faults of disks that no row counts.
func writeUntried(page *strings.Builder, r record) {
	counted := tally{r.Rows}
	for _, f := range faults {
		if !counted.has("disk", f.name) {
			fmt.Fprintf(page, "|%s|%s%s\n", f.name, notTried, strings.Repeat("|", len(verdicts)+1))
		}
	}
}

// writeSoak writes what a process held in the minutes that were measured, if there is a record.
func writeSoak(page *strings.Builder, r record) {
	if r.Soak == nil {
		page.WriteString("\n## A process that trains again and again\n\nNot tried yet: `make soak` does.\n")
		return
	}
	fmt.Fprintf(page, "\n## A process that trains again and again, for %.0f minutes\n\n%s\n\n| |mean|change|limit|\n|--|--:|--:|--:|\n", r.Minutes, soakText)
	for _, g := range r.Soak.Numbers {
		fmt.Fprintf(page, "|%s|%.1f|%+.2f|%.2f|\n", g.Name, g.Mean, g.Change, g.Limit)
	}
	verdict := "flat"
	if !r.Soak.Flat {
		verdict = "not flat"
	}
	fmt.Fprintf(page, "\n%d rounds with %d views: %s. With these arguments: `go run ./tools/%s`, %s, %.0f minutes on %s.\n",
		r.Soak.Rounds, r.Soak.Views, verdict, r.Command, r.Date, r.Minutes, r.Machine)
}

const soakText = `Training, test and live view are repeated in one process; after each round garbage is collected and the process is
measured. The change is that of a line of least squares through the rounds after the first third. It is flat if memory
changes by less than 3 % of its mean, and goroutines and descriptors by less than one.`

// writeShapes writes on how many shapes the kernels were compared.
func writeShapes(page *strings.Builder, r record) {
	page.WriteString("\n## Kernels on random shapes\n\n")
	if len(r.Shapes) == 0 {
		page.WriteString("Not tried yet: `make shapes` does.\n")
		return
	}
	page.WriteString(shapesText + "\n\n|processor|kernels|shapes|largest difference allowed|of normalisation|workers|minutes|\n|--|--|--:|--:|--:|--|--:|\n")
	for _, s := range r.Shapes {
		fmt.Fprintf(page, "|%s|%s|%d|%.0e|%.0e|%s|%.0f|\n", s.Processor, s.Sets, s.Shapes, s.Tolerance, s.Normalisation, s.Workers, s.Minutes)
	}
	fmt.Fprintf(page, "\nWith these arguments: `go run ./tools/%s`.", r.Command)
	for _, s := range r.compared() {
		where := "on"
		if !strings.HasSuffix(s.Machine, "/"+s.Processor) {
			where = "in qemu on"
		}
		fmt.Fprintf(page, " %s: %s, %s %s.", s.Processor, s.Date, where, cmp.Or(s.Machine, "an unknown machine"))
	}
	page.WriteString("\n")
}

const shapesText = `What the kernels in assembly compute is compared with what the portable ones do, on random shapes: convolutions with bias,
scale and rectifier, their gradients with respect to input and kernel, and passes over images (arithmetic, rectifiers,
sums, gradients of noise, moments, normalisation, pooling and a step of descent). Differences are relative to the largest
value; AVX2 and AVX-512 must give the same bits. A larger difference ends the test with an error. A test of fixed shapes
wants the same bits from each number of workers. Shapes are numbered, so that a process compares a part of
them, and an interrupted comparison continues. Convolutions whose input is rectified as it is read, or that share an
image among its samples, are tested on fixed shapes only, and dilation only as the gradients of strides need it.`

// writeCost writes what checking costs.
func writeCost(page *strings.Builder, r record) {
	page.WriteString("\n## What checking costs\n\n")
	if r.Overhead == nil {
		page.WriteString("Not tried yet: `go run ./tools/attack overhead` measures it.\n")
		return
	}
	writeOverhead(page, *r.Overhead)
	fmt.Fprintf(page, "Times are of the processor, from a profile: `go run ./tools/%s`, %s, on %s.\n", r.Command, r.Date, r.Machine)
}

func nameOf(r *row) string {
	if r.Kind == "files" {
		return r.Target + ", whole"
	}
	return r.Target
}

func writeRow(page *strings.Builder, name string, r *row) {
	fmt.Fprintf(page, "|%s|%d", name, r.Tried)
	for _, verdict := range verdicts {
		fmt.Fprintf(page, "|%d", r.Verdicts[verdict])
	}
	page.WriteString("|\n")
}

//go:embed faults.tsv
var faultList string

// faultTable returns the section on faults that were found, each with the test that would find it
// again.
func faultTable() string {
	var table strings.Builder
	table.WriteString("\n## Faults that were found, and their tests\n\n" + faultText + "\n\n| | fault | test |\n|--|--|--|\n")
	for _, f := range parseFaults(faultList) {
		fmt.Fprintf(&table, "| %s | %s | `%s` in %s |\n", f.id, f.text, f.test, f.folder)
	}
	return table.String()
}

const faultText = `M is a fault that gave wrong results or crashed, L a lesser one, E one that was found by using the program.`

// foundFault is a fault with its regression test.
type foundFault struct{ id, folder, test, text string }

// parseFaults reads lines of a fault's number, a folder, the name of a test and the fault,
// separated by tabs.
func parseFaults(list string) (faults []foundFault) {
	for line := range strings.Lines(list) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) == 4 {
			faults = append(faults, foundFault{fields[0], fields[1], fields[2], fields[3]})
		}
	}
	return faults
}
