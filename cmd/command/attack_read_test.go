//go:build attack

package command

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// reader is something that reads files of a scene: a command, with the files that it writes, or a
// function of the library.
type reader struct {
	arguments []string
	writes    []string // whose content is part of the result
	call      func() (any, error)
	images    func() string // names the images that the result is of; may be nil
}

func command(arguments ...[]string) reader { return reader{arguments: slices.Concat(arguments...)} }

// reading is what a reader says.
type reading struct {
	result string // what it printed and wrote, without what differs between equal runs
	text   string // its messages
	status int
	images string // the identity of the images that the result is of, "" if unknown
}

// read calls all readers in the current folder.
func read(t *testing.T, readers []reader) (readings []reading) {
	t.Helper()
	for _, r := range readers {
		var got reading
		if r.call != nil {
			value, err := r.call()
			data, encoding := json.Marshal(value)
			got.result = string(data)
			if err = errors.Join(err, encoding); err != nil {
				got = reading{text: err.Error(), status: exitFailed}
			}
		} else {
			var out string
			out, got.text, got.status = execute(t, r.arguments...)
			got.result = steadyText(out)
		}
		for _, name := range r.writes {
			data, _ := os.ReadFile(name) // a missing one counts as empty
			got.result += "\n" + string(data)
		}
		if r.images != nil {
			got.images = r.images()
		}
		readings = append(readings, got)
	}
	return readings
}

// readSound calls all readers twice, in two copies of parts of a scene, and wants the same results.
func (s *scene) readSound(t *testing.T, parts []string, readers []reader) []reading {
	t.Helper()
	var twice [2][]reading
	for i := range twice {
		s.copyParts(t, parts)
		twice[i] = read(t, readers)
	}
	for i, got := range twice[0] {
		name := strings.Join(readers[i].arguments, " ")
		if got.status != exitDone || readers[i].images != nil && got.images == "" {
			t.Fatalf("nbbnn %s of sound files: status %d: %s", name, got.status, got.text)
		}
		if other := twice[1][i].result; got.result != other {
			t.Fatalf("nbbnn %s of the same files gives %s", name, difference(got.result, other))
		}
	}
	return twice[0]
}

// volatile are the keys of JSON whose values differ between two equal runs: times, memory, the
// program's version and the checksum of a card that has them.
var volatile = []string{"sha256", "wall_seconds", "seconds", "total_seconds", "created", "changed",
	"peak_memory_bytes", "commit", "commit_modified"}

func steadyText(out string) string {
	var value any
	if json.Unmarshal([]byte(out), &value) != nil {
		return out
	}
	data, err := json.Marshal(steady(value))
	if err != nil {
		return out
	}
	return string(data)
}

// steady removes volatile keys from a JSON value.
func steady(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range volatile {
			delete(v, key)
		}
		for key := range v {
			v[key] = steady(v[key])
		}
	case []any:
		for i := range v {
			v[i] = steady(v[i])
		}
	}
	return value
}

// difference shows where two results begin to differ.
func difference(a, b string) string {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	part := func(text string) string {
		return text[max(0, min(at, len(text))-60):min(at+60, len(text))]
	}
	return fmt.Sprintf("%q and %q", part(a), part(b))
}

// victims are files of a scene that are damaged, one at a time, and what reads them.
type victims struct {
	name    string
	parts   []string // folders and files of the scene that the readers need
	files   []string
	foreign []string // the same files of another run; may be shorter
	readers []reader
	// what messages may call the files instead of their names; "" if they must name them
	called string
}

const (
	latestWeights = "checkpoint/latest.safetensors"
	keptWeights   = "checkpoint/epoch-0002.safetensors"
)

// victims returns everything of a scene that is damaged.
func (s *scene) victims(t *testing.T) []victims {
	runs := []string{s.run(s.first), s.run(s.second)}
	results := []string{"config.json", "card.json", "train.jsonl", "cells.csv", "bins.csv",
		"label.json"}
	unfinished := []string{"config.json", "train.jsonl", latestWeights, keptWeights}
	list := command([]string{"runs", "--sort", "run", "--json"})
	inSet := func(folder string, names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(folder, name))
		}
		return paths
	}
	all := []victims{
		{name: "finished run", parts: append(runs, "own-data"), files: s.inRun(s.first, results...),
			foreign: s.inRun(s.second, results...), readers: []reader{
				list, command([]string{"compare", "--tidy"}),
				command([]string{"compare", s.first, s.second}, fogTest),
				command([]string{"evaluate", s.first}, fogTest),
				command([]string{"evaluate", s.first},
					outsideTest),
				command(trainSeed(1, finishedEpochs)),
				{arguments: []string{"report", s.first, "--out", "report"},
					writes: []string{"report/training.csv", "report/card.json"}},
			}},
		{name: "weights", parts: runs[:1], files: s.inRun(s.first, latestWeights, keptWeights),
			foreign: s.inRun(s.second, latestWeights, keptWeights),
			readers: []reader{
				list, {arguments: []string{"weights", "export", s.first, "weights.safetensors"},
					writes: []string{"weights.safetensors"}},
				command([]string{"evaluate", s.first}, cleanTest),
				command([]string{"evaluate", s.first, "--epoch", "2"}, cleanTest),
			}},
		{name: "unfinished run", parts: []string{s.run(s.stopped)},
			files: s.inRun(s.stopped, unfinished...), foreign: s.inRun(s.first, unfinished...),
			readers: []reader{
				list, command(trainSeed(stoppedSeed, stoppedEpochs)),
				{arguments: []string{"weights", "export", s.stopped, "weights.safetensors"},
					writes: []string{"weights.safetensors"}},
				command([]string{"evaluate", s.stopped, "--epoch", "2"}, cleanTest),
			}},
		{name: "ensemble", parts: append([]string{s.run(s.ensemble)}, runs...),
			files:   s.inRun(s.ensemble, "cells.csv", "bins.csv", "ensemble.json"),
			foreign: s.inRun(s.first, "cells.csv", "bins.csv"), readers: []reader{
				command([]string{"evaluate", "--ensemble", s.first, s.second}, fogTest),
				command([]string{"compare", s.first, s.second, s.run(s.ensemble)}, fogTest),
			}},
		{name: "corrupted set", parts: append([]string{"fog-c"}, runs[:1]...),
			files: inSet("fog-c", "manifest.json", "fog.npy", "labels.npy"),
			readers: []reader{command([]string{"evaluate", s.first, "--corrupted", "fog-c"},
				fogTest)}},
		{name: "predictions", parts: append([]string{"predictions"}, runs[:1]...),
			files: []string{"predictions/fog-1.npz"}, readers: []reader{
				command([]string{"evaluate", s.first, "--save", "predictions"}, fogTest),
				{arguments: []string{"(score.ReadSaved)"}, call: func() (any, error) {
					return score.ReadSaved("predictions/fog-1.npz")
				}},
			}},
		{name: "export", parts: []string{"weights.safetensors"},
			files: []string{"weights.safetensors"}, readers: []reader{
				command([]string{"weights", "import", "weights.safetensors", "--json"}),
				// the import
				{arguments: []string{"weights", "export", s.first, "again.safetensors"},
					writes: []string{"again.safetensors"}},
			}},
		{name: "own pictures", parts: []string{"pictures"}, files: []string{"pictures/left/02.png"},
			readers: []reader{
				{arguments: []string{"corrupt", "show", "pictures/left/02.png", "--suite", "fog",
					"--out", "sheet.png"}, writes: []string{"sheet.png"}},
				command([]string{"data", "add", "again", "pictures", "--size", "24"}),
			}},
		{name: "own data set", parts: []string{"own-data", "own-runs"},
			called: `the set "own" is damaged`,
			files: inSet("own-data/sets/own", "manifest.json", "train_images.npy",
				"train_labels.npy", "test_images.npy", "test_labels.npy"),
			readers: []reader{
				command([]string{"data", "verify", "own"}),
				command([]string{"evaluate", s.own, "--runs", "own-runs", "--clean", "--samples",
					"2", "--images", "4", "--json"}),
				command(ownTraining, []string{"--seed", "2"}),
			}},
		// Nothing can say that these are damaged, but results have to name other images than
		// before.
		{name: "own corrupted images", parts: []string{"own-c", "own-c-runs"},
			files:   inSet("own-c", "fog.npy", "labels.npy"),
			readers: []reader{{arguments: s.ownSetTest(), images: s.imagesOnCard}}},
	}
	return append(all, s.figureVictims(t)...)
}

// figureVictims are the files of a run from which figures are drawn.
func (s *scene) figureVictims(t *testing.T) []victims {
	cards, err := filepath.Glob(filepath.Join(s.folder, "figure-runs", "*", "card.json"))
	if err != nil || len(cards) != 2 {
		t.Fatalf("the runs of the figures are %q, %v, want 2", cards, err)
	}
	var drawn, implicit [2][]string
	for i, card := range cards {
		run := filepath.Join("figure-runs", filepath.Base(filepath.Dir(card)))
		for _, name := range []string{"config.json", "card.json", "train.jsonl", "cells.csv",
			"bins.csv"} {
			drawn[i] = append(drawn[i], filepath.Join(run, name))
		}
		for _, pattern := range []string{"implicit/*/image-*.safetensors",
			"implicit/answers-*.json", latestWeights} {
			implicit[i] = append(implicit[i], s.one(t, filepath.Join(run, pattern)))
		}
	}
	return []victims{
		{name: "run of a figure", parts: []string{"figure-runs"}, files: drawn[0],
			foreign: drawn[1],
			readers: []reader{{arguments: append(slices.Clone(scoreFigure), "--no-train"),
				writes: []string{"figures/figure-03.csv"}}}},
		{name: "implicit corruptions", parts: []string{"figure-runs"}, files: implicit[0],
			foreign: implicit[1],
			readers: []reader{
				{arguments: implicitFigure, writes: []string{"figures/figure-04.csv"}}}},
	}
}

// imagesOnCard returns the run's card's name of the latest test's images, as own-c-49fdbf8d.
func (s *scene) imagesOnCard() string {
	data, err := os.ReadFile(filepath.Join("own-c-runs", s.first, "card.json"))
	var card struct{ Evaluation struct{ Corrupted string } }
	if err != nil || json.Unmarshal(data, &card) != nil {
		return ""
	}
	return card.Evaluation.Corrupted
}

// Verdicts about one attack, from the best to the worst.
const (
	harmless = iota // every result is exactly as without it
	noticed         // a message names what is wrong
	unclear         // an error or a note that doesn't name it
	silent          // other results without a word
)

// judge compares the readings after a damage with those before it. A message must call the damaged
// file by its name, or as the victims are called. What follows from what was said may be unclear.
func judge(file, called string, readings, want []reading) (verdict, reader int) {
	for i, got := range readings {
		now := judgeOne(filepath.Base(file), called, got, want[i])
		if now > verdict && (verdict != noticed || now != unclear) {
			verdict, reader = now, i
		}
	}
	return verdict, reader
}

func judgeOne(file, called string, got, want reading) int {
	failed := got.status != exitDone
	switch {
	case !failed && got.result == want.result:
		return harmless
	case strings.Contains(got.text, file), called != "" && strings.Contains(got.text, called),
		!failed && got.images != want.images:
		return noticed
	case failed || !slices.Equal(notes(got.text), notes(want.text)):
		return unclear
	}
	return silent
}

// notes returns the lines that say more than how far the work is.
func notes(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "note ") || strings.HasPrefix(line, "error ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// lastLine returns the last line of messages.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return cmp.Or(lines[len(lines)-1], "no message")
}
