package nbbnn

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"syscall"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/internal/safetensors"
)

// Run is one training run and its results: a directory named by the hash of its configuration. It
// holds no weights in memory, and several processes may open it at the same time.
//
//	config.json                    the filled configuration
//	network.onnx                   the operations of a network that a file defines
//	train.jsonl                    a line for each epoch
//	checkpoint/latest.safetensors  weights, posterior, momentum and the position in the training
//	cells.csv, bins.csv            what Evaluate measured; metrics.csv has the registered metrics
//	implicit/, clouds/             what ImplicitCorruptions found, and the clouds of figures, by image
//	card.json                      where the weights came from; written last, so a run that has it is complete
//	lock                           held by the process that trains or evaluates
type Run struct {
	directory string
	place     string // of its files; see records.Place
	config    Config // filled
	joined    string // name that Join gave; "" if none
	parsed    atomic.Pointer[parsedCard]
	tested
}

// parsedCard is the card of a record, which nothing changes, with its text.
type parsedCard struct {
	text string
	card Card
}

// Join names the method of a run whose weights were imported, or that trains noise on such weights:
// comparisons take runs of one name for its seeds. It changes no other run, and nothing on disk.
func (r *Run) Join(name string) { r.joined = name }

// Open returns the run of a configuration in a directory below the given one, or its record there.
// It reads config.json of an existing run and writes nothing: the directory is made by the first
// call that has something to keep. A run of a network that this program doesn't define must exist;
// it gives its results, and is neither trained nor evaluated.
func Open(directory string, config Config) (*Run, error) {
	if config.Network.Fingerprint != "" && config.isUndefined() {
		restoreGraphs(filepath.Join(directory, config.RunName()),
			filepath.Join(directory, config.Posthoc.Run))
	}
	invalid := config.Validate()
	if invalid != nil && !config.isUndefined() {
		return nil, invalid
	}
	config = config.WithDefaults()
	path := filepath.Join(directory, config.RunName())
	r := &Run{directory: path, place: records.Place(path), config: config}
	r.of = r.subject
	there, err := r.checkConfig()
	there = there || exists(r.path("card.json"))
	if err == nil && !there {
		err = invalid
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// checkConfig reports whether the directory has a config.json, which must be this run's.
func (r *Run) checkConfig() (there bool, err error) {
	data, err := files.ReadFile(r.path("config.json"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, syscall.ENOTDIR):
		return false, unwritable(r.directory, err)
	case err != nil:
		return false, fmt.Errorf("nbbnn: %w: make the file readable or choose another directory "+
			"for runs", err)
	}
	return true, r.compareConfig(data)
}

// compareConfig checks that the directory holds the run that it is named after.
func (r *Run) compareConfig(data []byte) error {
	if r.config.isWrittenAs(data) {
		return nil
	}
	have, err := parseConfig(r.path("config.json"), data)
	if err != nil {
		return err
	}
	if have = have.WithDefaults(); have != r.config {
		return fmt.Errorf("nbbnn: %s holds a run with %s: remove %s or choose another directory "+
			"for runs", r.path("config.json"), differences(have, r.config), r.directory)
	}
	return nil
}

// Directory returns the path of the run, which may not exist yet.
func (r *Run) Directory() string { return r.directory }

// Config returns the run's configuration with all defaults filled in.
func (r *Run) Config() Config { return r.config }

// hash returns the hash of the configuration; the directory's name is its beginning.
func (r *Run) hash() string { return r.config.Hash() }

// Complete reports whether the run is trained to its last epoch.
func (r *Run) Complete() bool {
	_, complete, err := r.completeCard()
	return complete && err == nil
}

// completeCard returns the card of a run that is complete, or false for any other. An existing card
// that can't be read is an error: a training must not replace it.
func (r *Run) completeCard() (card Card, complete bool, err error) {
	if !exists(r.path("card.json")) {
		return Card{}, false, nil
	}
	card, err = r.Card()
	if _, missing := errors.AsType[*UntrainedError](err); missing {
		return Card{}, false, nil
	}
	return card, err == nil && exists(r.checkpointPath()), err
}

// Card reads the run's card. It's there as soon as the run is trained to its last epoch.
func (r *Run) Card() (Card, error) {
	data, err := files.ReadFile(r.path("card.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return Card{}, r.untrained()
	}
	if err != nil {
		return Card{}, unreadable(err)
	}
	if known := r.parsed.Load(); known != nil && known.text == string(data) {
		return known.card, nil
	}
	card, err := parseCard(data, r.hash(), r.path("card.json"))
	if err == nil && r.place != r.directory {
		r.parsed.Store(&parsedCard{string(data), card})
	}
	return card, err
}

// Recorded reports whether the run has results and no weights, as a record.
func (r *Run) Recorded() bool { return exists(r.path("card.json")) && !exists(r.checkpointPath()) }

func (r *Run) path(name string) string { return filepath.Join(r.place, name) }

func (r *Run) history() historyFile {
	return historyFile{r.path("train.jsonl"), r.hash(), exists(r.path("card.json"))}
}

func (r *Run) checkpoints() checkpoints { return checkpoints{r} }

// checkpointPath returns the file of the run's latest weights.
func (r *Run) checkpointPath() string { return r.checkpoints().latest() }

// History returns the run's record: the state before training, then each epoch; nothing if it
// hasn't begun. It ignores a last line that a killed process left unfinished. A history that ends
// before the checkpoint does is an error.
func (r *Run) History() ([]Epoch, error) {
	least := r.checkpointEpoch() // first: a training writes the line before the checkpoint
	epochs, err := r.history().read()
	if err == nil && len(epochs) <= least {
		err = fmt.Errorf("nbbnn: %s has %d epochs, checkpoint/latest.safetensors %d: put a copy "+
			"of the damaged one in its place, or remove %s and train again", r.path("train.jsonl"),
			max(len(epochs)-1, 0), least, r.directory)
	}
	if err != nil {
		return nil, err
	}
	return epochs, nil
}

// checkpointEpoch returns the last epoch that the history must have according to the latest
// checkpoint, or -1 if it needs none.
func (r *Run) checkpointEpoch() int {
	var state trainingState
	metadata, err := safetensors.ReadMetadata(r.checkpointPath())
	if err != nil || json.Unmarshal([]byte(metadata[stateKey]), &state) != nil ||
		state.Epoch > r.config.Training.Epochs {
		return -1 // whoever reads the checkpoint reports its fault
	}
	return recordedEpoch(r.config, state)
}

// KeptEpochs lists the epochs whose checkpoints are kept, in rising order: TrainOptions.KeepEvery
// keeps them, and Evaluation.Epoch tests one.
func (r *Run) KeptEpochs() ([]int, error) { return r.checkpoints().keptEpochs() }

// WeightsSHA256 returns Card.WeightsSHA256 after an epoch of KeptEpochs, or after the training for
// 0 or the last epoch; of a record it may be "".
func (r *Run) WeightsSHA256(epoch int) (string, error) {
	files := r.checkpoints()
	card, err := r.Card()
	if err != nil || files.isLast(epoch) {
		return card.WeightsSHA256, err
	}
	path, err := files.of(epoch)
	if err != nil {
		return "", err
	}
	stored, _, err := files.read(path)
	if err != nil {
		return "", err
	}
	return exportedSHA256(r.config, stored)
}

// State looks at the files of a run. If one is damaged, it still returns the others' state.
func (r *Run) State() (s State, err error) {
	s.Epochs = r.config.Training.Epochs
	// asked first: once the lock is released, all files are final
	if lock := r.path("lock"); r.place == r.directory && files.Held(lock) {
		s.Holder = files.Holder(lock)
	}
	card, trained, err := r.completeCard()
	if card.ConfigHash != "" && (trained || s.Holder == "") {
		s.Card, s.Begun, s.Trained, s.Recorded, s.Epoch = &card, true, trained, !trained, s.Epochs
		return s, err
	}
	history, historyError := r.History()
	s.History, s.Begun, s.Epoch = history, len(history) > 0, max(0, len(history)-1)
	return s, cmp.Or(err, historyError)
}

// untrained returns the error of a call that needs a run trained to its last epoch.
func (r *Run) untrained() *UntrainedError {
	state, _ := r.State() // an unreadable one counts as not begun
	return &UntrainedError{r.directory, state}
}

// lock takes the run's lock and makes its directory with config.json, if they aren't there: the
// first step of everything that writes to a run. A process that was killed in between leaves a
// directory that the next call completes.
func (r *Run) lock() (unlock func(), err error) {
	if r.place != r.directory {
		return nil, r.untrained()
	}
	if err := files.MakeFolder(r.directory); err != nil {
		return nil, unwritable(r.directory, err)
	}
	if unlock, err = lockDirectory(r.directory); err != nil {
		return nil, err
	}
	there, err := r.checkConfig()
	if err == nil && !there {
		if err = files.Write(r.path("config.json"), func(w io.Writer) error {
			return files.WriteJSON(w, r.config)
		}); err != nil {
			err = unwritable(r.directory, err)
		}
	}
	if err == nil {
		err = keepGraph(r)
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

// lockDirectory takes the lock of a directory with results, and removes what killed processes left.
func lockDirectory(directory string) (unlock func(), err error) {
	unlock, err = files.Lock(filepath.Join(directory, "lock"))
	if err != nil {
		return nil, fmt.Errorf("nbbnn: run %s can't be locked: %w", directory, err)
	}
	files.Sweep(filepath.Join(directory, "*"))
	files.Sweep(filepath.Join(directory, "checkpoint", "*"))
	return unlock, nil
}

// writeFile replaces a file and makes its folder if needed.
func writeFile(path string, write func(io.Writer) error) error {
	err := files.MakeFolder(filepath.Dir(path))
	if err == nil {
		err = files.Write(path, write)
	}
	if err != nil {
		return unwritten(path, err)
	}
	return nil
}

func exists(path string) bool {
	_, err := files.Stat(path)
	return err == nil
}
