package nbbnn

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
)

// flipEach calls read with each byte of a file changed in turn, then restores the file. It reports
// the places where read gives another value than before without an error.
func flipEach[T any](t *testing.T, path string, read func() (T, error)) {
	t.Helper()
	sound := testkit.Must(os.ReadFile(path))(t)
	value := testkit.Must(read())(t)
	want := encoded(t, value)
	for at := range sound {
		damaged := bytes.Clone(sound)
		damaged[at] ^= []byte{1, 0x20}[at%2] // another digit or letter, or the other case
		testkit.NoError(t, os.WriteFile(path, damaged, 0o644))
		if value, err := read(); err == nil && encoded(t, value) != want {
			t.Errorf("a flip of byte %d, %q, changes the value silently", at, sound[at])
		}
	}
	testkit.NoError(t, os.WriteFile(path, sound, 0o644))
}

func encoded(t *testing.T, value any) string {
	t.Helper()
	data := testkit.Must(json.Marshal(value))(t)
	return string(data)
}

// No byte of a finished run's records can change without notice.
func TestDamagedRecordsAreRefused(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	flipEach(t, run.path("card.json"), run.Card)
	flipEach(t, run.history().path, run.History)
}

// The history and the checkpoint of another seed aren't taken for those of a run.
func TestFilesOfAnotherRunAreRefused(t *testing.T) {
	config := tinyConfig()
	run := halfTrained(t, config)
	config.Seed++
	other := halfTrained(t, config)
	rename := func(path func(*Run) string) { testkit.NoError(t, os.Rename(path(other), path(run))) }
	rename((*Run).checkpointPath)
	checkError(t, "foreign checkpoint", run.Train(t.Context(), nil), "belongs to run "+
		other.config.RunName()+", not to "+run.config.RunName())
	rename(func(r *Run) string { return r.history().path })
	refused(t, "foreign history", "its checksum differs")(run.History())
}

// Records whose checksums were removed are refused.
func TestRecordsWithoutChecksumsAreRefused(t *testing.T) {
	run := trainedRun(t, t.TempDir(), tinyConfig())
	for path, read := range map[string]func() error{
		run.path("card.json"): func() error { _, err := run.Card(); return err },
		run.history().path:    func() error { _, err := run.History(); return err },
	} {
		sound := fileText(t, path)
		removed := regexp.MustCompile(`,\s*"sha256": ?"\w+"`).ReplaceAllString(sound, "")
		testkit.NoError(t, os.WriteFile(path, []byte(removed), 0o644))
		checkError(t, path, read(), "its checksum differs")
		testkit.NoError(t, os.WriteFile(path, []byte(sound), 0o644))
	}
	stored, metadata, err := safetensors.Read(run.checkpointPath())
	testkit.NoError(t, err)
	testkit.NoError(t, safetensors.Write(run.checkpointPath(), stored,
		map[string]string{stateKey: metadata[stateKey]}))
	_, _, err = run.checkpoints().readState(run.checkpointPath())
	checkError(t, "checkpoint", err, "its checksum differs")
}

// rewriteCard changes a run's card, which then holds its checksum again.
func rewriteCard(t *testing.T, run *Run, change func(*Card)) {
	t.Helper()
	card := testkit.Must(run.Card())(t)
	change(&card)
	testkit.NoError(t, writeCard(run, card))
}

// A history that vanishes during a training, or that another process continues because the lock was
// removed, is noticed when the next line is written.
func TestVanishedHistoryIsNoticed(t *testing.T) {
	history := historyFile{path: filepath.Join(t.TempDir(), "train.jsonl"), run: "ab12"}
	for epoch := range 3 {
		testkit.NoError(t, history.add(Epoch{Epoch: epoch}))
	}
	checkError(t, "a line of another process", history.add(Epoch{Epoch: 2}),
		"has the records of 3 epochs instead of 2")
	testkit.NoError(t, os.Remove(history.path))
	checkError(t, "a removed file", history.add(Epoch{Epoch: 3}),
		"has the records of 0 epochs instead of 3")
	if exists(history.path) {
		t.Error("a line was written after the file was removed")
	}
}

// A history that ends before the checkpoint does was cut, whether the run is finished or not.
func TestShortHistoryIsRefused(t *testing.T) {
	finished := trainedRun(t, t.TempDir(), tinyConfig())
	for name, run := range map[string]*Run{"finished": finished, "unfinished": halfTrained(t,
		tinyConfig())} {
		path := run.history().path
		sound := testkit.Must(os.ReadFile(path))(t)
		lines := bytes.SplitAfter(sound, []byte("\n"))
		for want, cut := range map[string][]byte{" has 0 epochs": nil,
			" has ": bytes.Join(lines[:len(lines)-2], nil)} {
			testkit.NoError(t, os.WriteFile(path, cut, 0o644))
			refused(t, name, path+want)(run.History())
		}
	}
}

// The members of an ensemble are those that its directory is named after.
func TestFlippedEnsembleIsRefused(t *testing.T) {
	content := records.Ensemble{Members: []string{"ab", "cd"}, Weights: []string{"12", "34"}}
	directory := filepath.Join(t.TempDir(), content.Name())
	testkit.NoError(t, writeMembers(content, directory))
	flipEach(t, filepath.Join(directory, "ensemble.json"), func() ([]string, error) {
		return records.Members(directory)
	})
	if members, err := records.Members(directory); err != nil ||
		!reflect.DeepEqual(members, content.Members) {
		t.Errorf("members %v (%v), want %v", members, err, content.Members)
	}
	path := filepath.Join(directory, "ensemble.json")
	sound := testkit.Must(os.ReadFile(path))(t)
	for _, text := range []string{"", strings.Replace(string(sound), "ab", "aa", 1),
		string(sound)} {
		testkit.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		if err := writeMembers(content, directory); (err == nil) != (text == string(sound)) {
			t.Errorf("an evaluation with the file %q: error %v", text, err)
		}
	}
	moved := filepath.Join(filepath.Dir(directory), "ensemble-0123456789ab")
	testkit.NoError(t, os.Rename(directory, moved))
	refused(t, "another name", "don't match the directory's name")(
		records.Members(moved))
}
