package nbbnn

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// EvaluateOptions selects an evaluation's reports and what it keeps besides the cells.
type EvaluateOptions struct {
	Progress Progress // called after every cell; nil for none
	// folder for the predictions of each cell, as docs/using.md describes; "" saves none
	Save        string
	SaveSamples bool // saves every Monte-Carlo sample, not only the mean over them

	// takes how the classes of another data set were matched, if not by name; may be nil
	Note func(text string)
}

// saver keeps the predictions of an evaluation, a file for each cell.
type saver struct {
	folder  string
	samples bool

	readyMade bool            // the corrupted images aren't generated
	info      score.SavedInfo // of every file, without the condition and the counts
}

// newSaver makes the folder for the predictions of an evaluation. It returns nil if none are to be
// saved.
func newSaver(e *evaluator, options EvaluateOptions) (*saver, error) {
	if options.Save == "" {
		if options.SaveSamples {
			return nil, fmt.Errorf("nbbnn: samples are to be saved in no folder: name one " +
				"(EvaluateOptions.Save or --save)")
		}
		return nil, nil
	}
	evaluation, err := json.Marshal(e.public)
	if err != nil {
		return nil, fmt.Errorf("nbbnn: the evaluation can't be described: %w", err)
	}
	info := score.SavedInfo{
		Run: e.name, Data: cmp.Or(e.public.Test, e.members[0].config.Data.Name),
		Part: cmp.Or(string(e.evaluation.Part), "test"), Evaluation: evaluation,
	}
	for _, run := range e.members {
		weights, err := run.WeightsSHA256(e.evaluation.Epoch)
		if err != nil {
			return nil, err
		}
		info.Weights = append(info.Weights, weights)
	}
	if err := os.MkdirAll(options.Save, 0o755); err != nil {
		return nil, fmt.Errorf("nbbnn: predictions can't be saved: %w: choose another folder", err)
	}
	return &saver{options.Save, options.SaveSamples, e.evaluation.Corrupted != "", info}, nil
}

// has reports whether a cell's predictions are saved, with the samples if requested. A file of
// another run, weights or evaluation is an error.
func (s *saver) has(condition score.Condition) (bool, error) {
	if s == nil {
		return true, nil
	}
	path := s.path(condition)
	have, err := score.ReadSaved(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if function := s.function(condition); have.Fingerprint != function {
		return false, fmt.Errorf("nbbnn: %s holds predictions under another version of %s "+
			"(fingerprint %q, now %q): choose another folder, or remove the file",
			path, condition.Corruption, have.Fingerprint, function)
	}
	if have.Run != s.info.Run || !slices.Equal(have.Weights, s.info.Weights) ||
		have.Part != s.info.Part ||
		have.Corruption != condition.Corruption || have.Severity != condition.Severity ||
		!bytes.Equal(have.Evaluation, s.info.Evaluation) {
		return false, fmt.Errorf("nbbnn: %s holds predictions of run %s with other weights or of "+
			"another evaluation: choose another folder", path, have.Run)
	}
	return !s.samples || have.LogSamples != nil, nil
}

// path returns the file of a condition, for example "fog-3.npz".
func (s *saver) path(condition score.Condition) string {
	name := fmt.Sprintf("%s-%d.npz", condition.Corruption, condition.Severity)
	return filepath.Join(s.folder, name)
}

// function returns the fingerprint of a registered corruption that generates the images of a cell,
// "" for all other images.
func (s *saver) function(condition score.Condition) string {
	if s.readyMade || condition.Severity == 0 {
		return ""
	}
	fingerprint, _ := corrupt.Fingerprint(condition.Corruption) // the suite has known ones only
	return fingerprint
}

// save writes the predictions of a cell.
func (s *saver) save(cell score.Cell, prediction score.Prediction, labels []uint8,
	indices []int) error {
	info, condition := s.info, cell.Condition()
	info.Corruption, info.Severity, info.Fingerprint = condition.Corruption, condition.Severity,
		s.function(condition)
	info.Temperature, info.Odd, info.Sets = cell.Temperature, cell.OddTemperature, cell.Sets
	path := s.path(condition)
	files.Sweep(path)
	return score.Save(path, info, prediction, labels, indices, s.samples)
}
