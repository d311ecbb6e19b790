package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
)

// Folders of a scene with figures.
const (
	figureRuns = "figure-runs"
	figureOut  = "figures"
)

// smallFigure returns the command that draws a figure of two networks that train in a second.
func smallFigure(number string, more ...string) []string {
	return slices.Concat([]string{
		"figure", number, "--scale", "smoke", "--epochs", "1", "--width", "4", "--train", "64", "--seeds", "1", "--samples", "1",
		"--runs", figureRuns, "--out", figureOut, "--json",
	}, more)
}

// Figure 3 shows what runs scored, Figure 4 what an image becomes by their implicit corruptions.
var (
	scoreFigure    = smallFigure("3", "--suite", "fog", "--images", "10")
	implicitFigure = smallFigure("4", "--images", "1")
)

// drawFigures draws both figures and remembers their runs.
func (s *scene) drawFigures(ctx context.Context) error {
	for _, arguments := range [][]string{scoreFigure, implicitFigure} {
		if _, err := s.program.succeed(ctx, s.folder, arguments...); err != nil {
			return err
		}
	}
	cards, err := filepath.Glob(filepath.Join(s.folder, figureRuns, "*", "card.json"))
	if err != nil || len(cards) != len(s.drawn) {
		return fmt.Errorf("attack: %d runs of figures, want %d", len(cards), len(s.drawn))
	}
	for i, card := range cards {
		s.drawn[i] = filepath.Join(figureRuns, filepath.Base(filepath.Dir(card)))
		if s.implicit[i], err = s.implicitFiles(s.drawn[i]); err != nil {
			return err
		}
	}
	return nil
}

// implicitFiles returns one file of each kind that implicit corruptions of a run are read from.
func (s *scene) implicitFiles(run string) (inside []string, err error) {
	for _, pattern := range []string{"implicit/*/image-*.safetensors", "implicit/answers-*.json", latest} {
		paths, err := filepath.Glob(filepath.Join(s.folder, run, pattern))
		if err != nil || len(paths) == 0 {
			return nil, fmt.Errorf("attack: the run of a figure %s has no %s (%v)", run, pattern, err)
		}
		path, err := filepath.Rel(s.folder, paths[0])
		if err != nil {
			return nil, err
		}
		inside = append(inside, path)
	}
	return inside, nil
}

// figureVictims are the files of a run from which a figure is drawn.
func (s *scene) figureVictims() victims {
	v := victims{
		name: "run of a figure", parts: []string{figureRuns}, foreign: map[string]string{},
		readers: []reader{{arguments: append(slices.Clone(scoreFigure), "--no-train"), writes: []string{filepath.Join(figureOut, "figure-03.csv")}}},
	}
	for _, name := range []string{"config.json", "card.json", "train.jsonl", "cells.csv", "bins.csv"} {
		v.damage(filepath.Join(s.drawn[0], name), filepath.Join(s.drawn[1], name))
	}
	return v
}

// implicitVictims are the implicit corruptions of a run, what it answers to them, and its weights.
func (s *scene) implicitVictims() victims {
	v := victims{
		name: "implicit corruptions", parts: []string{figureRuns}, foreign: map[string]string{},
		readers: []reader{{arguments: implicitFigure, writes: []string{filepath.Join(figureOut, "figure-04.csv")}}},
	}
	for i, file := range s.implicit[0] {
		v.damage(file, s.implicit[1][i])
	}
	return v
}
