package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// labelMethods renames the methods of runs, as in "9f3c=ours". The beginning of a run's name is
// enough if one method alone has such a run.
func labelMethods(compared score.Comparison, labels []string) error {
	named := map[int]string{} // label by method
	for _, label := range labels {
		run, text, found := strings.Cut(label, "=")
		if !found || run == "" || text == "" {
			return fmt.Errorf("nbbnn compare: --label %q isn't RUN=TEXT: give such as --label 9f3c=ours", label)
		}
		method, err := methodOf(compared, filepath.Base(run))
		if err != nil {
			return err
		}
		if before, double := named[method]; double && before != text {
			return fmt.Errorf("nbbnn compare: %q and %q name the same method, whose runs differ in their seed only: give one label", before, text)
		}
		named[method] = text
	}
	for method, text := range named {
		compared.Methods[method].Name = text
	}
	return compared.Check()
}

// methodOf finds the method of a run by the beginning of its name.
func methodOf(compared score.Comparison, run string) (int, error) {
	var found []int
	for i, method := range compared.Methods {
		if slices.ContainsFunc(method.Runs, func(name string) bool { return strings.HasPrefix(name, run) }) {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return 0, fmt.Errorf("nbbnn compare: --label names run %q, which isn't compared: give one of the runs", run)
	case 1:
		return found[0], nil
	}
	return 0, fmt.Errorf("nbbnn compare: --label %q is the beginning of runs of %d methods: give more of the name", run, len(found))
}

// noteCollapsed says which runs have learnt nothing: their training NLL is about that of guessing,
// and so they make scales of pictures useless.
func noteCollapsed(a *app, runs []*nbbnn.Run) {
	const share = 0.95 // of the NLL of guessing
	for _, run := range runs {
		card, err := run.Card()
		if err != nil || card.Training == nil {
			continue
		}
		guessing := math.Log(float64(run.Config().Data.Images().Size().Classes))
		if !(card.Training.NLL < share*guessing) {
			fmt.Fprintf(a.err, "note     run %s collapsed: its training NLL %.2f is that of guessing (%.2f); leave it out, or train longer or with a lower gamma\n",
				card.Run, card.Training.NLL, guessing)
		}
	}
}
