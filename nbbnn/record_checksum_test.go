package nbbnn

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/nbbnn/workbench/internal/safetensors"
)

// flipEach calls read with each byte of a file changed in turn, then restores the file. It reports
// the places where read gives another value than before without an error.
func flipEach[T any](t *testing.T, path string, read func() (T, error)) {
	t.Helper()
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	value, err := read()
	if err != nil {
		t.Fatal(err)
	}
	want := encoded(t, value)
	for at := range sound {
		damaged := bytes.Clone(sound)
		damaged[at] ^= []byte{1, 0x20}[at%2] // another digit or letter, or the other case
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if value, err := read(); err == nil && encoded(t, value) != want {
			t.Errorf("a flip of byte %d, %q, changes the value silently", at, sound[at])
		}
	}
	if err := os.WriteFile(path, sound, 0o644); err != nil {
		t.Fatal(err)
	}
}

func encoded(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// No byte of a finished run's records can change without notice.
func TestDamagedRecordsAreRefused(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	train(t, run)
	flipEach(t, run.path("card.json"), run.Card)
	flipEach(t, run.history().path, run.History)
}

// The lines of another run, or of this one in another order, aren't its history.
func TestForeignHistoryIsRefused(t *testing.T) {
	config := tinyConfig()
	run := openRun(t, t.TempDir(), config)
	train(t, run)
	config.Seed++
	other := openRun(t, t.TempDir(), config)
	train(t, other)
	foreign, err := os.ReadFile(other.history().path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(run.history().path, foreign, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = run.History()
	checkError(t, "foreign history", err, "its checksum differs")
}

// Records whose checksums were removed are refused.
func TestRecordsWithoutChecksumsAreRefused(t *testing.T) {
	run := openRun(t, t.TempDir(), tinyConfig())
	train(t, run)
	for path, read := range map[string]func() error{
		run.path("card.json"): func() error { _, err := run.Card(); return err },
		run.history().path:    func() error { _, err := run.History(); return err },
	} {
		sound := fileText(t, path)
		removed := regexp.MustCompile(`,\s*"sha256": ?"\w+"`).ReplaceAllString(sound, "")
		if err := os.WriteFile(path, []byte(removed), 0o644); err != nil {
			t.Fatal(err)
		}
		checkError(t, path, read(), "its checksum differs")
		if err := os.WriteFile(path, []byte(sound), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stored, metadata, err := safetensors.Read(run.checkpointPath())
	if err != nil {
		t.Fatal(err)
	}
	if err := safetensors.Write(run.checkpointPath(), stored, map[string]string{stateKey: metadata[stateKey]}); err != nil {
		t.Fatal(err)
	}
	_, _, err = run.checkpoints().readState(run.checkpointPath())
	checkError(t, "checkpoint", err, "its checksum differs")
}

// rewriteCard changes a run's card, which then holds its checksum again.
func rewriteCard(t *testing.T, run *Run, change func(*Card)) {
	t.Helper()
	card, err := run.Card()
	if err != nil {
		t.Fatal(err)
	}
	change(&card)
	if err := writeCard(run, card); err != nil {
		t.Fatal(err)
	}
}

// A history that vanishes during a training, or that another process continues because the lock was
// removed, is noticed when the next line is written.
func TestVanishedHistoryIsNoticed(t *testing.T) {
	history := historyFile{path: filepath.Join(t.TempDir(), "train.jsonl"), run: "ab12"}
	for epoch := range 3 {
		if err := history.add(Epoch{Epoch: epoch}); err != nil {
			t.Fatal(err)
		}
	}
	checkError(t, "a line of another process", history.add(Epoch{Epoch: 2}), "has the records of 3 epochs instead of 2")
	if err := os.Remove(history.path); err != nil {
		t.Fatal(err)
	}
	checkError(t, "a removed file", history.add(Epoch{Epoch: 3}), "has the records of 0 epochs instead of 3")
	if exists(history.path) {
		t.Error("a line was written after the file was removed")
	}
}

// A history that ends before the checkpoint does was cut, whether the run is finished or not.
func TestShortHistoryIsRefused(t *testing.T) {
	finished := openRun(t, t.TempDir(), tinyConfig())
	train(t, finished)
	for name, run := range map[string]*Run{"finished": finished, "unfinished": halfTrained(t, tinyConfig())} {
		path := run.history().path
		sound, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(sound, []byte("\n"))
		for _, cut := range [][]byte{nil, bytes.Join(lines[:len(lines)-2], nil)} {
			if err := os.WriteFile(path, cut, 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := run.History()
			checkError(t, name, err, path+" ends with epoch")
		}
	}
}
