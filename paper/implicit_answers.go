package paper

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/implicit"
)

// Answer is the likeliest class of an image under the mean predictive, with its probability.
type Answer struct {
	Class       string  `json:"class"`
	Probability float64 `json:"probability"`
	Right       bool    `json:"right"`
}

// String is such as "horse 98 %", with a question mark after a wrong class.
func (a Answer) String() string {
	mark := ""
	if !a.Right {
		mark = "?"
	}
	return fmt.Sprintf("%s%s %.0f %%", a.Class, mark, 100*a.Probability)
}

// answeredMeasurement is implicitMeasurement with the answers to the first image, clean and with
// the corruptions of its first draw.
type answeredMeasurement struct{ implicitMeasurement }

// answersKey holds all that the answers of a run depend on.
type answersKey struct {
	Weights  string            `json:"weights_sha256"` // nbbnn.Card.StateSHA256
	Settings implicit.Settings `json:"settings"`
	Image    int               `json:"image"`
	Samples  int               `json:"samples"`
}

// keptAnswers is the content of the file of the answers.
type keptAnswers struct {
	answersKey
	Answers []Answer `json:"answers"`
}

// read returns the kept answers of a run, nil if there are none, with their key and their path.
func (answeredMeasurement) read(s Setup, run *nbbnn.Run) (kept keptAnswers, path string, err error) {
	card, err := run.Card()
	if err != nil {
		return kept, "", err
	}
	settings := s.filledImplicit()
	key := answersKey{card.StateSHA256, settings, settings.First, s.Evaluation.Samples}
	data, err := json.Marshal(key)
	if err != nil {
		return kept, "", fmt.Errorf("paper: %w", err)
	}
	path = filepath.Join(run.Directory(), "implicit", "answers-"+digest(data)+".json")
	if !readKept(run, path, &kept) || kept.Weights != key.Weights {
		kept.Answers = nil
	}
	kept.answersKey = key
	return kept, path, nil
}

func (m answeredMeasurement) done(s Setup, run *nbbnn.Run) bool {
	kept, _, err := m.read(s, run)
	return err == nil && kept.Answers != nil && m.implicitMeasurement.done(s, run)
}

func (m answeredMeasurement) measure(ctx context.Context, r *Result, run int, progress nbbnn.Progress) error {
	if err := m.implicitMeasurement.measure(ctx, r, run, progress); err != nil {
		return err
	}
	measured := &r.Runs[run]
	kept, path, err := m.read(r.Setup, measured.Run.Run)
	if err != nil {
		return err
	}
	if kept.Answers == nil {
		if kept.Answers, err = answersTo(ctx, r.Setup, *measured); err != nil {
			return err
		}
		if err := writeKept(measured.Run.Run, path, kept); err != nil {
			return err
		}
	}
	measured.Answers = kept.Answers
	return nil
}

// answersTo predicts the first image and the corruptions of its first draw. All of them are
// predicted by the same draws of the latents.
func answersTo(ctx context.Context, s Setup, run RunResult) (answers []Answer, err error) {
	data, err := s.testImages(ctx, s.Implicit.First+1)
	if err != nil {
		return nil, err
	}
	shown := run.Implicit[:len(s.filledImplicit().Lambda)]
	images := [][]float32{implicit.Corruption{
		Clean: shown[0].Clean, Change: make([]float32, len(shown[0].Change)),
	}.Corrupted()}
	for _, c := range shown {
		images = append(images, c.Corrupted())
	}
	for _, image := range images { // one at a time: draws depend on the place of an image
		prediction, err := run.PredictValues(ctx, image, shown[0].Height, shown[0].Width, s.Evaluation.Samples)
		if err != nil {
			return nil, err
		}
		class, probability := likeliest(prediction.Image(0), prediction.Classes)
		right := class == int(data.Test.Labels[s.Implicit.First])
		answers = append(answers, Answer{data.Classes[class], probability, right})
	}
	return answers, nil
}
