package nbbnn

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
)

// contentsAfterCuts returns what a file may hold after a power cut; "" may also mean that it's
// missing.
func contentsAfterCuts(t *testing.T, path string, record *diskRecord) map[string]bool {
	t.Helper()
	found, place := map[string]bool{}, t.TempDir()
	for state := range record.States() {
		testkit.NoError(t, state.Restore(place))
		data, err := os.ReadFile(filepath.Join(place, path))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		found[string(data)] = true
	}
	return found
}

func recordWork(t *testing.T, folder string, work func() error) *diskRecord {
	t.Helper()
	return testkit.Must(recordDisk(folder, work))(t)
}

// After Write a file has the old content or the new one.
func TestWriteSurvivesPowerCuts(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "card.json")
	testkit.NoError(t, files.WriteBytes(path, []byte("old")))
	found := contentsAfterCuts(t, "card.json", recordWork(t, folder, func() error { return files.WriteBytes(path, []byte("new text")) }))
	if len(found) != 2 || !found["old"] || !found["new text"] {
		t.Errorf("the file may hold %v, want the old content or the new", found)
	}
}

// After Append a file has the old content and a part of the new.
func TestAppendSurvivesPowerCuts(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "train.jsonl")
	testkit.NoError(t, files.Append(path, []byte("a\n")))
	found := contentsAfterCuts(t, "train.jsonl", recordWork(t, folder, func() error { return files.Append(path, []byte("bc\n")) }))
	if len(found) != 3 || !found["a\n"] || !found["a\nb"] || !found["a\nbc\n"] {
		t.Errorf("the file may hold %v, want the old content with nothing, half and all of the new", found)
	}
}

// What Write, Append and MakeFolder have done when they return is on the disk.
func TestWritingIsDurable(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "run", "checkpoint")
	done := recordWork(t, root, func() error {
		if err := files.MakeFolder(folder); err != nil {
			return err
		}
		if err := files.WriteBytes(filepath.Join(folder, "latest"), []byte("weights")); err != nil {
			return err
		}
		return files.Append(filepath.Join(root, "run", "train.jsonl"), []byte("line\n"))
	})
	last := 0
	var final []map[string][]byte
	for state := range done.States() {
		if state.Steps > last {
			final = nil
		}
		last, final = state.Steps, append(final, state.Content)
	}
	for _, content := range final {
		if string(content["run/checkpoint/latest"]) != "weights" {
			t.Errorf("before the last line is there, the disk may hold %q, want the weights", content)
		}
	}
}

// The model notices a writer that renames before it syncs.
func TestModelNoticesMissingSync(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "card.json")
	testkit.NoError(t, files.WriteBytes(path, []byte("old")))
	done := recordWork(t, folder, func() error { return files.WriteBytes(path, []byte("new text")) })
	var careless []files.Step
	for _, step := range done.Steps {
		if step.Operation != files.SyncFile {
			careless = append(careless, step)
		}
	}
	done.Steps = careless
	if found := contentsAfterCuts(t, "card.json", done); !found[""] || !found["new "] {
		t.Errorf("without syncing the file may hold %v, want an empty and a half one, too", found)
	}
}
