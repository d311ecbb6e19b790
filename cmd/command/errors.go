package command

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/nbbnn"
)

// describe returns an error's text as one line and, if a command line helps, that command line.
func describe(err error) string { return quantity.PrintableLines(plain(advise(err))) }

// Errors of the system: for a missing file, and for a folder in place of a file or a file in place
// of a folder, which the cure that follows, of permissions, doesn't heal.
var (
	missingFile = regexp.MustCompile(`\b(?:l?stat|open) ([^:\n]*): no such file or directory`)
	otherKind   = regexp.MustCompile(`\b(?:l?stat|open|read|write|mkdir) ([^:\n]*): ` +
		`(?:is a directory|not a directory|file exists)(?:: make the \w+ \w+able)?(,? or|:)?`)
)

// plain writes the system's words as sentences.
func plain(text string) string {
	text = missingFile.ReplaceAllString(text, "$1 doesn't exist")
	return otherKind.ReplaceAllStringFunc(text, func(words string) string {
		parts := otherKind.FindStringSubmatch(words)
		path, rest := parts[1], ": name another"
		for !isThere(path) && path != filepath.Dir(path) {
			path = filepath.Dir(path)
		}
		if parts[2] != "" {
			rest = ":"
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path + " is a folder, not a file" + rest
		}
		return path + " is a file, not a folder" + rest
	})
}

// reason is describe after another text, without the name of the program.
func reason(err error) string { return strings.TrimPrefix(describe(err), "nbbnn: ") }

func advise(err error) string {
	var untrained *nbbnn.UntrainedError
	var unevaluated *nbbnn.UnevaluatedError
	switch {
	case errors.As(err, &untrained) && untrained.Holder != "":
		return fmt.Sprintf("%v; `nbbnn runs --runs %s` shows its progress", err,
			quote(filepath.Dir(untrained.Run)))
	case errors.As(err, &untrained) && untrained.Recorded:
		return fmt.Sprintf("%v; train it again: `nbbnn train --config %s --runs again`", err,
			quote(untrained.Run))
	case errors.As(err, &untrained):
		return fmt.Sprintf("nbbnn: run %s isn't trained to the end: train it first (`%s`)",
			untrained.Run, trainCommandLine(untrained.Run))
	case errors.As(err, &unevaluated):
		if why := untestable(unevaluated.Run, unevaluated.Evaluation); why != nil {
			return unevaluated.Lack() + ", which it can't be tested on: " + reason(why)
		}
		return fmt.Sprintf("%s: `nbbnn evaluate %s %s` computes its cells",
			unevaluated.Lack(), quote(unevaluated.Run),
			strings.Join(evaluationFlags(unevaluated.Evaluation), " "))
	default:
		return err.Error()
	}
}

// untestable says why the command evaluate can't test the run in a directory; nil if it can.
func untestable(directory string, evaluation nbbnn.Evaluation) error {
	run, err := nbbnn.OpenDirectory(directory)
	if err != nil {
		return nil // evaluate says why
	}
	return cannotTest(run, evaluation.WithDefaults())
}

// trainCommandLine returns the command line that continues the training of the run in a directory.
func trainCommandLine(directory string) string {
	return fmt.Sprintf("nbbnn train --config %s --runs %s",
		quote(filepath.Join(directory, "config.json")), quote(filepath.Dir(directory)))
}

// checkOutFile refuses a file that the result of a command can't be written into, that has none of
// its endings, or that doesn't begin as an earlier one.
func checkOutFile(begins *regexp.Regexp, command, path string, endings ...string) error {
	if !slices.Contains(endings, filepath.Ext(path)) {
		return commandline.Usagef("nbbnn %s: --out %s is no file that ends in %s: name one",
			command, path, strings.Join(endings, ", "))
	}
	folder := filepath.Dir(path)
	return cmp.Or(checkOut(command, "out", folder),
		checkReplaced(begins, command, folder, filepath.Base(path)))
}

// sumOfFolder matches the checksum that a card adds to the name of a folder.
var sumOfFolder = regexp.MustCompile(`-[0-9a-f]{8}$`)

// readyMade returns the folder here whose name and checksum a card has, or the name unchanged.
func readyMade(name string) string {
	if folder := sumOfFolder.ReplaceAllString(name, ""); !isThere(name) && isThere(folder) {
		return folder
	}
	return name
}

// isHere reports whether ready-made images, "" for none, are a published set or a folder here.
func isHere(readyMadeImages string) bool {
	return readyMadeImages == "" || isThere(readyMade(readyMadeImages)) ||
		slices.Contains(sources.Names(), readyMadeImages)
}

// plainWord matches words that mean the same to a shell without quotes.
var plainWord = regexp.MustCompile(`^[\pL\pN_./:,=+@%-]+$`)

// quote returns a word for a shell, in single quotes if it has to be.
func quote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// quoteAll returns words for a shell, with spaces between them.
func quoteAll(words []string) string { return strings.Join(quantity.Texts(words, quote), " ") }

// quoteRuns is quoteAll of the directories of runs.
func quoteRuns(runs []*nbbnn.Run) string {
	return quoteAll(quantity.Texts(runs, (*nbbnn.Run).Directory))
}

// ours matches how the tables, the data and the pages of results begin.
var ours = regexp.MustCompile(`^(method,metric,|run,name,method,|epoch,log_likelihood,|` +
	`\{\s+"figure": \d|\[\n\{"result":|` + regexp.QuoteMeta(rankingHead) + ")")

// drawn matches a PNG, which has no mark, and the SVG and PDF that Gonum draws.
var drawn = regexp.MustCompile("^.PNG|^<.*\n<!-- Generated by SVGo and Plotinum VG|" +
	"^%PDF(?s:.*)F\x00P\x00D\x00F")

// checkReplaced refuses a folder with files of results' names, which may be patterns, unless one of
// them begins as results do.
func checkReplaced(begins *regexp.Regexp, command, folder string, names ...string) error {
	other := ""
	entries, _ := os.ReadDir(folder) // none of a new one
	for _, entry := range entries {
		if entry.IsDir() || !slices.ContainsFunc(names, func(name string) bool {
			found, _ := filepath.Match(name, entry.Name())
			return found || name == entry.Name()
		}) {
			continue
		}
		other = filepath.Join(folder, entry.Name())
		if text, _ := files.ReadFile(other); begins.Match(text) {
			return nil
		}
	}
	if other == "" {
		return nil
	}
	return commandline.Usagef("nbbnn %s: %s exists and may be your own, and results would replace "+
		"it: move it, or choose another place for them", command, other)
}

// fileEnding matches a path that a person means as a file.
var fileEnding = regexp.MustCompile(`(?i)\.(png|svg|pdf|jpe?g|webp|csv|html|json|np[yz])$`)

// checkOut refuses a folder that the results of a command can't be written into, that is a run or
// called as a file is, or whose files they would replace, before the work that makes them. It
// leaves nothing behind.
func checkOut(command, flag, folder string, names ...string) error {
	if fileEnding.MatchString(folder) && !isThere(folder) {
		return commandline.Usagef("nbbnn %s: --%s is a folder, and %s ends as a file: name a "+
			"folder", command, flag, folder)
	}
	if hasFile(folder, "config.json") && (hasFile(folder, "card.json") || hasFile(folder,
		"train.jsonl")) {
		return commandline.Usagef("nbbnn %s: %s is a run, whose files results would replace: "+
			"choose another folder with --%s", command, folder, flag)
	}
	if err := files.CheckWritable(folder); err != nil {
		return fmt.Errorf("nbbnn %s: can't write results into %s: %w: make the folder "+
			"writable, or choose another one with --%s",
			command, folder, err, flag)
	}
	return checkReplaced(ours, command, folder, names...)
}
