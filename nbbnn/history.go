package nbbnn

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/records"
)

// Epoch is the record of one epoch of a run: one line of train.jsonl. Entropies and divergences are
// in nats, learning rates and beta are the epoch's; csghmc has a rate for each step, and the first
// is recorded. Of the state before training, epoch 0, only the posterior's terms and gamma are
// known: LogLikelihood, NLL and Error weren't measured and are 0, as are beta, the learning rates
// and the seconds.
type Epoch struct {
	// counted from 1; 0 is the state before training
	Epoch int `json:"epoch"`
	// estimate of E_q[log p(D | theta, Z)], nats
	LogLikelihood float64 `json:"log_likelihood"`
	CrossEntropy  float64 `json:"cross_entropy"` // H[q, p], nats
	Entropy       float64 `json:"entropy"`       // lower bound on H[q], nats
	KL            float64 `json:"kl"`            // CrossEntropy - Entropy, nats
	Beta          float64 `json:"beta"`          // annealing of the regulariser
	// weight of the additional entropy
	Gamma                 float64 `json:"gamma"`
	LearningRate          float64 `json:"learning_rate"`           // of theta
	PosteriorLearningRate float64 `json:"posterior_learning_rate"` // of phi
	// Gibbs loss of the training rows, nats an image
	NLL float64 `json:"nll"`
	// fraction of the training rows that are wrong
	Error   float64 `json:"error"`
	Seconds float64 `json:"seconds"` // that the epoch took
}

// historyFile is the file train.jsonl of a run.
type historyFile struct {
	path  string
	run   string // its hash
	ended bool   // the training has, so that every line is finished
}

type historyLine struct {
	Epoch
	Checksum string `json:"sha256"` // the chain's up to this line
}

// checksum returns a line's checksum: the beginning of a SHA-256 of the run, the checksum of the
// line before and the epoch. So a changed, removed or foreign line is noticed.
func (h historyFile) checksum(before string, epoch Epoch) (string, error) {
	record, err := json.Marshal(epoch)
	return records.Digest(fmt.Appendf(nil, "%s\n%s\n%s\n", h.run, before, record))[:16], err
}

// read returns the state before training, then each epoch; nothing if there's no file. It ignores a
// last line that a killed process left unfinished.
func (h historyFile) read() ([]Epoch, error) {
	lines, err := h.lines()
	return epochsOf(lines), err
}

func epochsOf(lines []historyLine) (epochs []Epoch) {
	for _, line := range lines {
		epochs = append(epochs, line.Epoch)
	}
	return epochs
}

// lines returns the lines of the file, compared with their checksums.
func (h historyFile) lines() ([]historyLine, error) {
	data, err := files.ReadFile(h.path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	if h.ended && len(data) > 0 && data[len(data)-1] != '\n' {
		return nil, fmt.Errorf("nbbnn: %s: the last line of an ended training isn't finished: %s",
			h.path, files.Restore(h.path, ""))
	}
	var lines []historyLine
	before := ""
	texts := bytes.Split(data, []byte("\n"))
	for _, text := range texts[:len(texts)-1] { // lines that end with a line feed
		line, err := h.parse(text, before)
		if err == nil && line.Epoch.Epoch != len(lines) {
			err = fmt.Errorf("it's of epoch %d", line.Epoch.Epoch)
		}
		if err != nil {
			return nil, fmt.Errorf("nbbnn: %s: line %d isn't the record of epoch %d (%w): %s",
				h.path, len(lines)+1, len(lines), err, files.Restore(h.path,
					", or remove the line if it doesn't belong there"))
		}
		lines, before = append(lines, line), line.Checksum
	}
	return lines, nil
}

// parse reads a line, given the checksum of the line before.
func (h historyFile) parse(text []byte, before string) (line historyLine, err error) {
	if err := files.ParseJSON(text, &line); err != nil {
		return line, err
	}
	want, err := h.checksum(before, line.Epoch)
	if err == nil && line.Checksum != want {
		err = errors.New("its checksum differs")
	}
	return line, err
}

// add appends a line and waits until it's on the disk. The checkpoint of the epoch must be written
// after it, so that the history is never behind.
func (h historyFile) add(epoch Epoch) error {
	lines, err := h.lines()
	if err != nil {
		return err
	}
	if len(lines) != epoch.Epoch {
		return fmt.Errorf("nbbnn: %s has the records of %d epochs instead of %d: it was removed "+
			"or changed during the training, or another process trains this run: put a copy of "+
			"the file in its place, or remove the directory and train again",
			h.path, len(lines), epoch.Epoch)
	}
	line := historyLine{Epoch: epoch}
	if len(lines) > 0 {
		line.Checksum = lines[len(lines)-1].Checksum
	}
	// JSON has no infinite numbers
	if line.Checksum, err = h.checksum(line.Checksum, epoch); err != nil {
		return fmt.Errorf("nbbnn: epoch %d can't be recorded in %s: %w: log-likelihood %g, "+
			"cross-entropy %g, entropy %g; choose standard deviations and gamma closer to 1, "+
			"or lower learning rates",
			epoch.Epoch, h.path, err, epoch.LogLikelihood, epoch.CrossEntropy, epoch.Entropy)
	}
	record, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("nbbnn: %w", err)
	}
	if err := files.Append(h.path, append(record, '\n')); err != nil {
		return unwritten(h.path, err)
	}
	return nil
}

// truncate removes the lines after the given epoch, the one of the checkpoint: -1 leaves nothing.
// It returns the epochs that are left. A process that was killed between the line and the
// checkpoint leaves one line too many, or an unfinished one.
func (h historyFile) truncate(epoch int) ([]Epoch, error) {
	lines, err := h.lines()
	if err != nil {
		return nil, err
	}
	if last := len(lines) - 1; last < epoch {
		return nil, fmt.Errorf("nbbnn: %s ends with epoch %d, the checkpoint with %d: remove the "+
			"directory and train again",
			h.path, last, epoch)
	}
	lines = lines[:epoch+1]
	return epochsOf(lines), writeFile(h.path, func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		for _, record := range lines {
			if err := encoder.Encode(record); err != nil {
				return err
			}
		}
		return nil
	})
}
