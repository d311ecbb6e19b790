package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where the system doesn't tell what a process holds, a soak is refused: zeros would be flat.
func TestSampleNeedsWhatTheSystemTells(t *testing.T) {
	for name, statm := range map[string]string{"no files": "", "no number": "1", "no descriptors": "10 5 3", "words": "1 few"} {
		process := t.TempDir()
		if statm != "" {
			if err := os.WriteFile(filepath.Join(process, "statm"), []byte(statm), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := takeSample(0, process); err == nil || !strings.Contains(err.Error(), "run it on Linux") {
			t.Errorf("%s: sample %+v, error %v, want one that names Linux", name, got, err)
		}
	}
	if _, err := os.Stat(ownProcess); err != nil {
		t.Skip("this system has no /proc/self")
	}
	if got, err := takeSample(0, ownProcess); err != nil || got.Resident < 1 || got.Descriptors < 3 {
		t.Errorf("this process holds %+v, error %v, want a megabyte and three descriptors or more", got, err)
	}
}
