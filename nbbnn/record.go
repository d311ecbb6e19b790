package nbbnn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/nbbnn/workbench/internal/check"
)

// Epoch is what a run records of one epoch: one line of train.jsonl. Entropies and divergences are in nats, learning rates
// and beta are those of the epoch. Of the state before training, epoch 0, only the posterior's terms and gamma are known:
// LogLikelihood, NLL and Error weren't measured and are 0, as are beta, the learning rates and the seconds.
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

// History returns what the run recorded: the state before training, then each epoch; nothing if it hasn't begun. A last
// line that a killed process left unfinished is ignored.
func (r *Run) History() ([]Epoch, error) {
	data, err := os.ReadFile(r.historyPath())
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	var history []Epoch
	for _, line := range wholeLines(data) {
		var epoch Epoch
		if err := json.Unmarshal(line, &epoch); err != nil || epoch.Epoch != len(history) {
			return nil, fmt.Errorf("nbbnn: %s: line %d isn't the record of epoch %d: remove it if it doesn't belong there, else put a copy of the file in its place",
				r.historyPath(), len(history)+1, len(history))
		}
		history = append(history, epoch)
	}
	return history, nil
}

// wholeLines returns the lines that end with a line feed, without it.
func wholeLines(data []byte) [][]byte {
	lines := bytes.Split(data, []byte("\n"))
	return lines[:len(lines)-1]
}

// appendEpoch adds a line to train.jsonl and waits until it's on the disk. The checkpoint of the epoch is to be written
// after it, so that the history is never behind.
func (r *Run) appendEpoch(epoch Epoch) (err error) {
	line, err := json.Marshal(epoch)
	if err != nil {
		return fmt.Errorf("nbbnn: epoch %d of run %s can't be recorded: %w", epoch.Epoch, r.directory, err)
	}
	file, err := os.OpenFile(r.historyPath(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return unwritten(r.historyPath(), err)
	}
	defer func() { err = check.First(err, file.Close()) }()
	if _, err := file.Write(append(line, '\n')); err != nil {
		return unwritten(r.historyPath(), err)
	}
	if err := file.Sync(); err != nil {
		return unwritten(r.historyPath(), err)
	}
	return nil
}

// truncateHistory cuts train.jsonl after the given epoch, the one of the checkpoint: -1 leaves nothing. A process that was
// killed between the line and the checkpoint leaves one line too many, or an unfinished one.
func (r *Run) truncateHistory(epoch int) error {
	history, err := r.History()
	if err != nil {
		return err
	}
	if last := len(history) - 1; last < epoch {
		return fmt.Errorf("nbbnn: %s ends with epoch %d, the checkpoint with %d: remove the directory and train again",
			r.historyPath(), last, epoch)
	}
	return r.writeFile(r.historyPath(), func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		for _, record := range history[:epoch+1] {
			if err := encoder.Encode(record); err != nil {
				return err
			}
		}
		return nil
	})
}
