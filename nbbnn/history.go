package nbbnn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/files"
)

// Epoch is what a run records of one epoch: one line of train.jsonl. Entropies and divergences are
// in nats, learning rates and beta are those of the epoch. Of the state before training, epoch 0,
// only the posterior's terms and gamma are known: LogLikelihood, NLL and Error weren't measured and
// are 0, as are beta, the learning rates and the seconds.
type Epoch struct {
	Epoch                 int     `json:"epoch"`                   // counted from 1; 0 is the state before training
	LogLikelihood         float64 `json:"log_likelihood"`          // estimate of E_q[log p(D | theta, Z)], nats
	CrossEntropy          float64 `json:"cross_entropy"`           // H[q, p], nats
	Entropy               float64 `json:"entropy"`                 // lower bound on H[q], nats
	KL                    float64 `json:"kl"`                      // CrossEntropy - Entropy, nats
	Beta                  float64 `json:"beta"`                    // annealing of the regulariser
	Gamma                 float64 `json:"gamma"`                   // weight of the additional entropy
	LearningRate          float64 `json:"learning_rate"`           // of theta
	PosteriorLearningRate float64 `json:"posterior_learning_rate"` // of phi
	NLL                   float64 `json:"nll"`                     // Gibbs loss of the training rows, nats an image
	Error                 float64 `json:"error"`                   // fraction of the training rows that are wrong
	Seconds               float64 `json:"seconds"`                 // that the epoch took
}

// historyFile is the file train.jsonl of a run.
type historyFile struct{ path string }

// read returns the state before training, then each epoch; nothing if there's no file. It ignores a
// last line that a killed process left unfinished.
func (h historyFile) read() ([]Epoch, error) {
	data, err := os.ReadFile(h.path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	var epochs []Epoch
	for _, line := range wholeLines(data) {
		var epoch Epoch
		if err := json.Unmarshal(line, &epoch); err != nil || epoch.Epoch != len(epochs) {
			return nil, fmt.Errorf("nbbnn: %s: line %d isn't the record of epoch %d: remove it if it doesn't belong there, else put a copy of the file in its place",
				h.path, len(epochs)+1, len(epochs))
		}
		epochs = append(epochs, epoch)
	}
	return epochs, nil
}

// wholeLines returns the lines that end with a line feed, without it.
func wholeLines(data []byte) [][]byte {
	lines := bytes.Split(data, []byte("\n"))
	return lines[:len(lines)-1]
}

// add appends a line and waits until it's on the disk. The checkpoint of the epoch must be written
// after it, so that the history is never behind.
func (h historyFile) add(epoch Epoch) (err error) {
	line, err := json.Marshal(epoch)
	if err != nil { // JSON has no infinite numbers
		return fmt.Errorf("nbbnn: epoch %d can't be recorded in %s: %w: log-likelihood %g, cross-entropy %g, entropy %g; choose standard deviations and gamma closer to 1",
			epoch.Epoch, h.path, err, epoch.LogLikelihood, epoch.CrossEntropy, epoch.Entropy)
	}
	if err := files.CheckOwned(h.path); err != nil {
		return fmt.Errorf("nbbnn: %w", err)
	}
	file, err := os.OpenFile(h.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return unwritten(h.path, err)
	}
	defer func() { err = check.First(err, file.Close()) }()
	if _, err := file.Write(append(line, '\n')); err != nil {
		return unwritten(h.path, err)
	}
	if err := file.Sync(); err != nil {
		return unwritten(h.path, err)
	}
	return nil
}

// truncate removes the lines after the given epoch, the one of the checkpoint: -1 leaves nothing. A
// process that was killed between the line and the checkpoint leaves one line too many, or an
// unfinished one.
func (h historyFile) truncate(epoch int) error {
	epochs, err := h.read()
	if err != nil {
		return err
	}
	if last := len(epochs) - 1; last < epoch {
		return fmt.Errorf("nbbnn: %s ends with epoch %d, the checkpoint with %d: remove the directory and train again",
			h.path, last, epoch)
	}
	return writeFile(h.path, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		for _, record := range epochs[:epoch+1] {
			if err := encoder.Encode(record); err != nil {
				return err
			}
		}
		return nil
	})
}
