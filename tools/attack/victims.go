package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// reader is something that reads files of a scene: a command, with the files that it writes, or a
// function of the library.
type reader struct {
	arguments []string
	writes    []string // whose content is part of the result
	call      func(folder string) answer
	identity  func(folder string) string // names the images that the result is of; may be nil
}

// victims are files of a scene that are damaged, one at a time, and what reads them.
type victims struct {
	name    string
	parts   []string          // folders and files of the scene that the readers need
	files   []string          // in the scene
	foreign map[string]string // the same file of another run
	readers []reader

	environment []string // of commands
	called      string   // what messages may call the files instead of their names; "" if they must name them
}

// title returns what --only is compared with.
func (v victims) title() string { return v.name }

// rows returns the targets that damages of the files are counted for.
func (v victims) rows() (names []string) {
	for _, file := range v.files {
		names = append(names, v.row(file))
	}
	return names
}

// row returns the target that damages of a file are counted for.
func (v victims) row(file string) string { return v.name + ": " + filepath.Base(file) }

// damage adds a file to those that are damaged, and the same file of another run.
func (v *victims) damage(file, foreign string) {
	v.files = append(v.files, file)
	v.foreign[file] = foreign
}

// addVictims adds to a scene what only flips damage.
func (s *scene) addVictims(ctx context.Context) error {
	if err := s.addOwn(ctx); err != nil {
		return err
	}
	return s.drawFigures(ctx)
}

// allVictims returns everything of a scene that is damaged.
func (s *scene) allVictims() []victims {
	runs := []string{filepath.Join(runsFolder, s.finished[0]), filepath.Join(runsFolder, s.finished[1])}
	return []victims{
		s.resultVictims(runs), s.weightVictims(runs[:1]), s.unfinishedVictims(), s.ensembleVictims(runs), s.setVictims(runs[:1]),
		s.predictionVictims(runs[:1]), s.exportVictims(), s.pictureVictims(), s.dataVictims(), s.ownSetVictims(), s.figureVictims(),
		s.implicitVictims(),
	}
}

// command is a reader that runs a command.
func command(arguments ...[]string) reader { return reader{arguments: slices.Concat(arguments...)} }

var asJSON = []string{"--json"}

// Checkpoints of a run.
var (
	latest = filepath.Join("checkpoint", "latest.safetensors")
	kept   = filepath.Join("checkpoint", "epoch-0002.safetensors")
)

func (s *scene) resultVictims(runs []string) victims {
	first, second := s.finished[0], s.finished[1]
	v := victims{
		name: "finished run", parts: runs, foreign: map[string]string{},
		readers: []reader{
			command([]string{"runs", "--sort", "run"}, asJSON),
			command([]string{"cells"}),
			command([]string{"compare", first, second}, evaluation, asJSON),
			command([]string{"compare", first, second}, outside, asJSON),
			command([]string{"evaluate", first}, evaluation, asJSON),
			command([]string{"evaluate", first}, outside, asJSON),
			command(trainFlags(1, finishedEpochs)),
			{arguments: []string{"report", first, "--out", "report"}, writes: []string{"report/training.csv", "report/card.json"}},
		},
	}
	for _, name := range []string{"config.json", "card.json", "train.jsonl", "cells.csv", "bins.csv", "outside.csv", "label.json"} {
		v.damage(inRun(first, name), inRun(second, name))
	}
	return v
}

func (s *scene) weightVictims(run []string) victims {
	first, second := s.finished[0], s.finished[1]
	return victims{
		name: "finished run", parts: run, files: []string{inRun(first, latest), inRun(first, kept)},
		foreign: map[string]string{inRun(first, latest): inRun(second, latest), inRun(first, kept): inRun(second, kept)},
		readers: []reader{
			command([]string{"runs", "--sort", "run"}, asJSON),
			{arguments: []string{"export", first, weightsFile}, writes: []string{weightsFile}},
			command([]string{"evaluate", first}, clean),
			command([]string{"evaluate", first, "--epoch", "2"}, clean),
		},
	}
}

func (s *scene) unfinishedVictims() victims {
	v := victims{
		name: "unfinished run", parts: []string{filepath.Join(runsFolder, s.stopped)},
		foreign: map[string]string{}, readers: []reader{
			command([]string{"runs", "--sort", "run"}, asJSON),
			command(trainFlags(stoppedSeed, stoppedEpochs)),
			{arguments: []string{"export", s.stopped, weightsFile}, writes: []string{weightsFile}},
			command([]string{"evaluate", s.stopped, "--epoch", "2"}, clean),
		},
	}
	for _, name := range []string{"config.json", "train.jsonl", latest, kept} {
		v.damage(inRun(s.stopped, name), inRun(s.finished[0], name))
	}
	return v
}

func (s *scene) ensembleVictims(runs []string) victims {
	both := s.finished[:]
	v := victims{
		name: "ensemble", parts: append([]string{filepath.Join(runsFolder, s.ensemble)}, runs...), foreign: map[string]string{},
		readers: []reader{
			command([]string{"evaluate", "--ensemble"}, both, evaluation, asJSON),
			command([]string{"compare", "--ensembles"}, both, evaluation, asJSON),
		},
	}
	for _, name := range []string{"cells.csv", "bins.csv", "ensemble.json"} {
		v.files = append(v.files, inRun(s.ensemble, name))
		if name != "ensemble.json" {
			v.foreign[inRun(s.ensemble, name)] = inRun(both[0], name)
		}
	}
	return v
}

func (s *scene) setVictims(run []string) victims {
	return victims{
		name: "corrupted set", parts: append([]string{setFolder}, run...),
		files: []string{filepath.Join(setFolder, "manifest.json"), filepath.Join(setFolder, "fog.npy"), filepath.Join(setFolder, "labels.npy")},
		readers: []reader{
			command([]string{"evaluate", s.finished[0], "--corrupted", setFolder}, evaluation, asJSON),
		},
	}
}

func (s *scene) predictionVictims(run []string) victims {
	saved := filepath.Join(predictionsFolder, "fog-1.npz")
	return victims{
		name: "predictions", parts: append([]string{predictionsFolder}, run...), files: []string{saved},
		readers: []reader{
			command([]string{"evaluate", s.finished[0], "--save", predictionsFolder}, evaluation, asJSON),
			{arguments: []string{"(score.ReadSaved)"}, call: func(folder string) answer { return readSaved(filepath.Join(folder, saved)) }},
		},
	}
}

// readSaved reads saved predictions with the library.
func readSaved(path string) answer {
	predictions, err := score.ReadSaved(path)
	if err != nil {
		return answer{Err: err.Error(), Status: 1}
	}
	out, err := json.Marshal(predictions)
	if err != nil {
		return answer{Err: err.Error(), Status: 1}
	}
	return answer{Out: string(out)}
}

func (s *scene) exportVictims() victims {
	return victims{
		name: "export", parts: []string{weightsFile}, files: []string{weightsFile},
		readers: []reader{
			{arguments: []string{"import", weightsFile, "--json"}},
			{arguments: []string{"export", s.finished[0], "again.safetensors"}, writes: []string{"again.safetensors"}}, // the import
		},
	}
}
