package paper

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn"
)

// kept names what a figure measures with the weights of a run and keeps in the run's directory: the
// folder and the beginning of the name of its file, whose end identifies the weights and other
// dependencies. The file has a checksum that is bound to the run and to that name. Damaged or
// missing, it's computed again.
type kept struct {
	folder, name string
	on           any
}

type keptValue[V any] struct {
	Value V `json:"value"`
}

// file returns the path of the file and the owner of its checksum.
func (k kept) file(run *nbbnn.Run) (path, owner string, err error) {
	card, err := run.Card()
	if err != nil {
		return "", "", err
	}
	key, err := json.Marshal([]any{card.StateSHA256, k.on})
	if err != nil {
		return "", "", fmt.Errorf("paper: %w", err)
	}
	sum := sha256.Sum256(key)
	name := k.name + "-" + hex.EncodeToString(sum[:8]) + ".json"
	return filepath.Join(run.Directory(), k.folder, name),
		run.Config().Hash() + " " + k.folder + "/" + name, nil
}

// isKept reports whether a run's file exists and is valid.
func (k kept) isKept(run *nbbnn.Run) bool {
	path, owner, err := k.file(run)
	return err == nil && files.ReadSealed(path, owner, &keptValue[json.RawMessage]{}) == nil
}

// keptOr reads a run's stored measurement, or measures and stores it.
func keptOr[V any](run *nbbnn.Run, k kept, measure func() (V, error)) (value V, err error) {
	path, owner, err := k.file(run)
	if err != nil {
		return value, err
	}
	var content keptValue[V]
	if files.ReadSealed(path, owner, &content) == nil {
		return content.Value, nil
	}
	if content.Value, err = measure(); err != nil {
		return value, err
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
		err = files.WriteSealed(path, owner, content)
	}
	if err != nil {
		return value, fmt.Errorf("paper: %s can't be written: %w: make the directory writable",
			path, err)
	}
	return content.Value, nil
}
