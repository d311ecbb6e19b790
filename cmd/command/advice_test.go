package command

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

// advised matches a command that a message gives.
var advised = regexp.MustCompile("`nbbnn ([^`]+)`")

// verb matches what fmt puts into a message.
var verb = regexp.MustCompile(`%(\[\d\])?[sdgvq]|\b[A-Z]\b`)

// Every command in a message of this program has the commands, the flags and the arguments that it
// names, and no others.
func TestAdvicesParse(t *testing.T) {
	count := 0
	testkit.NoError(t, filepath.WalkDir(filepath.Join("..", ".."),
		func(path string, entry fs.DirEntry, err error) error {
			if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".." {
				return filepath.SkipDir // .cache, where make may be at work meanwhile
			}
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") ||
				strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				text, is := testkit.ConstantText(node)
				if !is {
					return true
				}
				for _, match := range advised.FindAllStringSubmatch(text, -1) {
					words := strings.Fields(verb.ReplaceAllString(match[1], "1"))
					if words[0] == "1" { // any command
						continue
					}
					count++
					root := newRoot(streams{out: io.Discard, err: io.Discard})
					command, rest, err := root.Find(words)
					if err == nil {
						err = command.ParseFlags(rest)
					}
					if err == nil && len(rest) > 0 { // or the command is only mentioned
						given := command.Flags().Args()
						if err = command.ValidateArgs(given); err == nil {
							err = command.ValidateRequiredFlags()
						}
						if err == nil && !command.Runnable() && len(given) > 0 {
							err = fmt.Errorf("%s has no command %s", command.Name(), given[0])
						}
					}
					if err != nil && !strings.Contains(err.Error(), "flag needs an argument") {
						t.Errorf("%s: `nbbnn %s`: %v", path, match[1], err)
					}
				}
				return false
			})
			return nil
		}))
	if count < 50 {
		t.Errorf("%d commands were found, want 50 or more", count)
	}
}

// follow runs a command and each command that it advises, which must end well.
func follow(t *testing.T, want int, texts []string, args ...string) {
	t.Helper()
	stdout, stderr, status := execute(t, args...)
	output := stdout + stderr
	for _, text := range texts {
		if text, isAbsent := strings.CutPrefix(text, "!"); status != want ||
			strings.Contains(output, text) == isAbsent {
			t.Errorf("%q: status %d, want %d and %q (absent: %t):\n%s", args, status, want, text,
				isAbsent, output)
		}
	}
	for _, match := range advised.FindAllStringSubmatch(output, -1) {
		var words []string
		for _, word := range shellWord.FindAllString(match[1], -1) {
			words = append(words, strings.ReplaceAll(word, "'", ""))
		}
		if _, stderr, status := execute(t, words...); status != exitDone {
			t.Errorf("%q advises `nbbnn %s`, which ends with status %d: %s", args, match[1], status,
				stderr)
		}
	}
}

// What messages on runs advise ends well, and nothing is advised that can't: of a run that hasn't
// as many images, or has no weights.
func TestAdvicesRun(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "some runs")
	t.Setenv("NBBNN_RUNS", runs)
	names := trainedTwice(t, runs)
	third := cardOf(t, append(tinyRun(runs), "--seed", "3", "--epochs", "1")...).Run
	many := cardOf(t, append(tinyRun(runs), "--test", "24", "--seed", "4", "--epochs", "1")...).Run
	wantStatus(t, exitDone, "", "evaluate", many, "--samples", "2", "--images", "20", "--runs",
		runs)
	stopped := stoppedRun(t, runs, 7).Directory()
	test := []string{"--suite", "first8", "--samples", "2", "--images"}
	follow(t, exitDone, []string{"left out: 1 run without --suite first8 --samples 2 --images 4: " +
		"`nbbnn evaluate", "`nbbnn train --config"},
		append([]string{"compare", names[0], names[1], third, stopped, "--runs", runs},
			append(test, "4")...)...)
	follow(t, exitDone, []string{"tested on other images (" + names[0], "!`nbbnn evaluate"},
		append([]string{"compare", names[0], many, "--runs", runs}, append(test, "20")...)...)
	follow(t, exitFailed, []string{"can't be tested on: run " + third + " has 16 test images",
		"!`nbbnn evaluate"},
		append([]string{"compare", third, "--runs", runs}, append(test, "20")...)...)
	follow(t, exitUsage, []string{"run " + third + " has 16 test images, too few"},
		"evaluate", third, "--first", "14", "--images", "4", "--runs", runs)
	for _, args := range [][]string{{"runs", "--runs", runs},
		{"evaluate", names[0], names[1], "--samples", "2", "--images", "4", "--runs", runs},
		{"report", stopped, "--out", t.TempDir(), "--runs", runs}} {
		follow(t, exitDone, nil, args...)
	}
	damaged := filepath.Join(runs, names[0], "cells.csv")
	testkit.NoError(t, os.WriteFile(damaged, []byte("x"), 0o644))
	wantTexts(t, exitFailed, []string{damaged + " is damaged", "!another Version"}, "compare",
		names[0], "--runs", runs)
	var several []*nbbnn.Run
	for seed := range uint64(mostNamed + 1) {
		config := tinyConfig(16, 1)
		config.Seed = seed
		several = append(several, testkit.Must(nbbnn.Open(runs, config))(t))
	}
	if got, want := runArguments(several), "'"+runs+"'/*"; got != want {
		t.Errorf("many runs are called %s in a command, want %s", got, want)
	}
	if got := strings.Count(runArguments(several[1:]), runs); got != mostNamed {
		t.Errorf("%d of %d runs are named", got, mostNamed)
	}
}

// A card has a checksum behind the folder of ready-made images; an advice has the folder, if it's
// here.
func TestAdvisedImagesAreAFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	const name = "made-98df5f67"
	if isHere(name) || readyMade(name) != name || !isHere("cifar10-c") {
		t.Errorf("without a folder the images of %s are called %s", name, readyMade(name))
	}
	testkit.NoError(t, os.Mkdir("made", 0o777))
	words := strings.Join(evaluationFlags(nbbnn.Evaluation{Suite: "fog", Corrupted: name}), " ")
	if !isHere(name) || !strings.HasSuffix(words, "--corrupted made") {
		t.Errorf("with the folder the flags are %s", words)
	}
}

// A value that can't be right is refused before any work, with the value and what to give instead:
// a folder in place of a file and the other way round, an empty text, or another data set or number
// than the run has.
func TestWrongValuesAreRefusedWithTheirCure(t *testing.T) {
	runs, folder := t.TempDir(), t.TempDir()
	names := trainedTwice(t, runs)
	picture := filepath.Join("..", "..", "docs", "images", "answers.png")
	file := filepath.Join(folder, "file")
	testkit.NoError(t, os.WriteFile(file, nil, 0o644))
	aFolder, aFile := folder+" is a folder, not a file: ", file+" is a file, not a folder: "
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{exitUsage, aFolder + "name another", []string{"train", "--config", folder}},
		{exitFailed, aFolder + "name another", []string{"sweep", "run", "--manifest", folder}},
		{exitUsage, aFolder + "give the path", []string{"weights", "import", folder}},
		{exitUsage, aFolder + "name a PNG", []string{"corrupt", "show", folder}},
		{exitUsage, "show: " + file + ": it's empty", []string{"corrupt", "show", file}},
		{exitUsage, folder + " is a folder: name its records", []string{"verify", folder}},
		{exitUsage, folder + " is no file that ends in .csv", []string{"compare", "--tidy", "--out",
			folder}},
		{exitUsage, "is in the folder of runs", []string{"evaluate", names[0], "--save",
			filepath.Join(runs, "saved")}},
		{exitUsage, "is in the folder of runs", []string{"weights", "export", names[0],
			filepath.Join(runs, "a.onnx")}},
		{exitUsage, "samples is 9999999: give a number from 1 up to", []string{"predict", names[0],
			picture, "--samples", "9999999"}},
		{exitUsage, "is in the folder of runs", []string{"sweep", "plan", "--manifest",
			filepath.Join(runs, "m.json")}},
		{exitFailed, aFile + "choose another one with --save", []string{"evaluate", names[0],
			"--save", file}},
		{exitFailed, aFile + "choose another", []string{"corrupt", "make", "--data", "shapes10",
			"--out", file}},
		{exitFailed, aFile + "choose another", []string{"report", names[0], "--out", file}},
		{exitUsage, file + " is a file, and no record of a run", []string{"compare", file}},
		{exitUsage, "--test is empty: give a value", []string{"evaluate", names[0], "--test="}},
		{exitUsage, "--metrics is empty", []string{"compare", "--metrics="}},
		{exitUsage, "shapes10 is the runs' own data set", []string{"compare", "--test",
			"shapes10"}},
		{exitUsage, "shapes10 is the data set of the run itself", []string{"evaluate", names[0],
			"--test", "shapes10"}},
		{exitUsage, "no batch normalisation", []string{"evaluate", names[0], "--batch-statistics",
			"4"}},
		{exitUsage, "--chains is 0: give 2 or more", []string{"posthoc", "--from", names[0],
			"--chains", "0"}},
		{exitUsage, `nbbnn: no run has a field "foo"`, []string{"compare", "--where", "foo=1"}},
		{exitUsage, "nothing.png doesn't exist: name a PNG, JPEG or WebP file", []string{"corrupt",
			"show", "nothing.png"}},
	} {
		_, stderr, status := execute(t, append(c.args, "--runs", runs)...)
		if status != c.status || !strings.Contains(stderr, c.want) ||
			strings.Contains(stderr, "plan  ") {
			t.Errorf("%q: status %d, %s, want %d and %q", c.args, status, stderr, c.status, c.want)
		}
	}
	for _, args := range [][]string{
		{"weights", "export", names[0], filepath.Join(folder, "new", "a.safetensors")},
		{"sweep", "plan", "--network", "allcnnc", "--width", "2", "--data", "shapes10", "--epochs",
			"1", "--train", "32", "--batch", "8", "--manifest", filepath.Join(folder, "plans",
				"m.json")},
	} {
		wantStatus(t, exitDone, "wrote    "+args[len(args)-1], append(args, "--runs", runs)...)
	}
}
