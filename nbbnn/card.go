package nbbnn

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Card records the origin of a run's weights and results, so that runs can be compared: card.json.
type Card struct {
	Run        string `json:"run"`         // name of the directory, the beginning of ConfigHash
	ConfigHash string `json:"config_hash"` // Config.Hash
	// WeightsSHA256 is of what Run.Export writes: weights, posterior and the statistics of batch
	// normalisation. An export that is imported has the same. It's "" in some committed records,
	// whose weights are gone.
	WeightsSHA256 string `json:"weights_sha256,omitempty"`
	// StateSHA256 is of all that the last checkpoint holds, with the buffers of the update rule.
	// Files of results name it.
	StateSHA256 string `json:"state_sha256,omitempty"`
	// StateSHA256 of the checkpoints that stay, by epoch
	KeptSHA256 map[int]string `json:"kept_sha256,omitempty"`
	Seed       uint64         `json:"seed"`
	Method     string         `json:"method,omitempty"` // that trained, a name of package baseline
	Config     Config         `json:"config"`           // filled
	Data       struct {
		Name   string `json:"name"`
		Hash   string `json:"hash"` // dataset.Dataset.Hash
		Source string `json:"source"`
		Train  int    `json:"train"` // images
		Test   int    `json:"test"`

		Classes int `json:"classes,omitempty"`
	} `json:"data"`
	// of a method registered by the program; nil for others, whose configuration implies it
	Cost *CardCost `json:"cost,omitempty"`
	// whose weights a posthoc run keeps; nil for others
	Parent *CardParent `json:"parent,omitempty"`

	// of the program that trained: machine.Source
	Commit         string `json:"commit"`
	CommitModified bool   `json:"commit_modified"` // the program was built from changed files

	Engine string `json:"engine"` // that trained
	// where the draws of training were made, network.HostNoise or network.DeviceNoise; "" if
	// unknown
	Noise    string `json:"noise,omitempty"`
	Hardware string `json:"hardware"`
	// of training, over all processes that had a part in it
	WallSeconds float64 `json:"wall_seconds"`
	// of the process that ended the training, or of its steps on a device; 0 if unknown
	PeakMemoryBytes int64 `json:"peak_memory_bytes"`

	// how the chains of SampleOf mix; nil for others
	Sampling *Sampling `json:"sampling,omitempty"`
	Training *Epoch    `json:"training"` // the last epoch
	// of the last requested evaluation; "" before one
	Suite   string `json:"suite,omitempty"`
	Samples int    `json:"samples,omitempty"` // Monte-Carlo samples of it
	// the latest evaluation, nil before one
	Evaluation *CardEvaluation `json:"evaluation,omitempty"`

	// others, each once, in the order in which they were last asked for
	Earlier []CardEvaluation `json:"earlier_evaluations,omitempty"`

	// on the test images of other data sets, by their names
	TestNotes map[string][]string `json:"test_notes,omitempty"`

	Created string   `json:"created"` // when training ended, RFC 3339
	Notes   []string `json:"notes,omitempty"`

	Checksum string `json:"sha256,omitempty"` // of the card without it
}

// CardCost is the cost of training by a method of the program's own.
type CardCost struct {
	Epochs int `json:"epochs"`
	// forward and backward passes of each image in an epoch; 0 if unknown
	Passes int `json:"passes"`
}

// newCard returns the card of a training that has just ended, without the checksums of its weights.
func newCard(r *Run, data *dataset.Dataset, engine string, wallSeconds float64) (Card, error) {
	history, err := r.History()
	if err != nil {
		return Card{}, err
	}
	card := Card{
		Run:             r.config.RunName(),
		ConfigHash:      r.hash(),
		Seed:            r.config.Seed,
		Method:          string(methods.Of(r.config.Method, r.config.Settings())),
		Config:          r.config,
		Engine:          engine,
		Hardware:        machine.Describe().String(),
		WallSeconds:     wallSeconds,
		PeakMemoryBytes: machine.PeakMemory(),
		Created:         time.Now().UTC().Format(time.RFC3339),
		Notes:           configNotes(r.config),
	}
	of := &card.Data
	of.Name, of.Hash, of.Source, of.Classes = data.Name, data.Hash, data.Source, len(data.Classes)
	of.Train, of.Test = data.Train.Count(), data.Test.Count()
	card.Commit, card.CommitModified = machine.Source()
	if len(history) > 0 {
		card.Training = &history[len(history)-1]
	}
	return card, nil
}

// configNotes lists a run's departures from the paper that its configuration doesn't show.
func configNotes(config Config) []string {
	var notes []string
	if config.Network.Form == network.Narrow {
		notes = append(notes, "narrow form: He-normal weights, zero biases, no ReLU on the logits")
	}
	if config.Objective.Bound == network.ReferenceBound && config.Posterior.Components > 1 &&
		config.Posthoc.Chains == 0 {
		notes = append(notes, "entropy bound with the reference coefficient 1/16")
	}
	if config.Posthoc.isSet() {
		notes = append(notes, config.Posthoc.note())
	}
	notes = append(notes, graphNotes(config)...)
	if count := config.Data.Validation; count > 0 {
		notes = append(notes, fmt.Sprintf("%d training %s held out", count,
			quantity.Noun(count, "image")))
	}
	if a := config.Network.Architecture(1); config.Posterior.Mode != Deterministic &&
		len(a.Layers()) < len(a.Split()) {
		notes = append(notes, "latents in the layers "+strings.Join(a.Layers(), ", ")+" alone")
	}
	if share := config.Data.LabelNoise; share > 0 {
		notes = append(notes, fmt.Sprintf("%g %% of the training labels drawn again: labels.csv "+
			"has the wrong ones", 100*share))
	}
	return notes
}

// importNotes asks what only the user can know of imported weights.
func importNotes(card Card) []string {
	ofParent := card.Parent != nil && strings.HasPrefix(card.Parent.Source, engine.ImportedFrom)
	if !card.imported() && !ofParent || card.Config.Data.Validation == 0 {
		return nil
	}
	return []string{"the weights were imported: check that they weren't trained on the images " +
		"that are held out"}
}

// imported reports whether the run's weights were trained elsewhere.
func (c Card) imported() bool { return strings.HasPrefix(c.Engine, engine.ImportedFrom) }

// QuickTest returns the test that follows a training: of the first 1,000 clean test images, with 8
// samples or the next multiple of the components. It takes seconds; its error of 10 % has a
// standard error of 1 %.
func (c Card) QuickTest() Evaluation {
	const images, samples = 1000, 8
	components := max(1, c.Config.Posterior.Components)
	return Evaluation{
		Part:    CleanPart,
		Images:  min(images, c.Data.Test),
		Samples: (samples + components - 1) / components * components,
	}
}

// parseCard reads the file of a run's card, given the run's hash, or "" for any run, and the file's
// path.
func parseCard(data []byte, run, path string) (card Card, err error) {
	err = files.ParseJSON(data, &card)
	if err == nil && run != "" && card.ConfigHash != run {
		return Card{}, fmt.Errorf("nbbnn: %s is the card of run %.12s: %s", path, card.ConfigHash,
			restoreCard(path))
	}
	want := ""
	if err == nil {
		want, err = card.checksum()
	}
	if err == nil && card.Checksum != want {
		err = errors.New("its checksum differs")
	}
	if _, isUnknown := errors.AsType[files.UnknownKeyError](err); isUnknown && isSealed(data) {
		return Card{}, fmt.Errorf("nbbnn: %s was written by a newer version: %w: update this "+
			"program", path, err)
	}
	if err != nil {
		return Card{}, fmt.Errorf("nbbnn: %s is damaged: %w: %s", path, err, restoreCard(path))
	}
	return card, nil
}

// isSealed reports whether the text of a card, of any version, has the checksum that it ends with.
func isSealed(data []byte) bool {
	var text bytes.Buffer
	if json.Compact(&text, data) != nil {
		return false
	}
	body, sum, _ := bytes.CutLast(text.Bytes(), []byte(`,"sha256":"`))
	return string(sum) == records.Digest(append(bytes.Clone(body), '}'))+`"}`
}

// restoreCard explains how to recover from a damaged card.
func restoreCard(path string) string {
	run := filepath.Dir(path)
	return files.Restore(path, fmt.Sprintf(", or remove it: `nbbnn train --config '%s' --runs "+
		"'%s'` (Run.Train) writes it again, without its evaluations, which `nbbnn evaluate` repeats",
		filepath.Join(run, "config.json"), filepath.Dir(run)))
}

// exportedSHA256 returns the checksum of what Run.Export writes of the variables of a checkpoint.
func exportedSHA256(config Config, variables []network.Tensor) (string, error) {
	exported, err := network.WorkbenchLayout.Export(config.Settings(), variables)
	if err != nil {
		return "", fmt.Errorf("nbbnn: the network %w", err)
	}
	return safetensors.SHA256(exported), nil
}

// checksum returns the SHA-256 of the card without its checksum.
func (c Card) checksum() (string, error) {
	c.Checksum = ""
	data, err := json.Marshal(c)
	return records.Digest(data), err
}

// writeCard writes a card with its checksum.
func writeCard(r *Run, card Card) (err error) {
	if card.Checksum, err = card.checksum(); err != nil {
		return fmt.Errorf("nbbnn: the card of %s has a number that JSON lacks: %w", r.directory,
			err)
	}
	return writeFile(r.path("card.json"), func(w io.Writer) error {
		return files.WriteJSON(w, card)
	})
}
