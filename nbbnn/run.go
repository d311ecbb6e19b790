package nbbnn

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/atomicfile"
	"github.com/nbbnn/workbench/internal/indented"
)

// Run is one training run and everything that came of it: a directory named by the hash of its configuration. It holds no
// weights in memory and may be opened as often as one likes, by several processes at a time.
//
//	config.json                    the filled configuration
//	train.jsonl                    a line for each epoch
//	checkpoint/latest.safetensors  weights, posterior, momentum and the position in the training
//	cells.csv, bins.csv            what Evaluate measured
//	implicit/, clouds/             what ImplicitCorruptions found, and the clouds of figures, by image
//	card.json                      where the weights came from; it's written last, so a run that has it is complete
//	lock                           held by the process that trains or evaluates
type Run struct {
	directory string
	config    Config // filled
}

// Open opens the run of a configuration, and creates its directory below the given one if it isn't there. Nothing is
// trained.
func Open(directory string, config Config) (*Run, error) {
	r, err := newRun(directory, config)
	if err != nil {
		return nil, err
	}
	if err := r.settle(); err != nil {
		return nil, err
	}
	return r, nil
}

// newRun is the run of a configuration, of which nothing need be on the disk.
func newRun(directory string, config Config) (*Run, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	config = config.WithDefaults()
	return &Run{directory: filepath.Join(directory, config.RunName()), config: config}, nil
}

// settle creates the directory with the configuration, or checks that this is the one that's there.
func (r *Run) settle() error {
	if err := os.MkdirAll(r.directory, 0o755); err != nil {
		return unwritable(r.directory, err)
	}
	data, err := os.ReadFile(r.path("config.json"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r.writeConfig()
	case err != nil:
		return fmt.Errorf("nbbnn: %w: make the file readable or choose another directory for runs", err)
	}
	return r.compareConfig(data)
}

func (r *Run) writeConfig() error {
	if err := atomicfile.Write(r.path("config.json"), func(w io.Writer) error { return indented.Write(w, r.config) }); err != nil {
		return unwritable(r.directory, err)
	}
	return nil
}

// compareConfig checks that the directory holds the run that it's named after.
func (r *Run) compareConfig(data []byte) error {
	have, err := parseConfig(r.path("config.json"), data)
	if err != nil {
		return err
	}
	if have = have.WithDefaults(); have != r.config {
		return fmt.Errorf("nbbnn: %s holds a run with %s: remove it or choose another directory for runs", r.directory, differences(have, r.config))
	}
	return nil
}

func unwritable(directory string, err error) error {
	return fmt.Errorf("nbbnn: run %s can't be created: %w: choose another directory for runs", directory, err)
}

// Directory is where the run is kept.
func (r *Run) Directory() string { return r.directory }

// Config is the run's configuration with all defaults filled in.
func (r *Run) Config() Config { return r.config }

// Hash is the hash of the configuration, of which the directory's name is the beginning.
func (r *Run) Hash() string { return r.config.Hash() }

// Complete says whether the run is trained to its last epoch.
func (r *Run) Complete() bool {
	_, err := r.Card()
	return err == nil && exists(r.checkpointPath())
}

// Begun says whether the run has a checkpoint, from which its training goes on.
func (r *Run) Begun() bool { return exists(r.checkpointPath()) }

// Begun says whether the run of a configuration below a directory has a checkpoint, as Run.Begun does, without making anything.
func Begun(directory string, config Config) bool {
	r, err := newRun(directory, config)
	return err == nil && r.Begun()
}

func (r *Run) path(name string) string { return filepath.Join(r.directory, name) }

func (r *Run) historyPath() string { return r.path("train.jsonl") }

// checkpointPath is the file of the run's weights; its folder is made when the first one is saved.
func (r *Run) checkpointPath() string {
	return filepath.Join(r.directory, "checkpoint", "latest.safetensors")
}

func (r *Run) writeFile(path string, write func(io.Writer) error) error {
	return writeFile(path, write)
}

// writeFile replaces a file as a whole, and makes the folder that it's in.
func writeFile(path string, write func(io.Writer) error) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = atomicfile.Write(path, write)
	}
	if err != nil {
		return unwritten(path, err)
	}
	return nil
}

func unwritten(path string, err error) error {
	return fmt.Errorf("nbbnn: %s can't be written: %w: make the disk writable and see that it has room, then call again", path, err)
}

func unreadable(err error) error {
	return fmt.Errorf("nbbnn: %w: make the file readable", err)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
