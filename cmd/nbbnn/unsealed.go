package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// noteUnsealed says in one line which files of runs have records without checksums. Given names of
// files, it reads these only.
func noteUnsealed(a *app, runs []*nbbnn.Run, names ...string) {
	files := make([][]string, len(runs))
	for i, run := range runs {
		files[i] = run.Unsealed(names...)
	}
	noteWithoutChecksums(a, "run", files)
}

// noteUnsealedEnsembles is noteUnsealed for the directories of ensembles.
func noteUnsealedEnsembles(a *app, directories []string, names ...string) {
	files := make([][]string, len(directories))
	for i, directory := range directories {
		files[i] = score.Unsealed(directory, names...)
	}
	noteWithoutChecksums(a, "ensemble", files)
}

// noteWithoutChecksums says how many of several things have files with records without checksums.
// files has a list for each thing.
func noteWithoutChecksums(a *app, thing string, files [][]string) {
	count := 0
	for _, some := range files {
		if len(some) > 0 {
			count++
		}
	}
	if count == 0 {
		return
	}
	names := slices.Compact(slices.Sorted(slices.Values(slices.Concat(files...))))
	fmt.Fprintf(a.err, "note     records without checksums in %s (%s): an earlier version wrote them, or the checksums were removed; damage to them isn't noticed\n",
		quantity.Count(count, thing), strings.Join(names, ", "))
}

// noteUnsealedCards is noteUnsealed for the cards of listed runs, which are read already.
func noteUnsealedCards(a *app, list []listed) {
	var files [][]string
	for _, entry := range list {
		if entry.card.StateSHA256 != "" && entry.card.Checksum == "" {
			files = append(files, []string{"card.json"})
		}
	}
	noteWithoutChecksums(a, "run", files)
}
